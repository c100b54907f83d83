#!/usr/bin/env python3
"""How far the confidence of `coterie assign` can be trusted: on generated tables, the mean confidence of new clients and
the share of them that are in the right cluster, by confidence.

Each table has 30 training clients in three planted groups; IFCA learns them, and 200 new clients of few rows are
assigned. Groups are far apart, near, or loose (far apart, but every client differs from its group a little); rows are
few or many; classes and numbers are predicted. Tables whose groups the run did not find (fewer than 90 % of the training
clients are in the cluster of their group) are left out, with their number: there is nothing to be right about. Prints
tables for docs/models.md.

  bench/assign.py PROGRAM [--seeds N] [--first SEED]
"""

import argparse
import collections
import csv
import io
import os
import random
import subprocess
import tempfile

CONFIG = """
seed = {seed}
[data]
source = "csv"
file = "{table}"
client = "who"
target = "y"
task = "{task}"
[model]
kind = "{model}"
intercept = true
[clusters]
count = 3
init = "restarts"
[algorithm]
kind = "ifca"
[local]
rate = 0.1
epochs = 2
[rounds]
count = 20
"""

WIDTH = 4
GROUPS, TRAINING, NEW = 3, 30, 200
# How far groups are apart, and clients within a group.
KINDS = {"far": (1.0, 0.0), "near": (0.5, 0.0), "loose": (1.0, 0.5)}
ROWS = [2, 5, 15]
BINS = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0000001]


def line(draw, name, weights, task):
    x = [draw.gauss(0, 1) for _ in range(WIDTH)]
    score = sum(w * value for w, value in zip(weights, x))
    y = int(score + draw.gauss(0, 1) > 0) if task == "classification" else score + draw.gauss(0, 1)
    return f"{name}," + ",".join(f"{value:.6f}" for value in x) + f",{y}\n"


def tables(seed, task, apart, within):
    """Training rows, and new rows by their number; a client's group is its number modulo the groups."""
    draw = random.Random(seed)
    common = [draw.gauss(0, 1) for _ in range(WIDTH)]
    weights = [[c + 2 * apart * draw.gauss(0, 1) for c in common] for _ in range(GROUPS)]
    def client(i, name, rows):
        own = [w + within * draw.gauss(0, 1) for w in weights[i % GROUPS]]
        return "".join(line(draw, name, own, task) for _ in range(rows))

    header = "who," + ",".join(f"x{j}" for j in range(WIDTH)) + ",y\n"
    training = header + "".join(client(i, f"c{i}", 60) for i in range(TRAINING))
    return training, {rows: header + "".join(client(i, f"n{i}", rows) for i in range(NEW)) for rows in ROWS}


def assigned(program, seed, task, kind, folder):
    """(rows, confidence, right) of every new client; nothing when the run did not find the groups."""
    training, new = tables(seed, task, *KINDS[kind])
    table, config, out = (os.path.join(folder, name) for name in ("table.csv", "config.toml", "run"))
    with open(table, "w") as file:
        file.write(training)
    model = "softmax" if task == "classification" else "linear"
    with open(config, "w") as file:
        file.write(CONFIG.format(seed=seed, table=table, task=task, model=model))
    subprocess.run([program, "run", config, "--out", out, "--force", "--quiet"], check=True)
    with open(os.path.join(out, "clients.csv"), newline="") as file:
        votes = collections.Counter((int(one["name"][1:]) % GROUPS, one["cluster"]) for one in csv.DictReader(file))
    cluster_of = {group: cluster for (group, cluster), _ in reversed(votes.most_common())}  # the most common last
    found = sum(votes[place] for place in cluster_of.items())
    if len(set(cluster_of.values())) < GROUPS or found < 0.9 * TRAINING:
        return None
    told = []
    for rows, text in new.items():
        path = os.path.join(folder, "new.csv")
        with open(path, "w") as file:
            file.write(text)
        result = subprocess.run([program, "assign", out, "--data", path], check=True, capture_output=True, text=True)
        for i, one in enumerate(csv.DictReader(io.StringIO(result.stdout))):
            told.append((rows, float(one["confidence"]), one["cluster"] == cluster_of[i % GROUPS]))
    return told


def row(name, told):
    confidence = sum(one[1] for one in told) / len(told)
    right = sum(one[2] for one in told) / len(told)
    return f"| {name} | {len(told)} | {confidence:.3f} | {right:.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--first", type=int, default=1)
    arguments = parser.parse_args()
    told, lost = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for task in ("classification", "regression"):
            for name in KINDS:
                for seed in range(arguments.first, arguments.first + arguments.seeds):
                    some = assigned(arguments.program, seed, task, name, folder)
                    lost += some is None
                    told += [(task, name, *one) for one in some or []]
    print("| new clients | number | mean confidence | share that is right |\n|---|---|---|---|")
    for task in ("classification", "regression"):
        for name in KINDS:
            for rows in ROWS:
                cell = [one[2:] for one in told if one[:3] == (task, name, rows)]
                if cell:
                    print(row(f"{task}, groups {name}, {rows} rows", cell))
    print()
    print("| confidence | number | mean confidence | share that is right |\n|---|---|---|---|")
    error = 0
    for low, high in zip(BINS, BINS[1:]):
        cell = [one[2:] for one in told if low <= one[3] < high]
        if cell:
            print(row(f"{low} to {min(high, 1):.2g}", cell))
            error += abs(sum(one[1] - one[2] for one in cell)) / len(told)
    runs = 2 * len(KINDS) * arguments.seeds
    print(f"\nExpected calibration error {error:.3f}; {len(told)} new clients; {lost} of {runs} runs did not find the "
          "groups and are left out.")


if __name__ == "__main__":
    main()
