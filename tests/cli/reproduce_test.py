"""Reproductions of papers, and the data sets they need. Usage: reproduce_test.py PROGRAM EXAMPLES"""

import os
import signal
import subprocess
import sys
import time
import unittest

from program import call, CONFIG, contents, lines_of, PROGRAM, ProgramTest


class Reproduce(ProgramTest):
    EXPERIMENT = """
title = "Losses"
config = "../small.toml"
seeds = 2
[measure]
figure = "accuracy"
times = 100
[[cell]]
name = "IFCA"
paper = 90.5
[[cell]]
name = "rounds"
figure = "rounds"
run = "ifca"
times = 1
[plot]
kind = "rounds"
figure = "accuracy"
[quick]
says = "two rounds"
seeds = 1
[quick.set]
rounds.count = {rounds}
"""

    def papers(self, rounds=2, hidden=8):
        os.makedirs(self.path("papers/small/small-table1"), exist_ok=True)
        self.write(CONFIG.format(algorithm="ifca", hidden=hidden, rounds=30), "papers/small/small.toml")
        self.write(self.EXPERIMENT.format(rounds=rounds), "papers/small/small-table1/experiment.toml")
        return "--papers", self.path("papers"), "--out", self.path("results")

    def test_reproduce_writes_numbers_beside_the_papers(self):
        result = call("reproduce", "small-table1", *self.papers())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Scaled down: two rounds", result.stdout)
        with open(self.path("results/small-table1/results.csv")) as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "cell,paper,ours,std,seeds,scale")
        self.assertRegex(lines[1], r"^IFCA,90\.5,[0-9.]+,0,1,quick$")
        self.assertEqual(lines[2], "rounds,,2,0,1,quick")
        self.assertTrue(os.path.exists(self.path("results/small-table1/small-table1.gp")))
        self.assertTrue(os.path.exists(self.path("results/small-table1/runs/ifca/seed-0/report.html")))

    def test_runs_side_by_side_give_the_same_bits(self):
        arguments = ["reproduce", "small-table1", *self.papers(), "--seeds", "3", "--threads", "2"]
        self.assertEqual(call(*arguments).returncode, 0)
        experiment = self.path("papers/small/small-table1/experiment.toml")
        with open(experiment) as file:
            text = file.read()
        self.write("side_by_side = true\n" + text, "papers/small/small-table1/experiment.toml")
        arguments[arguments.index("--out") + 1] = self.path("beside")
        self.assertEqual(call(*arguments).returncode, 0)
        for run in ("runs/ifca/seed-0", "runs/ifca/seed-2"):
            self.assertEqual(contents(self.path("beside/small-table1/" + run)),
                             contents(self.path("results/small-table1/" + run)))

    def test_reproduce_takes_only_some_cells(self):
        result = call("reproduce", "small-table1", *self.papers(), "--only", "round")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("results/small-table1/results.csv")) as file:
            self.assertEqual(file.read().splitlines()[1:], ["rounds,,2,0,1,quick"])
        none = call("reproduce", "small-table1", *self.papers(), "--only", "FedAvg")
        self.assertEqual(none.returncode, 2)
        self.assertIn('it has "IFCA", "rounds"', none.stderr)

    def test_quick_may_leave_cells_to_only(self):
        papers = self.papers()
        experiment = "papers/small/small-table1/experiment.toml"
        with open(self.path(experiment)) as file:
            text = file.read()
        self.write(text.replace('says = "two', 'without = ["IFCA"]\nsays = "two'), experiment)
        for only, cells in ([], ["rounds"]), (["--only", "IFCA"], ["IFCA"]):
            result = call("reproduce", "small-table1", *papers, *only)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.path("results/small-table1/results.csv")) as file:
                self.assertEqual([line.split(",")[0] for line in file.read().splitlines()[1:]], cells)

    def test_reproduce_goes_on_after_a_kill(self):
        arguments = ["reproduce", "small-table1", *self.papers(rounds=40, hidden=64), "--quiet"]
        log = self.path("results/small-table1/runs/ifca/seed-0/rounds.jsonl")
        process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL)
        while process.poll() is None:
            if lines_of(log) >= 10:
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertFalse(os.path.exists(self.path("results/small-table1/results.csv")), "killed too late")
        self.assertEqual(call(*arguments).returncode, 0)
        run = contents(os.path.dirname(log))
        unbroken = self.path("unbroken")
        arguments[arguments.index("--out") + 1] = unbroken
        self.assertEqual(call(*arguments).returncode, 0)
        self.assertEqual(run, contents(unbroken + "/small-table1/runs/ifca/seed-0"))

    def test_reproduce_names_mistakes_and_lists(self):
        listed = call("reproduce", "--list")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("ifca-table1-mnist", listed.stdout)
        unknown = call("reproduce", "ifca-fig33a")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn('did you mean "ifca-fig3a"', unknown.stderr)
        arguments = self.papers(rounds=-2)
        bad = call("reproduce", "small", *arguments)
        self.assertEqual(bad.returncode, 2)
        self.assertIn("experiment.toml:23: rounds.count = -2: must be", bad.stderr)
        self.assertFalse(os.path.exists(self.path("results")))
        absent = call("reproduce", "ifca-table1-mnist", "--data", self.path("nodata"), "--out", self.path("results"))
        self.assertEqual(absent.returncode, 1)
        self.assertIn("coterie data get mnist", absent.stderr)

    def test_data_lists_and_checks(self):
        os.makedirs(self.path("data/heart-disease"))
        self.write("a,b\n1,2\n", "data/heart-disease/heart_disease_4hospitals.csv")
        data = ("--data", self.path("data"))
        listed = call("data", "list", *data)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertRegex(listed.stdout, r"digits .*part of the program")
        self.assertRegex(listed.stdout, r"mnist .*missing")
        checked = call("data", "check", "heart-disease", *data)
        self.assertEqual(checked.returncode, 1)
        self.assertIn("1 rows, but should be 920 rows, no published checksum", checked.stdout)
        self.assertEqual(call("data", "check", "mnist", *data).returncode, 1)
        self.assertEqual(call("data", "check", "digits", *data).returncode, 0)
        byhand = call("data", "get", "beijing-air", *data)
        self.assertEqual(byhand.returncode, 1)
        self.assertIn("archive.ics.uci.edu", byhand.stderr)
        self.assertEqual(call("data", "get").returncode, 2)
        self.assertEqual(call("data", "check", "minst").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
