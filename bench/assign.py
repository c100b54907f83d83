#!/usr/bin/env python3
"""How far the confidence of `coterie assign` can be trusted: on generated tables, the mean confidence of new clients and
the share of them that are in the right cluster, by confidence.

Each table has 30 training clients in three planted groups; IFCA learns them, and 200 new clients of few rows are
assigned. Groups are near or far apart, rows are few or many; classes and numbers are predicted. Tables whose groups the
run did not find (ARI below 0.9 on the training clients) are left out, with their number: there is nothing to be right
about. Prints a table for docs/models.md.

  bench/assign.py PROGRAM [--seeds N]
"""

import argparse
import collections
import csv
import io
import json
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
HARD = {"far": 1.0, "near": 0.5}
ROWS = [2, 5, 15]
BINS = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0000001]


def line(draw, name, weights, task):
    x = [draw.gauss(0, 1) for _ in range(WIDTH)]
    score = sum(w * value for w, value in zip(weights, x))
    y = int(score + draw.gauss(0, 1) > 0) if task == "classification" else score + draw.gauss(0, 1)
    return f"{name}," + ",".join(f"{value:.6f}" for value in x) + f",{y}\n"


def tables(seed, task, apart):
    """Training rows, and new rows by their number; a client's group is its number modulo the groups."""
    draw = random.Random(seed)
    common = [draw.gauss(0, 1) for _ in range(WIDTH)]
    weights = [[c + 2 * apart * draw.gauss(0, 1) for c in common] for _ in range(GROUPS)]
    header = "who," + ",".join(f"x{j}" for j in range(WIDTH)) + ",y\n"
    training = header + "".join(
        line(draw, f"c{i}", weights[i % GROUPS], task) for i in range(TRAINING) for _ in range(60))
    new = {
        rows: header + "".join(
            line(draw, f"n{i}", weights[i % GROUPS], task) for i in range(NEW) for _ in range(rows))
        for rows in ROWS
    }
    return training, new


def assigned(program, seed, task, apart, folder):
    """(rows, confidence, right) of every new client; nothing when the run did not find the groups."""
    training, new = tables(seed, task, apart)
    table, config, out = (os.path.join(folder, name) for name in ("table.csv", "config.toml", "run"))
    with open(table, "w") as file:
        file.write(training)
    model = "softmax" if task == "classification" else "linear"
    with open(config, "w") as file:
        file.write(CONFIG.format(seed=seed, table=table, task=task, model=model))
    subprocess.run([program, "run", config, "--out", out, "--force", "--quiet"], check=True)
    with open(os.path.join(out, "clients.csv"), newline="") as file:
        votes = collections.Counter((int(one["name"][1:]) % GROUPS, one["cluster"]) for one in csv.DictReader(file))
    cluster_of = {group: cluster for (group, cluster), count in votes.items() if count == TRAINING // GROUPS}
    if len(set(cluster_of.values())) < GROUPS:
        return None
    with open(os.path.join(out, "assign.json")) as file:
        temperature = json.load(file)["temperature"]
    told = []
    for rows, text in new.items():
        path = os.path.join(folder, "new.csv")
        with open(path, "w") as file:
            file.write(text)
        result = subprocess.run([program, "assign", out, "--data", path], check=True, capture_output=True, text=True)
        for i, one in enumerate(csv.DictReader(io.StringIO(result.stdout))):
            told.append((rows, float(one["confidence"]), one["cluster"] == cluster_of[i % GROUPS], temperature))
    return told


def row(name, told):
    confidence = sum(one[1] for one in told) / len(told)
    right = sum(one[2] for one in told) / len(told)
    return f"| {name} | {len(told)} | {confidence:.3f} | {right:.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    told, lost = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for task in ("classification", "regression"):
            for name, apart in HARD.items():
                for seed in range(1, arguments.seeds + 1):
                    some = assigned(arguments.program, seed, task, apart, folder)
                    lost += some is None
                    told += [(task, name, *one) for one in some or []]
    print("| new clients | number | mean confidence | share that is right |\n|---|---|---|---|")
    for task in ("classification", "regression"):
        for name in HARD:
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
    temperatures = sorted({one[5] for one in told})
    print(f"\nExpected calibration error {error:.3f}; {len(told)} new clients; temperatures "
          f"{temperatures[0]:.2f} to {temperatures[-1]:.2f}; {lost} runs that did not find the groups are left out.")


if __name__ == "__main__":
    main()
