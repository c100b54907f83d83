"""What the tests of the program share: how it is called, a small config, and all of a run that must not vary."""

import json
import os
import subprocess
import sys
import tempfile
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
init = "random"
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


def lines_of(log):
    """Whole lines of a file that a program writes, makes anew, or has not made yet."""
    try:
        with open(log, "rb") as file:
            return file.read().count(b"\n")
    except FileNotFoundError:
        return 0


def contents(folder):
    found = {}
    models = os.path.join(folder, "models")
    saved = sorted(os.listdir(models)) if os.path.isdir(models) else []  # personal models stay with the clients
    for name in SAME + [os.path.join("models", f) for f in saved]:
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    with open(os.path.join(folder, "summary.json")) as file:
        summary = json.load(file)
    for varying in ("seconds", "seconds_per_round", "ranks", "seconds_waited", "bytes_merged", "threads", "peak_rss_bytes", "checksum", "checksums"):
        summary.pop(varying)
    found["summary.json"] = summary
    return found


class ProgramTest(unittest.TestCase):
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
