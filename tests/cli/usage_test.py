"""Mistakes and their exit status, examples, list and compare. Usage: usage_test.py PROGRAM EXAMPLES"""

import json
import os
import re
import sys
import unittest

from program import call, CONFIG, EXAMPLES, ProgramTest


class Usage(ProgramTest):
    def test_five_mistakes_five_errors_nothing_written(self):
        config = self.write('seed = "x"\n[data]\nsource = "digts"\n[clusters]\ncount = 0\n[algorithm]\nkind = "icfa"\n'
                            "[rounds]\nparticipation = 2.0\n")
        result = call("run", config, "--out", self.path("out"))
        self.assertEqual(result.returncode, 2)
        errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        self.assertEqual(len(errors), 5, result.stderr)
        for line, error in zip((1, 3, 5, 7, 9), errors):
            self.assertIn(f"exp.toml:{line}: ", error)
        self.assertIn('did you mean "ifca"?', result.stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_absurd_values_are_refused(self):
        config = self.config(rounds=2)
        open(self.path("file"), "w").close()
        for arguments in (["--set", "fleet.block=4294967296"], ["--set", "rounds.count=4294967297"],
                          ["--set", "clients.count=5000000000"], ["--set", "aggregate.limit=1e18"],
                          ["--set", "algorithm.ifca.average=gradients"], ["--out", self.path("file/x")]):
            where = [] if "--out" in arguments else ["--out", self.path("out")]
            result = call("run", config, "--quiet", *where, *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertTrue(result.stderr.startswith("error: "), result.stderr)
        result = call("run", config, "--quiet", "--out", self.path("odd"), "--set", b"name=\xff".decode(errors="surrogateescape"))
        self.assertIn(result.returncode, (0, 2), result.stderr)
        self.assertNotIn("defect", result.stderr)

    def test_what_does_not_fit_together_is_status_2(self):
        for override in ("rounds.cohort=500", "model.kind=linear", "clients.samples=100000"):
            config = self.write(CONFIG.format(algorithm="ifca", hidden=8, rounds=2).replace("participation = 0.6\n", "")
                                .replace("hidden = [8]\n", ""))
            result = call("run", config, "--out", self.path("out"), "--set", override)
            self.assertEqual(result.returncode, 2, override)
            self.assertTrue(result.stderr.startswith("error: "), result.stderr)
            self.assertFalse(os.path.exists(self.path("out")), override)

    def test_bad_usage_is_status_2_and_help_is_0(self):
        self.assertEqual(call().returncode, 2)
        self.assertEqual(call("run").returncode, 2)
        self.assertEqual(call("run", self.path("absent.toml")).returncode, 2)
        self.assertEqual(call("list", "algoritms").returncode, 2)
        self.assertEqual(call("compare", self.path("absent")).returncode, 2)
        self.assertEqual(call("report", self.path("absent")).returncode, 2)
        unknown = call("frobnicate")
        self.assertEqual(unknown.returncode, 2)
        for word in ("frobnicate", "run", "compare", "list"):
            self.assertIn(word, unknown.stderr)
        self.assertEqual(call("--help").returncode, 0)
        self.assertEqual(call("--version").returncode, 0)

    def test_too_large_a_step_is_reported_and_stops_the_run(self):
        config = self.config(rounds=3)
        result = call("run", config, "--out", self.path("out"), "--set", "local.rate=1e30")
        self.assertEqual(result.returncode, 1)
        self.assertIn("quorum", result.stderr)
        self.assertIn("not finite", result.stderr)
        self.assertIn("its training diverges", result.stderr)
        self.assertIn("local.rate = \"auto\"", result.stderr)
        self.assertNotIn("clients lie", result.stderr)

    def test_a_run_that_diverges_says_so_everywhere(self):
        config = self.write("""
precision = "double"
[data]
source = "mixed-linear"
clusters = 1
dimension = 4
[clients]
count = 4
samples = 20
[model]
kind = "linear"
[local]
solver = "gd"
rate = 2.5
[rounds]
count = 6
[aggregate]
limit = 1e9
[sweep]
"local.rate" = [2.5, 0.1]
""")
        result = call("run", config, "--out", self.path("out"))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("diverged", result.stdout)
        self.assertIn("try local.rate", result.stderr)
        verdicts = {}
        for name in ("2.5", "0.1"):
            folder = next(d for d in os.listdir(self.path("out")) if name in d)
            with open(self.path(f"out/{folder}/summary.json")) as file:
                verdicts[name] = json.load(file)["verdict"]
            with open(self.path(f"out/{folder}/report.html")) as file:
                self.assertEqual("Diverged" in file.read(), name == "2.5")
        self.assertEqual(verdicts, {"2.5": "diverged", "0.1": "finished"})
        self.assertEqual(call("run", config, "--out", self.path("one"), "--set", "local.rate=0.1").returncode, 0)
        quiet = call("run", config, "--out", self.path("quiet"), "--quiet", "--set", "local.rate=2.5")
        self.assertEqual(quiet.returncode, 1)
        self.assertRegex(quiet.stderr, "^error: .*quiet: Diverged: .*try local.rate")

    def test_sweep_compares_and_lists(self):
        config = self.write(CONFIG.format(algorithm="ifca", hidden=8, rounds=3) +
                            '[sweep]\n"algorithm.kind" = ["fedavg", "ifca"]\nseed = [1, 2]\n')
        result = call("run", config, "--out", self.path("sweep"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(d for d in os.listdir(self.path("sweep")) if os.path.isdir(self.path("sweep/" + d))),
                         ["fedavg,seed=1", "fedavg,seed=2", "ifca,seed=1", "ifca,seed=2"])
        for word in ("fedavg", "ifca", "ARI"):
            self.assertIn(word, result.stdout)
        again = call("compare", self.path("sweep"))
        self.assertEqual(again.returncode, 0)
        self.assertIn(again.stdout.strip(), result.stdout)
        self.assertTrue(os.path.exists(self.path("sweep/compare.html")))
        self.assertTrue(os.path.exists(self.path("sweep/ifca,seed=1/report.html")))

    def test_report_writes_the_pages_of_a_run_and_of_a_sweep_again(self):
        config = self.write(CONFIG.format(algorithm="ifca", hidden=8, rounds=2) + "[sweep]\nseed = [1, 2]\n")
        self.assertEqual(call("run", config, "--out", self.path("sweep")).returncode, 0)
        pages = [self.path("sweep/" + page) for page in ("seed=1/report.html", "seed=2/report.html", "compare.html")]
        for asked, written in ((self.path("sweep"), pages), (self.path("sweep/seed=2"), pages[1:2])):
            for page in written:
                os.remove(page)
            result = call("report", asked)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.split("\n")[:-1], written)
            for page in written:
                self.assertTrue(os.path.exists(page), page)
        self.assertIn("holds no run", call("report", self.folder.name + "/sweep/seed=1/models").stderr)

    def test_what_the_readme_says_to_try_works(self):
        with open(os.path.join(EXAMPLES, "..", "README.md")) as file:
            sample = re.search(r"An experiment is a TOML file.*?```toml\n(.*?)```", file.read(), re.S).group(1)
        config = self.write(sample)
        result = call("run", config, "--out", self.path("runs/try"), "--threads", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(call("report", self.path("runs/try")).returncode, 0)
        for seed in (1, 2, 3):
            with open(self.path(f"runs/try/seed={seed}/summary.json")) as file:
                summary = json.load(file)
            self.assertEqual(summary["ari"], 1.0, seed)
            self.assertGreater(summary["accuracy"]["mean"], 0.94, seed)

    def test_every_example_is_well_formed(self):
        names = [n for n in sorted(os.listdir(EXAMPLES)) if n.endswith(".toml")]
        self.assertGreater(len(names), 1)
        for name in names:
            result = call("run", os.path.join(EXAMPLES, name), "--out", self.path(name), "--quiet", "--set", "rounds.count=1")
            self.assertEqual(result.returncode, 0, name + ": " + result.stderr)

    def test_list_documents_options(self):
        result = call("list", "algorithms", "ifca")
        self.assertIn("average", result.stdout)
        self.assertIn("models", result.stdout)
        self.assertIn("[clusters.restarts]", call("list", "inits", "restarts").stdout)
        self.assertIn("sgd", call("list", "sections", "local").stdout, "a section that a plug-in has options in")
        rounds = call("list", "sections", "rounds").stdout
        self.assertIn("[rounds]", rounds)
        self.assertNotIn("[clients]", rounds)
        names = call("list", "algorithms", "--names").stdout.split()
        self.assertEqual(names, sorted(names))
        self.assertLessEqual({"fedavg", "ifca", "local", "oracle"}, set(names))  # tools/check_plugins.py compares all with the files
        tiers = call("list", "tiers").stdout
        for word in ("[tiers] objective", "sample-soft", "split-remove", "prototype-cscp"):
            self.assertIn(word, tiers)
        self.assertNotIn("gradient-cosine", call("list", "tiers", "sample-soft").stdout)
        one = call("list", "tiers", "adapt").stdout
        self.assertIn("split-remove", one)
        self.assertNotIn("sample-soft", one)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
