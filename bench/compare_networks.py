#!/usr/bin/python3
"""Times rounds of convolutional networks in Coterie and in bench/peers/networks.py: from the same models, to the same losses.

usage: compare_networks.py PROGRAM [--only TEXT] [--cpu]
  PROGRAM  build/coterie, with the add-on torch beside it (make torch); without the add-on nothing is timed

Python is timed with one thread and with all, and the better counts. `--cpu` compares seconds of one core instead of those of a
clock, for machines that others use too: one thread each.
"""

import argparse
import csv
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = os.path.join(HERE, "peers", "networks.py")
RATE = {"small-cnn": 0.05, "ifca-cnn": 0.02, "femnist-cnn": 0.01}
ROUNDS = 4

# name, network, variant of the peer, clients, samples, models, what Coterie is told besides
CASES = [
    ("IFCA, small CNN", "small-cnn", "ifca", 16, 50, 2, ["algorithm.kind=ifca"]),
    ("IFCA, IFCA's CNN", "ifca-cnn", "ifca", 8, 50, 2, ["algorithm.kind=ifca"]),
    ("IFCA, FEMNIST's CNN", "femnist-cnn", "ifca", 8, 10, 2, ["algorithm.kind=ifca"]),
    ("FedEM, small CNN", "small-cnn", "fedem", 8, 50, 3, ["algorithm.kind=fedem", "algorithm.fedem.means=samples"]),
    ("three heads, small CNN", "small-cnn", "heads", 8, 50, 3,
     ["algorithm.kind=fedem", "algorithm.fedem.extractor=true", "algorithm.fedem.means=samples"]),
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def cores():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peer_python():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy, torch"], capture_output=True).returncode == 0:
            return python
    raise SystemExit("error: no PyTorch here: tools/install_packages.sh tools/packages-bench.txt installs it")


class Case:
    def __init__(self, program, python, folder, case):
        self.name, self.network, self.variant, self.clients, self.samples, self.models, self.told = case
        self.program, self.folder = program, folder
        self.call = [python, "-B", PEER, "--folder", folder, "--network", self.network, "--variant", self.variant, "--clients",
                     str(self.clients), "--samples", str(self.samples), "--models", str(self.models)]
        run(*self.call, "--make")

    def peer(self, threads, rounds=ROUNDS):
        lines = run(*self.call, "--threads", str(threads), "--rounds", str(rounds), "--warmup", "0").splitlines()
        return json.loads(lines[0])["seconds_per_round"], json.loads(lines[1])["loss"]

    def coterie(self, threads, rounds=ROUNDS):
        out = os.path.join(self.folder, "run")
        settings = [f"model.kind={self.network}", f"local.rate={RATE[self.network]}", f"clusters.count={self.models}",
                    f"clusters.file.path={self.folder}/models", f"rounds.count={rounds}", *self.told]
        run(self.program, "run", os.path.join(HERE, "configs", "networks.toml"), "--quiet", "--force", "--out", out, "--threads",
            str(threads), "--data", self.folder, *(part for one in settings for part in ("--set", one)))
        with open(os.path.join(out, "times.csv")) as file:
            times = [float(row["seconds"]) for row in csv.DictReader(file)]
        loss = json.loads(run(*self.call, "--judge", os.path.join(out, "models")))["loss"]
        return statistics.median(times), loss

    def seconds_of_core(self, work):
        """A round's: those of more rounds less those of one."""
        begun = cores()
        work(1, rounds=1)
        one = cores() - begun
        begun = cores()
        work(1, rounds=1 + ROUNDS)
        return (cores() - begun - one) / ROUNDS


def check(case):
    """Both train alike: the losses after some rounds hardly differ."""
    theirs, ours = case.peer(1)[1], case.coterie(1)[1]
    if abs(theirs - ours) > 1e-3 * theirs:
        raise SystemExit(f"error: {case.name}: the loss is {theirs} in Python, but {ours} here")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="only cases whose name has this text")
    parser.add_argument("--cpu", action="store_true", help="seconds of one core")
    args = parser.parse_args()
    if not os.path.exists(os.path.join(os.path.dirname(args.program), "coterie-add-ons", "torch.so")):
        print("networks: left out, since the add-on torch is not built (make torch)")
        return
    python, threads = peer_python(), os.cpu_count()
    print(f"{'seconds a round':<26} {'Python':>9} {'Coterie, 1':>11} {'':>7} {f'Coterie, {threads}':>11} {'':>7}")
    for case in CASES:
        if args.only not in case[0]:
            continue
        with tempfile.TemporaryDirectory(prefix="coterie-bench-") as folder:
            one = Case(args.program, python, folder, case)
            if args.cpu:
                check(one)
                theirs, ours = one.seconds_of_core(one.peer), one.seconds_of_core(one.coterie)
                print(f"{one.name:<26} {theirs:>9.3f} {ours:>11.3f} {theirs / ours:>6.2f}x", flush=True)
                continue
            theirs = min(one.peer(t)[0] for t in (1, threads))
            alone, together = one.coterie(1)[0], one.coterie(threads)[0]
            check(one)
            print(f"{one.name:<26} {theirs:>9.3f} {alone:>11.3f} {theirs / alone:>6.2f}x {together:>11.3f} "
                  f"{theirs / together:>6.2f}x", flush=True)


if __name__ == "__main__":
    main()
