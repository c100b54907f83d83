"""Runs that mpirun starts: the bits of one process, resumes on other numbers of ranks, one message for each failure,
ranks that are killed. Usage: mpi_test.py PROGRAM EXAMPLES MPIRUN"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import CONFIG, EXAMPLES, PROGRAM, ProgramTest, call, contents, lines_of

MPIRUN = sys.argv[3]
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def mpirun(ranks, *arguments):
    return [MPIRUN, "--oversubscribe", "-n", str(ranks), *arguments]


def on_ranks(ranks, *arguments):
    return subprocess.run(mpirun(ranks, PROGRAM, *arguments), capture_output=True, text=True, timeout=300)


def errors(text):
    """What coterie said went wrong; mpirun adds lines of its own."""
    return re.findall(r"^(?:rank \d+ of \d+: )?error: .*", text, re.MULTILINE)


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def ranks_of(pid):
    """The ranks that mpirun has started. A child that is no coterie yet is still mpirun itself."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split() if name_of(child) == "coterie"]
    except FileNotFoundError:
        return []


def left_of(pids, seconds=10):
    """Those that still run; a kill takes a moment."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(is_running(pid) for pid in pids):
        time.sleep(0.01)
    return [pid for pid in pids if is_running(pid)]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def same(found):
    """Which fleet a run began with is in its config."""
    found = dict(found)
    found["config.toml"] = found["config.toml"].replace(b'kind = "mpi"', b'kind = "threads"')
    return found


class Mpi(ProgramTest):
    def test_same_bits_on_any_number_of_ranks(self):
        for algorithm in ("ifca", "local"):
            config = self.config(algorithm)
            reference = self.run_to(config, algorithm)
            for ranks in (1, 2, 3):
                out = self.path(f"{algorithm}-{ranks}")
                result = on_ranks(ranks, "run", config, "--fleet", "mpi", "--out", out, "--threads", "1")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(same(contents(out)), reference)
                self.assertEqual(result.stdout.count("report.html"), 1, "rank 0 alone speaks")

    def table(self, name, rows=120):
        draw = random.Random(1)
        lines = ["who,a,b,y"]
        for row in range(rows):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            lines.append(f"c{row % 6},{a:.3f},{b:.3f},{a - b + draw.gauss(0, 0.1):.3f}")
        return self.write("\n".join(lines) + "\n", name)

    def table_config(self, algorithm, file="table.csv"):
        return self.write(
            f'[data]\nsource = "csv"\nfile = "{file}"\nclient = "who"\ntarget = "y"\n'
            f'[algorithm]\nkind = "{algorithm}"\n[rounds]\ncount = 2\n')

    def test_what_clients_remember_of_a_table_is_kept_on_any_number_of_ranks(self):
        self.table("table.csv")
        config = self.table_config("knn-per")
        self.assertEqual(call("run", config, "--out", self.path("one"), "--quiet").returncode, 0)
        result = on_ranks(2, "run", config, "--fleet", "mpi", "--out", self.path("two"), "--threads", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(same(contents(self.path("two"))), contents(self.path("one")))
        kept = []
        for name in ("one", "two"):
            with open(self.path(f"{name}/models/memories.bin"), "rb") as file:
                kept.append(file.read())
        self.assertEqual(kept[1], kept[0])

    def stop_after(self, command, out, lines, signal_number):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while process.poll() is None and lines_of(os.path.join(out, "rounds.jsonl")) < lines:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)
        process.send_signal(signal_number)
        said = process.communicate(timeout=60)
        return process.returncode, said[1]

    def test_a_run_goes_on_with_other_ranks_and_without(self):
        for algorithm in ("ifca", "local"):
            config = self.config(algorithm, hidden=64, rounds=30)
            unbroken = self.run_to(config, algorithm + "-unbroken")
            out = self.path(algorithm + "-moved")
            common = ["run", config, "--out", out, "--resume", "--threads", "1"]
            for ranks, lines in ((2, 6), (3, 14), (1, 20)):
                command = mpirun(ranks, PROGRAM, *common, "--fleet", "mpi")
                status, said = self.stop_after(command, out, lines, signal.SIGUSR1)
                self.assertNotEqual(status, 0, said)
                self.assertFalse(os.path.exists(os.path.join(out, "summary.json")), "stopped too late to test anything")
            result = call(*common, "--quiet")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(same(contents(out)), unbroken)

    def test_from_threads_to_ranks(self):
        config = self.config("local", hidden=64, rounds=30)
        unbroken = self.run_to(config, "unbroken")
        out = self.path("moved")
        self.stop_after([PROGRAM, "run", config, "--out", out], out, 8, signal.SIGTERM)
        result = on_ranks(2, "run", config, "--out", out, "--resume", "--fleet", "mpi", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(contents(out), unbroken)

    def test_mistakes_are_told_once(self):
        config = self.config()
        for more, status in ((["--set", "rounds.count=-1"], 2), (["--set", "local.solver=huge"], 2), (["--bad"], 2), ([], 2)):
            fleet = ["--fleet", "mpi"] if more else []
            result = on_ranks(2, "run", config, "--out", self.path("mistake"), *fleet, *more)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertFalse(os.path.exists(self.path("mistake")))
            if more != ["--bad"]:
                self.assertEqual(len(errors(result.stderr)), 1, result.stderr)
        self.assertIn("add --fleet mpi", result.stderr)
        result = on_ranks(2, "list", "fleets")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(len(errors(result.stderr)), 1, result.stderr)

    def test_a_failing_run_is_told_once(self):
        config = self.config()
        result = on_ranks(3, "run", config, "--out", self.path("bad"), "--fleet", "mpi", "--set", "local.rate=1e30")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len(errors(result.stderr)), 1, result.stderr)

    def test_one_rank_alone_fails(self):
        config = self.config()
        script = self.write(f'#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 1 ] && set -- "$@" --seed 4\nexec {PROGRAM} "$@"\n', "other")
        os.chmod(script, 0o755)
        command = mpirun(2, script, "run", config, "--out", self.path("bad"), "--fleet", "mpi")
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(len(errors(result.stderr)), 1, result.stderr)
        self.assertIn("runs another program or config than rank 0", result.stderr)

    def apart(self, first, second):
        """Two ranks that are given different arguments."""
        script = self.write(f'#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 0 ] && exec {PROGRAM} {first}\nexec {PROGRAM} {second}\n', "apart")
        os.chmod(script, 0o755)
        return subprocess.run(mpirun(2, script), capture_output=True, text=True, timeout=120)

    def test_ranks_that_hold_other_data(self):
        config = self.table_config("fedavg")
        for name, rows in (("a", 120), ("b", 114)):
            os.makedirs(self.path(name))
            self.table(f"{name}/table.csv", rows)
        words = f"run {config} --out {self.path('out')} --fleet mpi --threads 1 --data"
        result = self.apart(f"{words} {self.path('a')}", f"{words} {self.path('b')}")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len(errors(result.stderr)), 1, result.stderr)
        self.assertIn("rank 1 of 2: it has other data than rank 0", result.stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_ranks_that_find_other_checkpoints(self):
        config = self.config("ifca", hidden=64, rounds=30)
        out = self.path("out")
        self.stop_after([PROGRAM, "run", config, "--out", out], out, 8, signal.SIGTERM)
        words = f"run {config} --resume --fleet mpi --threads 1 --out"
        result = self.apart(f"{words} {out}", f"{words} {self.path('elsewhere')}")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(len(errors(result.stderr)), 1, result.stderr)
        self.assertIn("rank 1 of 2: it finds no checkpoint in", result.stderr)

    def test_killed_ranks_leave_nothing_behind(self):
        config = self.config("local", hidden=64, rounds=120)
        unbroken = self.run_to(config, "unbroken")
        out = self.path("killed")
        chance = random.Random(1)
        command = mpirun(2, PROGRAM, "run", config, "--out", out, "--resume", "--fleet", "mpi", "--threads", "1")
        killed = 0
        for _ in range(10):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            ranks = self.started_by(process)
            time.sleep(chance.uniform(0.0, 0.6))
            if process.poll() is None:
                os.kill(chance.choice(ranks), signal.SIGKILL)
            said = process.communicate(timeout=60)[1]
            self.assertFalse(left_of(ranks), "a rank was left behind")
            if process.returncode == 0:  # a kill that came too late: the next one has a run from its start again
                shutil.rmtree(out)
                continue
            killed += 1
            self.assertLessEqual(said.count("--resume goes on"), 1, said)
            self.assertEqual(errors(said), [])
        self.assertGreater(killed, 5)
        result = on_ranks(3, "run", config, "--out", out, "--resume", "--fleet", "mpi", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(same(contents(out)), unbroken)

    def started_by(self, process):
        """Both ranks, as soon as mpirun has started them: on a busy machine that takes a while."""
        deadline = time.monotonic() + 120
        while process.poll() is None and len(ranks_of(process.pid)) < 2:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        return ranks_of(process.pid)

    def test_runs_of_a_sweep_are_spread(self):
        text = CONFIG.format(algorithm="ifca", hidden=8, rounds=4) + "[sweep]\nseed = [1, 2, 3]\n"
        config = self.write(text)
        self.assertEqual(call("run", config, "--out", self.path("alone"), "--quiet").returncode, 0)
        result = on_ranks(2, "run", config, "--out", self.path("spread"), "--spread", "runs")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("compare.html"), 1)
        runs = [name for name in sorted(os.listdir(self.path("alone"))) if os.path.isdir(self.path(f"alone/{name}"))]
        self.assertEqual(len(runs), 3)
        for run in runs:
            self.assertEqual(contents(self.path(f"spread/{run}")), contents(self.path(f"alone/{run}")))

    def test_candidates_of_a_fit_are_shared(self):
        table = os.path.join(EXAMPLES, "heart-disease.csv")
        words = ["fit", table, "--client", "hospital", "--target", "disease", "--quiet"]
        self.assertEqual(call(*words, "--out", self.path("alone")).returncode, 0)
        self.assertNotEqual(on_ranks(2, *words, "--out", self.path("refused")).returncode, 0)
        result = on_ranks(2, *words, "--out", self.path("shared"), "--spread", "runs")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = []
        for name in ("alone", "shared"):
            with open(self.path(f"{name}/decision.json")) as file:
                found.append(re.sub(r'"(run|seconds)": .*', "", file.read().replace(name, "")))
        self.assertEqual(found[1], found[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
