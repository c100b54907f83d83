"""The program as a user meets it: run, resume after kill -9, errors, exit status. Usage: cli_test.py PROGRAM EXAMPLES"""

import csv
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv[1]
EXAMPLES = sys.argv[2]

CONFIG = """
name = "small"
seed = 3
[[shift]]
kind = "rotate"
angles = [0, 180]
[clients]
count = 20
reuse = "per-cluster"
[unseen]
count = 2
[model]
kind = "mlp"
hidden = [{hidden}]
[clusters]
count = 2
[algorithm]
kind = "{algorithm}"
[local]
momentum = 0.9
momentum_survives = true
rate = 0.02
[rounds]
count = {rounds}
participation = 0.6
[checkpoint]
every = 4
"""

# What must be the same byte for byte; summary.json also holds times.
SAME = ["config.toml", "rounds.jsonl", "events.jsonl", "clients.csv"]


def call(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, **options)


def contents(folder):
    found = {}
    models = os.path.join(folder, "models")
    saved = sorted(os.listdir(models)) if os.path.isdir(models) else []  # personal models stay with the clients
    for name in SAME + [os.path.join("models", f) for f in saved]:
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    with open(os.path.join(folder, "summary.json")) as file:
        summary = json.load(file)
    for varying in ("seconds", "seconds_per_round", "threads", "peak_rss_bytes"):
        summary.pop(varying)
    found["summary.json"] = summary
    return found


class Cli(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="coterie-cli-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, text, name="exp.toml"):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def config(self, algorithm="ifca", hidden=8, rounds=12):
        return self.write(CONFIG.format(algorithm=algorithm, hidden=hidden, rounds=rounds))

    def run_to(self, config, name, *more):
        result = call("run", config, "--out", self.path(name), "--quiet", *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout + result.stderr, "")
        return contents(self.path(name))

    def test_same_bits_at_any_number_of_threads_and_through_scrambling(self):
        for algorithm in ("ifca", "local"):
            config = self.config(algorithm)
            reference = self.run_to(config, algorithm + "1", "--threads", "1")
            for threads in ("2", "7"):
                self.assertEqual(self.run_to(config, algorithm + threads, "--threads", threads), reference)
            single = self.run_to(config, algorithm + "single", "--set", "fleet.block=1")
            scrambled = self.run_to(config, algorithm + "scrambled", "--set", "fleet.block=1", "--fleet", "scramble")
            single.pop("config.toml"), scrambled.pop("config.toml")
            self.assertEqual(scrambled, single)

    def test_resolved_config_gives_the_same_bits(self):
        first = self.run_to(self.config(), "first")
        again = self.run_to(self.path("first/config.toml"), "again")
        self.assertEqual(again, first)

    def test_killed_at_three_moments_and_resumed(self):
        for algorithm in ("ifca", "local"):
            config = self.config(algorithm, hidden=64, rounds=40)
            unbroken = self.run_to(config, algorithm + "-unbroken")
            out = self.path(algorithm + "-killed")
            # Before the first checkpoint, in the middle, and shortly before the end.
            for lines in (2, 15, 28):
                self.kill_after(config, out, lines)
                self.assertFalse(os.path.exists(os.path.join(out, "summary.json")), "killed too late to test anything")
            result = call("run", config, "--out", out, "--quiet", "--resume")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(contents(out), unbroken)
            with open(os.path.join(out, "times.csv")) as file:
                rounds = [row.split(",")[0] for row in file]
            self.assertEqual(rounds, ["round"] + [str(t) for t in range(1, 41)], "the time of each round, once")

    def kill_after(self, config, out, lines):
        process = subprocess.Popen([PROGRAM, "run", config, "--out", out, "--quiet", "--resume"])
        log = os.path.join(out, "rounds.jsonl")
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if os.path.exists(log):
                with open(log, "rb") as file:
                    if file.read().count(b"\n") >= lines:
                        break
            time.sleep(0.0005)
        process.kill()
        process.wait()

    def test_stopped_politely_and_resumed(self):
        config = self.config(hidden=64, rounds=40)
        unbroken = self.run_to(config, "unbroken")
        out = self.path("stopped")
        process = subprocess.Popen([PROGRAM, "run", config, "--out", out, "--quiet", "--force"], stderr=subprocess.PIPE, text=True)
        while not os.path.exists(os.path.join(out, "rounds.jsonl")) and process.poll() is None:
            time.sleep(0.0005)
        process.send_signal(signal.SIGTERM)
        message = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("stopping after this round", message)
        command = message.splitlines()[-1]  # is what goes on, whatever the first command was
        result = subprocess.run(command, shell=True, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(contents(out), unbroken)

    def test_stopped_during_its_start(self):
        config = self.config(hidden=64, rounds=2)
        out = self.path("stopped")
        process = subprocess.Popen([PROGRAM, "run", config, "--out", out, "--force", "--set", "clusters.init=restarts",
                                    "--set", "clusters.restarts.trials=200", "--set", "clusters.restarts.rounds=200"],
                                   stderr=subprocess.PIPE, text=True)
        log = os.path.join(out, "rounds.jsonl")
        while not os.path.exists(log) and process.poll() is None:
            time.sleep(0.0005)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 1)
        self.assertTrue(message.splitlines()[-1].endswith("--resume"), message)
        self.assertNotIn("--force", message)

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

    def test_a_folder_with_a_run_is_not_overwritten(self):
        config = self.config(rounds=2)
        first = self.run_to(config, "out")
        result = call("run", config, "--out", self.path("out"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("--force", result.stderr)
        self.assertEqual(contents(self.path("out")), first)
        with open(self.path("out/mine.txt"), "w") as file:
            file.write("keep me")
        self.run_to(config, "out", "--force", "--set", "rounds.count=3")
        self.assertTrue(os.path.exists(self.path("out/mine.txt")), "--force removes what a run wrote, nothing else")

    def test_files_that_no_run_wrote_are_never_touched(self):
        config = self.config(rounds=1)
        mine = ["config.toml", "clients.csv", "summary.json", "models/cluster-0.safetensors", "checkpoint/mine"]
        for name in mine:
            os.makedirs(os.path.dirname(self.path("mine/" + name)), exist_ok=True)
            self.write("mine", "mine/" + name)
        for more in ([], ["--force"], ["--resume"], ["--force", "--set", "sweep.seed=[1, 2]"]):
            result = call("run", config, "--out", self.path("mine"), *more)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("not empty", result.stderr)
        os.makedirs(self.path("here"))
        own = self.write(CONFIG.format(algorithm="fedavg", hidden=8, rounds=1), "here/config.toml")
        self.assertEqual(call("run", "config.toml", "--out", ".", "--force", cwd=self.path("here")).returncode, 2)
        with open(own) as file:
            self.assertIn("[[shift]]", file.read())
        for name in mine:
            with open(self.path("mine/" + name)) as file:
                self.assertEqual(file.read(), "mine", name)

    def test_one_program_writes_a_folder_at_a_time(self):
        config = self.config(rounds=2)
        first = self.run_to(config, "out")
        with open(self.path("out/.coterie-run"), "r+") as mark:
            fcntl.flock(mark, fcntl.LOCK_EX)
            result = call("run", config, "--out", self.path("out"), "--force")
            self.assertEqual(result.returncode, 1)
            self.assertIn("another program is writing to", result.stderr)
            self.assertEqual(contents(self.path("out")), first)
        self.run_to(config, "out", "--force")

    def test_a_sweep_replaces_its_own_runs_only(self):
        config = self.config("fedavg", rounds=1)
        sweep = ["--out", self.path("s"), "--quiet", "--set"]
        self.assertEqual(call("run", config, *sweep, "sweep.seed=[1, 2, 3]").returncode, 0)
        self.run_to(config, "s/other")
        self.assertEqual(call("run", config, *sweep, "sweep.seed=[1, 4]").returncode, 2)
        result = call("run", config, *sweep, "sweep.seed=[1, 4]", "--force")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(os.listdir(self.path("s"))), ["compare.html", "other", "seed=1", "seed=4", "sweep.json"])
        result = call("run", config, "--out", self.path("s"), "--force")
        self.assertEqual(result.returncode, 2)
        self.assertIn("holds a sweep", result.stderr)

    TABLE = "site,x,colour,y\n" + "".join(
        f'"{site}",{x},{colour},{label}\n'
        for site, rows in (("north, east", 6), ("south", 6), ("tiny", 2))
        for x, colour, label in [(i, "red" if i % 2 else "blue", "yes" if i > 2 else "no") for i in range(rows)])

    def test_a_table_of_ones_own(self):
        os.makedirs(self.path("elsewhere"))
        self.write(self.TABLE, "elsewhere/own.csv")
        config = self.write('[data]\nsource = "csv"\nfile = "own.csv"\nclient = "site"\ntarget = "y"\n'
                            '[algorithm]\nkind = "oracle"\n[rounds]\ncount = 2\n', "elsewhere/exp.toml")
        result = call("run", config, "--out", self.path("out"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no true clusters are known: oracle is FedAvg here", result.stderr)
        self.assertNotIn("Rand", result.stdout)
        with open(self.path("out/summary.json")) as file:
            summary = json.load(file)
        self.assertEqual([summary[name] for name in ("clients", "ari", "nmi", "cluster_accuracy", "worst_cluster",
                                                     "test_accuracy")], [3, None, None, None, None, None])
        with open(self.path("out/clients.csv"), newline="") as file:
            clients = list(csv.DictReader(file))
        self.assertEqual([(c["name"], c["role"]) for c in clients],
                         [("north, east", "train"), ("south", "train"), ("tiny", "train")])
        with open(self.path("out/schema.json")) as file:
            schema = json.load(file)
        self.assertEqual(schema["task"], "classification")
        self.assertEqual(schema["target"], {"column": "y", "classes": ["no", "yes"]})
        self.assertEqual([(f["column"], f.get("value")) for f in schema["features"]],
                         [("x", None), ("colour", "blue"), ("colour", "red")])
        x = [0, 1, 2, 3, 4, 5] * 2 + [0, 1]
        self.assertAlmostEqual(schema["features"][0]["mean"], sum(x) / len(x))
        self.assertEqual(schema["models"], ["models/cluster-0.safetensors"])
        with open(self.path("out/report.html")) as file:
            page = file.read()
        self.assertIn("north, east (client 0)", page)
        self.assertNotIn("Found against true clusters", page)
        misfit = call("run", config, "--out", self.path("linear"), "--set", "model.kind=linear")
        self.assertEqual(misfit.returncode, 2)
        self.assertIn('data.task = "regression"', misfit.stderr)
        dealt = call("run", config, "--out", self.path("iid"), "--set", "clients.partition=iid", "--set", "clients.count=2")
        self.assertIn("note: the data says who owns each sample", dealt.stderr)

    def test_resume_refuses_another_config_finished_or_not(self):
        config = self.config(rounds=4)
        first = self.run_to(config, "out")
        for _ in range(2):
            result = call("run", config, "--out", self.path("out"), "--resume", "--set", "local.rate=0.5")
            self.assertEqual(result.returncode, 2)
            self.assertIn("another config (local.rate = 0.02 there, 0.5 here)", result.stderr)
            if os.path.exists(self.path("out/summary.json")):
                os.remove(self.path("out/summary.json"))
        # How often it is saved changes no bit.
        self.assertEqual(self.run_to(config, "out", "--resume", "--set", "checkpoint.every=3"), first)

    def test_a_run_can_be_made_longer(self):
        for algorithm in ("ifca", "local"):
            whole = self.run_to(self.config(algorithm, rounds=7), algorithm + "-whole")
            self.run_to(self.config(algorithm, rounds=3), algorithm)
            self.assertEqual(self.run_to(self.config(algorithm, rounds=7), algorithm, "--resume"), whole)
            shorter = call("run", self.config(algorithm, rounds=5), "--out", self.path(algorithm), "--resume")
            self.assertEqual(shorter.returncode, 2)
            self.assertIn("rounds.count = 7 there, 5 here", shorter.stderr)

    def test_one_failing_run_of_a_sweep_costs_that_run(self):
        config = self.write(CONFIG.format(algorithm="ifca", hidden=8, rounds=3) + '[sweep]\n"local.rate" = [0.1, 1e30, 0.2]\n')
        result = call("run", config, "--out", self.path("sweep"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("error: rate=1e+30: ", result.stderr)
        for name in ("rate=0.1", "rate=0.2"):
            self.assertTrue(os.path.exists(self.path(f"sweep/{name}/report.html")), name)
        self.assertTrue(os.path.exists(self.path("sweep/compare.html")))
        compared = call("compare", self.path("sweep"), "--html", self.path("new/page.html"))
        for text in (compared.stdout, result.stdout):
            self.assertIn("1 run not finished: " + self.path("sweep/rate=1e+30"), text)
        self.assertIn(self.path("new/page.html"), compared.stdout)
        self.assertEqual(result.stderr.count("warning: "), 1, result.stderr)
        with open(self.path("sweep/rate=1e+30/events.jsonl")) as file:
            self.assertIn("not finite", file.read(), "the reasons are kept")

    def test_a_sweep_of_seeds_has_one_folder(self):
        config = self.config(rounds=2)
        result = call("run", config, "--set", "sweep.seed=[1, 2]", cwd=self.folder.name)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(os.listdir(self.path("runs")), ["small-1"])
        self.assertEqual(sorted(os.listdir(self.path("runs/small-1"))), ["compare.html", "seed=1", "seed=2", "sweep.json"])

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
        self.assertIn("lower local.rate", result.stderr)

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

    def test_every_example_is_well_formed(self):
        names = [n for n in sorted(os.listdir(EXAMPLES)) if n.endswith(".toml")]
        self.assertGreater(len(names), 1)
        for name in names:
            result = call("run", os.path.join(EXAMPLES, name), "--out", self.path(name), "--quiet", "--set", "rounds.count=1")
            self.assertEqual(result.returncode, 0, name + ": " + result.stderr)

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

    def test_reproduce_goes_on_after_a_kill(self):
        arguments = ["reproduce", "small-table1", *self.papers(rounds=40, hidden=64), "--quiet"]
        log = self.path("results/small-table1/runs/ifca/seed-0/rounds.jsonl")
        process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL)
        while process.poll() is None:
            if os.path.exists(log):
                with open(log) as file:
                    if sum(1 for _ in file) >= 10:
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

    def test_list_documents_options(self):
        result = call("list", "algorithms", "ifca")
        self.assertIn("average", result.stdout)
        self.assertIn("models", result.stdout)
        self.assertIn("[clusters.restarts]", call("list", "inits", "restarts").stdout)
        rounds = call("list", "sections", "rounds").stdout
        self.assertIn("[rounds]", rounds)
        self.assertNotIn("[clients]", rounds)
        self.assertEqual(call("list", "algorithms", "--names").stdout.split(),
                         ["fedavg", "fedprox", "ifca", "local", "one-shot", "oracle"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
