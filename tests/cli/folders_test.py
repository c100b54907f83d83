"""Run folders: what a run may write and replace, and what it leaves behind. Usage: folders_test.py PROGRAM EXAMPLES"""

import csv
import fcntl
import json
import os
import sys
import unittest

from program import call, CONFIG, contents, ProgramTest


class Folders(ProgramTest):
    TABLE = "site,x,colour,y\n" + "".join(
        f'"{site}",{x},{colour},{label}\n'
        for site, rows in (("north, east", 6), ("south", 6), ("tiny", 2))
        for x, colour, label in [(i, "red" if i % 2 else "blue", "yes" if i > 2 else "no") for i in range(rows)])

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

    def test_a_run_of_tiers_records_its_clients_its_splits_and_the_likelihood(self):
        config = self.write("""
[[shift]]
kind = "permute-labels"
rule = "add"
offsets = [0, 3]
[[shift]]
kind = "corrupt"
types = ["none", "contrast"]
severities = [3]
[clients]
count = 8
reuse = "per-cluster"
partition = "dirichlet"
rule = "symmetric"
alpha = 5.0
[model]
kind = "mlp"
hidden = [16]
[clusters]
count = 1
init = "random"
[algorithm]
kind = "hcfl-plus"
[algorithm.hcfl-plus]
rho = 0.05
least_samples = 5
[local]
solver = "sgd"
rate = 0.5
batch = 16
[rounds]
count = 8
""")
        self.run_to(config, "out")
        with open(self.path("out/clients.csv")) as file:
            clients = [client for client in csv.DictReader(file) if client["role"] == "train"]
        with open(self.path("out/events.jsonl")) as file:
            splits = [event for event in map(json.loads, file) if event["kind"] == "split"]
        with open(self.path("out/rounds.jsonl")) as file:
            rounds = list(map(json.loads, file))
        with open(self.path("out/summary.json")) as file:
            clusters = json.load(file)["clusters"]
        shifts = [client["shifts"].split("; ") for client in clients]
        self.assertEqual(len({concept for concept, _ in shifts}), 2, shifts)
        self.assertEqual(len({camera for _, camera in shifts}), 2, shifts)
        for client in clients:
            self.assertEqual(sum(map(int, client["labels"].split())), int(client["samples"]))
            weights = list(map(float, client["weights"].split()))
            self.assertEqual(len(weights), clusters)
            self.assertAlmostEqual(sum(weights), 1, 6)
        self.assertEqual(len(splits), clusters - 1, "and no removal, in so few rounds")
        self.assertGreater(len(splits), 0)
        for split in splits:
            self.assertGreaterEqual(split["largest"] - split["mean"], 0.05, split)
        self.assertLess(rounds[0]["log_likelihood"], rounds[-1]["log_likelihood"])

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

    def test_a_page_that_cannot_be_written_costs_no_result(self):
        config = self.config("fedavg", rounds=1)
        for name in ("s/seed=1/report.html", "s/compare.html"):
            os.makedirs(self.path(name))  # a folder is in the way
        with open(self.path("s/seed=1/.coterie-run"), "w"):
            pass
        result = call("run", config, "--out", self.path("s"), "--set", "sweep.seed=[1, 2]")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("warning: all results are there, but a page is not"), 2, result.stderr)
        self.assertIn("report " + self.path("s/seed=1"), result.stderr)
        self.assertTrue(os.path.isfile(self.path("s/seed=2/report.html")))
        self.assertNotIn("Open", result.stdout)

    def test_failures_of_the_disk_are_told_in_plain_words(self):
        config = self.config("fedavg", rounds=1)
        long = "x" * 300
        outs = [long, "y/" * 3000 + "z", "exp.toml/below", f"a/{long}/b"]
        for out in outs:
            for more in ([], ["--resume"], ["--force"], ["--set", "sweep.seed=[1, 2]"]):
                result = call("run", config, "--out", self.path(out), *more)
                self.assertIn(result.returncode, (1, 2))
                self.assert_plain(result.stderr)
        self.assertIn("the name is too long", call("run", config, "--out", self.path(long)).stderr)
        self.assertIn("is not a folder", call("run", config, "--out", self.path("exp.toml/below")).stderr)
        for text in (f"data.file={long}", f"clusters.file.path={'y/' * 3000}", "name=" + "n" * 100000):
            result = call("run", config, "--out", self.path("o"), "--set", text, "--set", "clusters.init=file",
                          "--set", "algorithm.kind=ifca")
            self.assertNotEqual(result.returncode, 0)
            self.assert_plain(result.stderr)
        for command in (["compare", self.path(long)], ["report", "z/" * 3000], ["run", long],
                        ["--plugin", self.path(long), "list"]):
            result = call(*command)
            self.assertNotEqual(result.returncode, 0)
            self.assert_plain(result.stderr)

    def test_damaged_files_of_a_run_are_told_in_plain_words(self):
        config = self.config("ifca", rounds=1)
        self.run_to(config, "out")
        for name in ("summary.json", "rounds.jsonl", "clients.csv", "models/cluster-0.safetensors", "events.jsonl"):
            with open(self.path("out/" + name), "rb") as file:
                whole = file.read()
            for damaged in (b"", whole[: len(whole) // 2], b"\xff" * 100, b"[" * 100000, b"{}", b"x" * 5000000):
                with open(self.path("out/" + name), "wb") as file:
                    file.write(damaged)
                for command in (["report", self.path("out")], ["compare", self.path("out")],
                                ["run", config, "--out", self.path("other"), "--force", "--set", "clusters.init=file",
                                 "--set", "clusters.file.path=" + self.path("out")]):
                    self.assert_plain(call(*command).stderr)
            with open(self.path("out/" + name), "wb") as file:
                file.write(whole)

    def assert_plain(self, text):
        self.assertLess(len(text), 4000, text[:2000])
        for raw in ("filesystem", "json.exception", "basic_", "std::", "max_size", "defect of coterie", "terminate"):
            self.assertNotIn(raw, text[:4000])

    def test_a_table_of_ones_own(self):
        os.makedirs(self.path("elsewhere"))
        self.write(self.TABLE, "elsewhere/own.csv")
        config = self.write('[data]\nsource = "csv"\nfile = "own.csv"\nclient = "site"\ntarget = "y"\n'
                            '[algorithm]\nkind = "oracle"\n[rounds]\ncount = 2\n', "elsewhere/exp.toml")
        result = call("run", config, "--out", self.path("out"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no true clusters are known: oracle treats all clients as one cluster", result.stderr)
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
        with open(self.path("out/split.csv"), newline="") as file:
            split = list(csv.DictReader(file))
        self.assertEqual([int(row["row"]) for row in split], list(range(1, 15)))
        self.assertEqual([row["name"] for row in split], ["north, east"] * 6 + ["south"] * 6 + ["tiny"] * 2)
        x = [0, 1, 2, 3, 4, 5] * 2 + [0, 1]
        train = [x[i] for i, row in enumerate(split) if row["part"] == "train"]
        self.assertLess(len(train), len(x))
        self.assertAlmostEqual(schema["features"][0]["mean"], sum(train) / len(train))
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
