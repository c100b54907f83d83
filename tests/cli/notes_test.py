"""What a run says to its user: notes, warnings, an early end. Usage: notes_test.py PROGRAM EXAMPLES"""

import json
import sys
import unittest

from program import call, contents, ProgramTest

ODCL = """
name = "groups"
precision = "double"
[data]
source = "mixed-linear"
clusters = 2
dimension = 4
[clients]
count = 10
samples = 40
[model]
kind = "linear"
[clusters]
count = 2
init = "random"
[algorithm]
kind = "odcl"
"""


class Notes(ProgramTest):
    def test_a_method_of_one_round_ends_after_it(self):
        config = self.write(ODCL)
        result = call("run", config, "--out", self.path("out"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("note: odcl has nothing left to do after 1 round of 50", result.stderr)
        self.assertIn("odcl on mixed-linear, linear, 1 round, seed 1", result.stdout)
        self.assertIn("By the clients' own models, round 1: 2 groups of 10 clients' models", result.stdout)
        first = contents(self.path("out"))
        self.assertEqual((first["summary.json"]["rounds"], first["summary.json"]["ended"]), (1, "finished"))
        self.assertEqual(first["rounds.jsonl"].count(b"\n"), 1)
        kinds = [json.loads(line)["kind"] for line in first["events.jsonl"].splitlines()]
        self.assertEqual(kinds.count("finished"), 1)
        self.assertEqual(self.run_to(config, "out", "--resume"), first)
        longer = self.run_to(config, "out", "--resume", "--set", "rounds.count=60")
        self.assertEqual(longer["rounds.jsonl"], first["rounds.jsonl"])
        self.assertEqual(self.run_to(config, "one", "--set", "rounds.count=1")["summary.json"]["ended"], "rounds")

    def test_warnings_come_before_the_work(self):
        result = call("run", self.write(ODCL), "--out", self.path("out"), "--set", "clients.samples=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: 10 of 10 clients have fewer training rows than the model has parameters (5)", result.stderr)
        self.assertLess(result.stderr.index("warning: "), result.stderr.index("nothing left to do"))
        with open(self.path("out/events.jsonl")) as events:
            self.assertEqual(json.loads(events.readline())["kind"], "warning")

    def test_tables_not_in_use_are_named_once(self):
        config = self.write(ODCL + '[algorithm.ifca]\naverage = "models"\n[clusters.odcl]\n')
        result = call("run", config, "--out", self.path("out"))
        self.assertIn('exp.toml:18: [algorithm.ifca] is not used: algorithm.kind = "odcl"', result.stderr)
        self.assertIn('[clusters.odcl] is not used: clusters.init = "random"', result.stderr)
        config = self.write(ODCL + '[algorithm.ifca]\naverage = "models"\n[clusters.odcl]\n'
                            '[rounds]\ncount = 2\n[sweep]\n"algorithm.kind" = ["odcl", "ifca"]\n')
        sweep = call("run", config, "--out", self.path("sweep"))
        self.assertEqual(sweep.returncode, 0, sweep.stderr)
        self.assertNotIn("[algorithm.ifca]", sweep.stderr)
        self.assertEqual(sweep.stderr.count("[clusters.odcl] is not used: no run of the sweep names it"), 1)
        self.assertIn(" K ", sweep.stdout)

    def test_a_misplaced_count_is_told_its_place(self):
        result = call("run", self.write(ODCL), "--set", "algorithm.odcl.count=4")
        self.assertEqual(result.returncode, 2)
        self.assertIn("clusters.count", result.stderr)

    def test_separable_classes_get_advice_with_names_and_values(self):
        rows = "".join(f"{site},{x},{int(x > 0)}\n" for site in ("north", "south", "east") for x in (-2, -1, 1, 2, 3))
        self.write("site,x,y\n" + rows, "own.csv")
        config = self.write('[data]\nsource = "csv"\nfile = "own.csv"\nclient = "site"\ntarget = "y"\n'
                            'task = "classification"\n[model]\nkind = "logistic"\n[algorithm]\nkind = "odcl"\n')
        result = call("run", config, "--out", self.path("out"))
        self.assertEqual(result.returncode, 1, result.stderr)
        for part in ("set model.l2 = 0.001", "algorithm.odcl.radius = 10", "(east)"):
            self.assertIn(part, result.stderr)
        self.assertIn("(also left out: north, south)", result.stderr)
        mended = call("run", config, "--out", self.path("mended"), "--set", "model.l2=0.001")
        self.assertEqual(mended.returncode, 0, mended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
