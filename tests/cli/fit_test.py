"""From a table to a decision: the command fit. Usage: fit_test.py PROGRAM EXAMPLES"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

from program import call, PROGRAM, ProgramTest


def table(clients=14, rows=30, seed=1):
    draw = random.Random(seed)
    lines = ["site,age,pressure,region,visit,patient,ill\n"]
    for i in range(clients):
        sign = 1 if i % 2 else -1
        for j in range(rows):
            age, pressure = draw.gauss(60, 10), draw.gauss(130, 20)
            ill = sign * (age - 60) / 10 + (pressure - 130) / 20 + draw.gauss(0, 0.7) > 0
            lines.append(f"s{i:02},{age:.3f},{pressure:.3f},{'north' if i % 2 else 'south'},{j},p{j // 3},"
                         f"{'yes' if ill else 'no'}\n")
    return "".join(lines)


class Fit(ProgramTest):
    def setUp(self):
        super().setUp()
        self.table = self.write(table(), "table.csv")

    def fit(self, name, *more):
        return call("fit", self.table, "--client", "site", "--target", "ill", "--describe", "region", "--clusters", "2",
                    "--out", self.path(name), *more)

    def decision(self, name):
        with open(os.path.join(self.path(name), "decision.json")) as file:
            return file.read()

    def test_answers_both_questions(self):
        result = self.fit("a", "--group", "patient", "--time", "visit")
        self.assertEqual(result.returncode, 0, result.stderr)
        for title in ("What I read", "Do clients differ?", "Groups or a continuum?", "What predicts best?",
                      "In two sentences"):
            self.assertIn(title, result.stdout)
        self.assertIn("not a feature: patient (is the group)", result.stdout)
        decision = json.loads(self.decision("a"))
        self.assertIn(decision["use"], ("shrink", "clusters", "clusters-shrink", "local"))
        for name in ("fit.html", "fit.txt", "run/summary.json", "run/report.html"):
            self.assertTrue(os.path.exists(os.path.join(self.path("a"), name)), name)

    def test_threads_and_resume_change_no_byte(self):
        self.assertEqual(self.fit("a", "--quiet", "--threads", "1").returncode, 0)
        self.assertEqual(self.fit("b", "--quiet", "--threads", "2").returncode, 0)
        self.assertEqual(self.decision("a"), self.decision("b"))
        again = self.fit("a", "--quiet", "--resume")
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))
        self.assertEqual(self.decision("a"), self.decision("b"))

    def test_a_killed_fit_goes_on(self):
        self.assertEqual(self.fit("whole", "--quiet").returncode, 0)
        command = [PROGRAM, "fit", self.table, "--client", "site", "--target", "ill", "--describe", "region",
                   "--clusters", "2", "--out", self.path("killed"), "--quiet"]
        steps = os.path.join(self.path("killed"), "steps")
        for wanted in (1, 3, 5):
            child = subprocess.Popen(command + (["--resume"] if wanted > 1 else []), stderr=subprocess.DEVNULL)
            while child.poll() is None:
                done = [name for name in os.listdir(steps) if name.endswith(".json")] if os.path.isdir(steps) else []
                if len(done) >= wanted:
                    child.kill()
                    break
                time.sleep(0.005)
            child.wait()
        result = call(*command[1:], "--resume")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.decision("killed"), self.decision("whole"))

    def test_a_stop_says_how_to_go_on(self):
        command = [PROGRAM, "fit", self.table, "--client", "site", "--target", "ill", "--out", self.path("a"), "--quiet"]
        child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        steps = os.path.join(self.path("a"), "steps")
        while child.poll() is None and not (os.path.isdir(steps) and len(os.listdir(steps)) > 1):
            time.sleep(0.005)
        child.send_signal(signal.SIGINT)
        said = child.communicate()[1]
        if child.returncode == 0:
            self.skipTest("it was done before the signal")
        self.assertEqual(child.returncode, 1)
        self.assertIn("--resume", said)

    def test_a_config_with_a_section_fit(self):
        config = self.write(f"""
seed = 1
[data]
source = "csv"
file = "{self.table}"
client = "site"
target = "ill"
drop = ["visit", "patient"]
[fit]
clusters = "2"
describe = ["region"]
""")
        result = call("run", config, "--out", self.path("c"), "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        decision = json.loads(self.decision("c"))
        self.assertEqual(decision["data"]["columns"], ["age", "pressure"])
        self.assertEqual((decision["groups"]["there_are"], decision["groups"]["clusters"]), ("yes", 2))
        self.assertIn("clusters-2", [one["name"] for one in decision["candidates"]])
        self.assertNotIn("clusters-3", [one["name"] for one in decision["candidates"]])

    def test_other_options_of_a_table_are_set(self):
        with open(self.table) as file:
            text = file.read().replace(",", ";")
        table = self.write(text, "semicolons.csv")
        fit = ("fit", table, "--client", "site", "--target", "ill", "--drop", "region,visit,patient", "--clusters", "2",
               "--quiet", "--out", self.path("s"))
        result = call(*fit)
        self.assertEqual(result.returncode, 2)
        self.assertIn("data.separator", result.stderr)
        result = call(*fit, "--set", "data.separator=;")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = call(*fit, "--set", "data.separater=;", "--force")
        self.assertEqual(result.returncode, 2)
        self.assertIn("separator", result.stderr)

    def test_the_chosen_run_is_named_where_a_fit_is_given(self):
        self.assertEqual(self.fit("a").returncode, 0)
        result = call("assign", self.path("a"), "--data", self.table)
        self.assertEqual(result.returncode, 2)
        self.assertIn(self.path("a") + "/run", result.stderr)
        config = self.write(f'[data]\nsource = "csv"\nfile = "{self.table}"\nclient = "site"\ntarget = "ill"\n[fit]\n')
        result = call("data", "show", config)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_mistakes_are_told_before_work(self):
        for more, word in ((["--methods", "icfa"], "ifca"), (["--clusters", "1..3"], "clusters"),
                           (["--model", "sofmax"], "softmax"), (["--time", "visits"], "visit"),
                           (["--describe", "age"], "describe"),
                           (["--minutes", "0"], "--minutes: must be a number above 0"),
                           (["--group", "site"], "data.group"), (["--drop", "ill"], "lists the target")):
            result = call("fit", self.table, "--client", "site", "--target", "ill", "--out", self.path("x"), *more)
            self.assertEqual(result.returncode, 2, more)
            self.assertIn(word, result.stderr)
            self.assertFalse(os.path.exists(self.path("x")), more)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
