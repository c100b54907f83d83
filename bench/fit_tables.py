#!/usr/bin/python3
"""What `coterie fit` finds on three public tables, beside the same comparison in scikit-learn.

  fit_tables.py PROGRAM [--tables heart,wisdm,air] [--folder DIR]

The tables are those of own_tables.py, whole. scikit-learn gets the training rows of the fit (split.csv), scaled by the
same numbers (schema.json), cuts every client's rows into as many folds by five draws of its own, and compares one model, one model with an intercept
for each client, and every client alone. Prints a table in Markdown: the loss of both, with the deviation over draws of
scikit-learn's, and the gain over one model with its standard error over clients. Two things differ: the fit pulls
intercepts of clients together, and a class that a client has no row of has 1e-9 as its least probability here.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import own_tables
import numpy
from sklearn.linear_model import LinearRegression, LogisticRegression

L2 = 0.003  # of softmax regression in a fit
LEAST = 1e-9  # the least probability
DRAWS = 5


def losses(rows, chosen, test, classes, own):
    """The loss of each test row under a model of the chosen rows; `own`: with an intercept for each client."""
    x = rows.x[:, :-1]
    if own:
        x = numpy.column_stack([x, rows.client[:, None] == numpy.unique(rows.client)[None, :]])
    y = rows.y
    if classes == 0:
        fit = LinearRegression(fit_intercept=not own).fit(x[chosen], y[chosen])
        return (fit.predict(x[test]) - y[test]) ** 2
    there = numpy.unique(y[chosen])
    known = numpy.zeros((test.sum(), classes))
    if len(there) == 1:
        known[:, there] = 1
    else:
        # Intercepts of clients are columns that hardly shrink: long ones.
        long = numpy.ones(x.shape[1])
        long[rows.x.shape[1] - 1:] = 30
        strength = L2 / 2 if classes == 2 else L2  # of two classes scikit-learn has one vector, a softmax two of half the length
        fit = LogisticRegression(C=1 / (strength * chosen.sum()), max_iter=3000, tol=1e-6).fit(x[chosen] * long, y[chosen])
        known[:, there] = fit.predict_proba(x[test] * long)
    return -numpy.log(numpy.maximum(known[numpy.arange(len(known)), y[test]], LEAST))


def held_out(rows, folds, groups, own, classes, draw):
    """The loss of each training row under models of other folds; `groups`: whose rows make one model."""
    loss, fold = numpy.zeros(len(rows.y)), numpy.full(len(rows.y), -1)
    for client in numpy.unique(rows.client):
        mine = numpy.flatnonzero(rows.train & (rows.client == client))
        mine = draw.permutation(mine)
        if classes:  # rows of a class go to different folds
            mine = mine[numpy.argsort(rows.y[mine], kind="stable")]
        fold[mine] = (numpy.arange(len(mine)) + client) % folds
    for group in groups:
        inside = rows.train & numpy.isin(rows.client, group)
        for k in range(folds):
            test = inside & (fold == k)
            if test.any():
                loss[test] = losses(rows, inside & (fold != k), test, classes, own)
    return loss


def gain(rows, loss, one):
    """Share of the common model's loss, and its standard error over clients, which count by their rows."""
    clients = numpy.unique(rows.client[rows.train])
    weight = numpy.array([(rows.train & (rows.client == c)).sum() for c in clients], float)
    less = numpy.array([(one - loss)[rows.train & (rows.client == c)].mean() for c in clients])
    mean = numpy.average(less, weights=weight)
    share = weight / weight.sum()
    error = numpy.sqrt((share**2 * (less - mean) ** 2).sum() * len(clients) / (len(clients) - 1))
    whole = one[rows.train].mean()
    return 100 * mean / whole, 100 * error / whole


def compare(program, name, folder):
    file, client, target, _ = own_tables.TABLES[name]
    own_tables.EVERY[name] = 1
    table = own_tables.write_table(folder, name)
    out = folder / f"fit-{name}"
    more = {"heart": ["--set", "data.threshold=0.5"], "wisdm": ["--drop", "UNIQUE_ID"], "air": ["--drop", "No"]}[name]
    begun = time.time()
    subprocess.run([program, "fit", str(folder / f"{name}.csv"), "--client", client, "--target", target, "--out", str(out),
                    "--force", "--quiet", *more], check=True)
    took = time.time() - begun
    decision = json.loads((out / "decision.json").read_text())
    rows = own_tables.as_features(table, out / "run")
    classes = len(rows.schema["target"].get("classes", []))
    everybody = list(numpy.unique(rows.client))
    cells = {"one-model": ([everybody], False), "own-intercept": ([everybody], True), "local": ([[c] for c in everybody], False)}
    ours = {one["name"]: one for one in decision["candidates"]}
    figures = {key: [] for key in cells}
    for seed in range(DRAWS):
        theirs = {key: held_out(rows, decision["folds"], *cell, classes, numpy.random.default_rng(seed))
                  for key, cell in cells.items()}
        for key, loss in theirs.items():
            mean = loss[rows.train].mean()
            value = mean if classes else rows.schema["target"]["deviation"] * numpy.sqrt(mean)
            figures[key].append((value, *gain(rows, loss, theirs["one-model"])))
    for key, figure in figures.items():
        value, share, error = numpy.mean(figure, axis=0)
        mine = ours[key]["gain"]
        print(f"| {name} | {key} | {ours[key]['value']:.4g} | {value:.4g} ± {numpy.std([one[0] for one in figure]):.2g} | "
              f"{100 * mine['share']:+.1f} ± {100 * mine['share_error']:.1f} | {share:+.1f} ± {error:.1f} |", flush=True)
    print(f"| {name} | chosen: {decision['candidate']}; groups: {decision['groups']['there_are']}; {took:.0f} s | | | | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--tables", default="heart,wisdm,air")
    parser.add_argument("--folder", type=pathlib.Path)
    chosen = parser.parse_args()
    if "COTERIE_DATA" not in os.environ:
        raise SystemExit("error: COTERIE_DATA is not set")
    folder = chosen.folder or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    print("| table | candidate | loss or RMSE | scikit-learn | gain % | scikit-learn |\n|---|---|---|---|---|---|")
    for name in chosen.tables.split(","):
        compare(chosen.program, name, folder)


if __name__ == "__main__":
    main()
