#!/usr/bin/python3
"""Planted tables for `coterie fit`: how often it gives the right answers.

Usage: fit_trials.py PROGRAM [--seeds 20] [--first 1] [--only NAME,...] [--out FILE.csv] [--weak | --hardest]
                     [--threads N]

Every client has the same number of rows (40, 100 or 200), 8 columns x1 .. x8 (normal, unit variance) and a target
y = b_i . x + a_i + unit noise. What clients' coefficients (b_i, a_i) are:

  alike        one b for all
  two, four    b of the client's group; groups lie on a sphere around the mean, at a radius r
  narrow       b_i = b + N(0, s^2) with s = 0.15, a continuum
  wide         the same with s = 0.6

Radii are 0.5 (two) and 0.7 (four), or the next step of a ladder at which an oracle that knows the groups beats one
model by at least four standard errors over clients, on rows held out (a fifth of each client's): with 30 clients of 40
rows many tables need more. With --weak, radii run from there down to 0, where the oracle gains nothing: a curve. With
--hardest, the radius is the smallest of the whole ladder at which the oracle is four errors ahead: with many clients
that is far below what tells a client's group.

Right: groups "yes" with the true number (two, four); use one-model and groups "no" (alike); use shrink or local and
groups "no" (narrow, wide).
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

SIZES = [(30, 40), (30, 100), (30, 200), (60, 40), (60, 100), (60, 200), (150, 40), (150, 100), (150, 200)]
COLUMNS = 8
RADIUS = {"two": 0.5, "four": 0.7}
LADDER = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5]


def centres(draw, groups, radius):
    """Points at this distance from their mean, as far from each other as can be."""
    directions = np.linalg.qr(draw.normal(size=(COLUMNS + 1, COLUMNS + 1)))[0][: max(groups, 2)]
    if groups == 2:
        directions = np.array([directions[0], -directions[0]])
    else:
        directions = directions - directions.mean(axis=0)
        directions /= np.linalg.norm(directions[0])
    return radius * directions


def table(draw, clients, rows, kind, radius):
    """x (clients, rows, columns + 1), y, group of each client."""
    base = draw.normal(size=COLUMNS + 1) * 0.5
    group = np.zeros(clients, int)
    own = np.tile(base, (clients, 1))
    if kind in ("two", "four"):
        groups = 2 if kind == "two" else 4
        group = draw.permutation(np.arange(clients) % groups)
        own = base + centres(draw, groups, radius)[group]
    elif kind in ("narrow", "wide"):
        own = base + draw.normal(size=(clients, COLUMNS + 1)) * (0.15 if kind == "narrow" else 0.6)
    x = draw.normal(size=(clients, rows, COLUMNS + 1))
    x[:, :, -1] = 1
    y = np.einsum("irk,ik->ir", x, own) + draw.normal(size=(clients, rows))
    return x, y, group


def least_squares(x, y):
    return np.linalg.lstsq(x.reshape(-1, x.shape[-1]), y.reshape(-1), rcond=None)[0]


def oracle_errors(x, y, group):
    """How many standard errors, over clients, an oracle is better than one model on the last fifth of the rows."""
    cut = x.shape[1] * 4 // 5
    one = least_squares(x[:, :cut], y[:, :cut])
    gains = np.zeros(len(x))
    for k in np.unique(group):
        mine = group == k
        own = least_squares(x[mine, :cut], y[mine, :cut])
        late_x, late_y = x[mine, cut:], y[mine, cut:]
        gains[mine] = ((late_y - late_x @ one) ** 2 - (late_y - late_x @ own) ** 2).mean(axis=1)
    return gains.mean() / (gains.std(ddof=1) / len(gains) ** 0.5)


def planted(seed, clients, rows, kind, radius=None, hardest=False):
    """A table, and the radius of its groups."""
    if kind in ("two", "four") and radius is None:
        for radius in LADDER if hardest else [step for step in LADDER if step >= RADIUS[kind]]:
            x, y, group = table(np.random.default_rng(seed), clients, rows, kind, radius)
            if oracle_errors(x, y, group) >= 4:
                return x, y, group, radius
    return *table(np.random.default_rng(seed), clients, rows, kind, radius or 0), radius or 0


def write(path, x, y):
    with open(path, "w") as file:
        file.write("client," + ",".join(f"x{k + 1}" for k in range(COLUMNS)) + ",y\n")
        for i in range(len(x)):
            for row, target in zip(x[i], y[i]):
                file.write(f"c{i:03d}," + ",".join(f"{value:.6f}" for value in row[:COLUMNS]) + f",{target:.6f}\n")


def fit(program, path, folder, seed, threads):
    begun = time.time()
    command = [program, "fit", path, "--client", "client", "--target", "y", "--out", folder, "--seed", str(seed), "--quiet"]
    if threads:
        command += ["--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    with open(os.path.join(folder, "decision.json")) as file:
        return json.load(file), time.time() - begun


def is_right(kind, decision):
    there, use = decision["groups"]["there_are"], decision["use"]
    if kind in ("two", "four"):
        return there == "yes" and decision["groups"]["clusters"] == {"two": 2, "four": 4}[kind]
    if kind == "alike":
        return there == "no" and use == "one-model"
    return there == "no" and use in ("shrink", "local")


def matched(members, group):
    """The share of clients that are right under the best naming of groups (by greedy choice)."""
    found = {int(name[1:]): cluster for name, cluster in members.items()}
    pairs = {}
    for client, cluster in found.items():
        key = (cluster, int(group[client]))
        pairs[key] = pairs.get(key, 0) + 1
    right, used = 0, set()
    for (cluster, true), count in sorted(pairs.items(), key=lambda item: -item[1]):
        if ("found", cluster) in used or ("true", true) in used:
            continue
        used |= {("found", cluster), ("true", true)}
        right += count
    return right / len(group) if len(group) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--only", default="alike,two,four,narrow,wide")
    parser.add_argument("--sizes", default="", help="like 30x40,150x200; default: all nine")
    parser.add_argument("--weak", action="store_true", help="the curve of weaker groups, 60 clients of 100 rows")
    parser.add_argument("--hardest", action="store_true", help="the smallest radius that the rule allows")
    parser.add_argument("--out", default="")
    parser.add_argument("--threads", type=int, default=0)
    chosen = parser.parse_args()
    sizes = [tuple(map(int, one.split("x"))) for one in chosen.sizes.split(",")] if chosen.sizes else SIZES
    cells = [(kind, *size, None) for kind in chosen.only.split(",") for size in sizes]
    if chosen.weak:
        cells = [(kind, 60, 100, radius) for kind in ("two", "four")
                 for radius in (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)]
    out = csv.writer(open(chosen.out, "w", newline="")) if chosen.out else None
    header = ["kind", "clients", "rows", "radius", "oracle_se", "seed", "use", "candidate", "groups", "clusters", "p",
              "stability", "gain", "gain_error", "matched", "right", "seconds"]
    if out:
        out.writerow(header)
    print(f"{'kind':8}{'clients':>8}{'rows':>6}{'radius':>8}{'oracle':>8}{'right':>8}{'yes':>5}{'no':>5}{'unsure':>7}"
          f"{'K':>5}{'matched':>9}{'seconds':>9}  use")
    for kind, clients, rows, given in cells:
        tally = {"right": 0, "yes": 0, "no": 0, "unsure": 0, "K": 0}
        uses, seconds, radii, errors, places = {}, [], [], [], []
        for seed in range(chosen.first, chosen.first + chosen.seeds):
            x, y, group, radius = planted(seed * 1000 + clients + rows, clients, rows, kind, given, chosen.hardest)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "planted.csv")
                write(path, x, y)
                decision, took = fit(chosen.program, path, os.path.join(folder, "fit"), seed, chosen.threads)
            right = is_right(kind, decision)
            there = decision["groups"]["there_are"]
            tally["right"] += right
            tally[there] += 1
            tally["K"] += decision["groups"]["clusters"] == {"two": 2, "four": 4}.get(kind, 1)
            uses[decision["use"]] = uses.get(decision["use"], 0) + 1
            seconds.append(took)
            radii.append(radius)
            errors.append(oracle_errors(x, y, group) if kind in ("two", "four") else 0)
            places.append(matched(decision["groups"]["members"], group) if kind in ("two", "four") else 0)
            if out:
                gain = decision.get("gain", {})
                out.writerow([kind, clients, rows, radius, f"{errors[-1]:.2f}", seed, decision["use"],
                              decision["candidate"], there, decision["groups"]["clusters"], decision["groups"]["p"],
                              decision["groups"]["stability"], gain.get("share"), gain.get("share_error"),
                              f"{places[-1]:.3f}", int(right), f"{took:.1f}"])
        print(f"{kind:8}{clients:8}{rows:6}{np.mean(radii):8.2f}{np.mean(errors):8.1f}"
              f"{tally['right']:5}/{chosen.seeds:<2}{tally['yes']:5}{tally['no']:5}{tally['unsure']:7}{tally['K']:5}"
              f"{np.mean(places):9.2f}{np.mean(seconds):9.1f}  "
              + ", ".join(f"{name} {count}" for name, count in sorted(uses.items())), flush=True)


if __name__ == "__main__":
    main()
