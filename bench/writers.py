#!/usr/bin/env python3
"""What methods find among the writers of MNIST and of FEMNIST: the tables of docs/writers.md.

Usage: writers.py PROGRAM mnist|femnist [--seeds 3] [--first 1] [--only NAME,...] [--out DIR] [--threads N]

Needs the data in $COTERIE_DATA (mnist and mnist-writers, or femnist). Every cell is a run for each seed; runs that are
in DIR already are not made again. A seed deals the writers' images into parts, draws the unseen writers and the
starts. Columns, as mean and deviation over seeds:

  accuracy   on the writers' held-out images, all together, in %
  gain       over fedavg of the same seed, in points: mean over writers, and its standard error
  unseen     accuracy on writers that never trained: they choose by half of their images and are scored on the rest
  K          clusters that have writers, and their sizes in the first seed
  series     ARI of the clusters found with the series of forms (hsf) that writers filled in
  halves     FEMNIST: the same with two groups of series, hsf_0 to hsf_3 and the others
  again      mean ARI of the clusters of two seeds, over the writers that train in both: 1 when both find the same
"""

import argparse
import collections
import csv
import itertools
import json
import pathlib
import statistics
import subprocess

DATA = {
    "mnist": """
[data]
source = "idx"
folder = "mnist"
writers = "mnist-writers/qmnist-train-labels-idx2-int.gz"
truth = "series"
test_share = 0
[clients]
partition = "natural"
minimum = 50
[unseen]
count = 60
[model]
kind = "mlp"
hidden = [64]
[local]
rate = 0.1
epochs = 1
batch = 10
[rounds]
count = 100
participation = 0.2
[evaluate]
every = 20
""",
    "femnist": """
[data]
source = "femnist"
sample = 0.148
invert = true
truth = "series"
test_share = 0
[clients]
partition = "natural"
minimum = 100
[unseen]
count = 30
[model]
kind = "mlp"
hidden = [128]
[local]
rate = 0.1
epochs = 1
batch = 10
[rounds]
count = 200
participation = 0.2
[evaluate]
every = 40
""",
}

# Name -> what is set beyond the above. Two groups at random: a turn by a hundredth of a degree changes nothing that a
# model could see, but makes two "true" clusters.
RANDOM = '\n[[shift]]\nkind = "rotate"\nangles = [0, 0.01]\n'
CELLS = {
    "fedavg": ("algorithm.kind=fedavg",),
    "fedavg, twice as wide": ("algorithm.kind=fedavg", "model.hidden=[{wide}]"),
    "local": ("algorithm.kind=local",),
    "oracle, series": ("algorithm.kind=oracle",),
    "oracle, random halves": ("algorithm.kind=oracle", "random"),
    "ifca, 2": ("algorithm.kind=ifca", "clusters.count=2"),
    "ifca, 3": ("algorithm.kind=ifca", "clusters.count=3"),
    "ifca, 4": ("algorithm.kind=ifca", "clusters.count=4"),
    "odcl, 2": ("algorithm.kind=odcl", "clusters.count=2"),
    "odcl, 2, models trained": ("algorithm.kind=odcl", "clusters.count=2", "algorithm.odcl.solver=local",
                                "local.epochs=20"),
    "odcl, 2, then ifca": ("algorithm.kind=ifca", "clusters.count=2", "clusters.init=odcl"),
    "hcfl-plus": ("algorithm.kind=hcfl-plus", "clusters.count=2"),
    "hcfl-plus, paper's rule": ("algorithm.kind=hcfl-plus", "clusters.count=2", "algorithm.hcfl-plus.rule=paper"),
}


def folder_of(out, cell, seed):
    return out / f"{cell.replace(',', '').replace(' ', '-').replace(chr(39), '')}-{seed}"


def run(args, cell, seed):
    """The folder of a finished run, which is made unless it is there."""
    folder = folder_of(args.out, cell, seed)
    if (folder / "summary.json").exists():
        return folder
    text = DATA[args.data]
    settings = []
    for one in CELLS[cell]:
        if one == "random":
            text = text.replace('truth = "series"\n', "") + RANDOM
        else:
            settings += ["--set", one.format(wide=128 if args.data == "mnist" else 256)]
    config = args.out / "config.toml"
    config.write_text(f'name = "{args.data} by writer"\n{text}')
    command = [args.program, "run", config, "--seed", str(seed), "--out", folder, "--force", "--quiet", *settings]
    done = subprocess.run([*command, "--threads", str(args.threads)], capture_output=True, text=True)
    if done.returncode != 0:
        (args.out / "failures.txt").open("a").write(f"{cell}, seed {seed}: {done.stderr}\n")
        return None
    return folder


def ari(a, b):
    """The adjusted Rand index of two lists of clusters; None where both are one cluster."""
    pairs = lambda counts: sum(n * (n - 1) / 2 for n in counts)
    both, one, other = pairs(collections.Counter(zip(a, b)).values()), pairs(collections.Counter(a).values()), pairs(
        collections.Counter(b).values())
    chance = one * other / max(1, pairs([len(a)]))
    most = (one + other) / 2
    return None if most == chance else (both - chance) / (most - chance)


def spread(values, digits=2):
    values = [v for v in values if v is not None]
    if not values:
        return "–"
    text = f"{statistics.mean(values):.{digits}f}"
    return text + (f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else "")


def read(folder):
    with (folder / "clients.csv").open() as file:
        rows = list(csv.DictReader(file))
    training = {row["name"]: row for row in rows if row["role"] == "train" and row["accuracy"]}
    unseen = [row for row in rows if row["role"] == "unseen" and row["accuracy"]]
    return json.loads((folder / "summary.json").read_text()), training, unseen


def half(series):
    """The group of a series of FEMNIST's forms."""
    return series in ("hsf_0", "hsf_1", "hsf_2", "hsf_3")


def gain(own, base):
    """Mean over writers of the accuracy beyond the base's, in points, and its standard error."""
    differences = [100 * (float(own[name]["accuracy"]) - float(base[name]["accuracy"])) for name in own if name in base]
    return statistics.mean(differences), statistics.stdev(differences) / len(differences) ** 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data", choices=DATA)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", default=",".join(["*"]))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.out = args.out or pathlib.Path(f"runs/{args.data}-writers")
    args.out.mkdir(parents=True, exist_ok=True)
    cells = [cell for cell in CELLS if args.only == "*" or cell in args.only.split(";")]
    seeds = range(args.first, args.first + args.seeds)

    found = {}
    for seed, cell in itertools.product(seeds, ["fedavg", *[cell for cell in cells if cell != "fedavg"]]):
        folder = run(args, cell, seed)
        if folder:
            found[cell, seed] = read(folder)

    halves = args.data == "femnist"
    print("| | accuracy, % | gain, points | unseen, % | K | sizes | series |" + halves * " halves |" + " again |")
    print("|---|---|---|---|---|---|---|---|" + halves * "---|")
    for cell in cells:
        made = [(seed, *found[cell, seed]) for seed in seeds if (cell, seed) in found]
        if not made:
            continue
        gains = [gain(training, found["fedavg", seed][1]) for seed, _, training, _ in made]
        mean = statistics.mean(value for value, _ in gains)
        error = statistics.mean(error for _, error in gains)
        clusters = [{name: row["cluster"] for name, row in training.items()} for _, _, training, _ in made]
        names = [sorted(set(a) & set(b)) for a, b in itertools.combinations(clusters, 2)]
        again = [ari([a[n] for n in common], [b[n] for n in common])
                 for common, (a, b) in zip(names, itertools.combinations(clusters, 2))]
        sizes = sorted(collections.Counter(clusters[0].values()).values(), reverse=True)
        several = len(sizes) > 1 and cell != "local"
        by_half = [ari([row["cluster"] for row in one.values()], [half(row["truth_name"]) for row in one.values()])
                   for _, _, one, _ in made]
        print(f"| {cell} | {spread([100 * s['accuracy']['mean'] for _, s, _, _ in made], 1)} | "
              + ("–" if cell == "fedavg" else f"{mean:+.2f} ± {error:.2f}")
              + f" | {spread([100 * s['test_accuracy'] for _, s, _, _ in made if s['test_accuracy']], 1)} | "
              + f"{spread([float(s['clusters_found']) for _, s, _, _ in made], 1) if cell != 'local' else '–'} | "
              + f"{' '.join(map(str, sizes[:8])) + (' ...' if len(sizes) > 8 else '') if several else '–'} | "
              + f"{spread([s['ari'] for _, s, _, _ in made]) if several else '–'} | "
              + (f"{spread(by_half) if several else '–'} | " if halves else "")
              + f"{spread(again) if several else '–'} |")


if __name__ == "__main__":
    main()
