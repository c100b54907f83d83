#!/usr/bin/env python3
"""Every method on ten tables that are hard, with defaults: what each gave, and whether it said so when it gave nothing.

  tables.py PROGRAM [--methods cfl,icfl] [--tables target,outliers] [--seeds N] [--folder DIR] [--jobs 2]

The tables are generated here and written as csv; a config says where the table is, which column is the client and which
the target, and no more. Prints two tables in Markdown: accuracy in % (the AUC behind it where one class is rare), or the
RMSE in units of the target with R2 behind it; "refused" and "diverged" have their causes below. With several seeds, a
cell has the mean, and the worst word.

A cell is wrong when the run
  - crashed, or printed a text that is a library's and not ours
  - is called finished without a warning though its loss is not finite, R2 is below -1 or accuracy is 20 points below
    that of always saying the most frequent class
  - failed without a cause that can be acted on
  - took more than 60 seconds
Wrong cells are listed; the exit status is 1 when there are any.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

SECONDS = 60
LIBRARY = re.compile(r"std::|bad_alloc|terminate called|what\(\)|Eigen|nlohmann|toml::|json\.exception|stod|stoi|Assertion"
                     r"|vector::|basic_string|[Ss]egmentation|Sanitizer")

Sheet = collections.namedtuple("Sheet", "rows task extra", defaults=({},))


def names(count):
    return [f"c{i:02d}" for i in range(count)]


def linear_rows(draw, clients, rows, width, weights_of, noise=0.3):
    """(client, x, y) of a linear target; weights_of(client number) has width numbers."""
    for i, client in enumerate(clients):
        for _ in range(rows):
            x = [draw.gauss(0, 1) for _ in range(width)]
            yield client, x, sum(w * v for w, v in zip(weights_of(i), x)) + draw.gauss(0, noise)


def target(draw):
    """A regression whose target is in units of 1e9, far from zero."""
    weights = [1.5, -1.0, 0.5, 0.0]
    return Sheet([dict(client=c, a=x[0], b=x[1], c=x[2], d=x[3], y=7e9 + 1e9 * y)
                  for c, x, y in linear_rows(draw, names(20), 30, 4, lambda i: weights)], "regression")


def units(draw):
    """Two classes; features from millionths to billions, and most of them far from zero."""
    scales = [1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9]
    weights = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
    return Sheet([{"client": c, **{f"x{k}": s * (5 + v) for k, (s, v) in enumerate(zip(scales, x))},
                   "y": "yes" if y > 0 else "no"}
                  for c, x, y in linear_rows(draw, names(20), 30, 6, lambda i: weights)], "classification")


def collinear(draw):
    """A regression with a column three times over, a sum of two others, a constant, and one constant at each client."""
    rows = []
    for c, x, y in linear_rows(draw, names(20), 24, 3, lambda i: [2.0, -1.0, 1.0]):
        rows.append(dict(client=c, a=x[0], twice=2 * x[0], again=x[0], b=x[1], c=x[2], sum=x[1] + x[2], seven=7,
                         site=int(c[1:]) * 10, y=y))
    return Sheet(rows, "regression")


def three_rows(draw):
    """Three classes, and three rows at each of 40 clients: two to train on, one to be scored on."""
    rows = []
    for c in names(40):
        for _ in range(3):
            label = draw.randrange(3)
            centre = [(2, 0), (-1, 1.7), (-1, -1.7)][label]
            rows.append(dict(client=c, a=centre[0] + draw.gauss(0, 1), b=centre[1] + draw.gauss(0, 1), y="uvw"[label]))
    return Sheet(rows, "classification")


def one_class(draw):
    """Four classes, and a single one of them at each client."""
    rows = []
    for i, c in enumerate(names(24)):
        label = i % 4
        for _ in range(20):
            x = [draw.gauss(2.0 if k == label else 0.0, 1) for k in range(4)]
            rows.append(dict(client=c, a=x[0], b=x[1], c=x[2], d=x[3], y="klmn"[label]))
    return Sheet(rows, "classification")


def outliers(draw):
    """A regression; the rows of one client are 1e6 times longer, and another has three wild rows."""
    rows = []
    for c, x, y in linear_rows(draw, names(20), 30, 3, lambda i: [1.0, -1.0, 0.5]):
        scale = 1e6 if c == "c07" else 1.0
        if c == "c11" and draw.random() < 0.1:
            scale = 1e4 * (1 + draw.random())
        rows.append(dict(client=c, a=scale * x[0], b=scale * x[1], c=scale * x[2], y=y))
    return Sheet(rows, "regression")


def rare(draw):
    """Two classes, of which one has 5 % of the rows."""
    rows = []
    for c, x, _ in linear_rows(draw, names(20), 60, 4, lambda i: [0.0] * 4):
        positive = draw.random() < 0.05
        shift = 1.0 if positive else 0.0
        rows.append(dict(client=c, a=x[0] + shift, b=x[1] + shift, c=x[2], d=x[3], y=int(positive)))
    return Sheet(rows, "classification")


def text(draw):
    """Two classes; two columns of text and one of numbers, with gaps in all of them, and a value that one client has."""
    rows = []
    for i, c in enumerate(names(16)):
        for _ in range(30):
            ward, drug = draw.choice(["north", "south", "east"]), draw.choice(["A", "B", "none"])
            dose = draw.gauss(10, 3)
            score = (ward == "north") * 1.5 - (drug == "A") * 2 + 0.3 * (dose - 10) + draw.gauss(0, 0.7)
            gap = lambda value: "" if draw.random() < 0.15 else value
            rows.append(dict(client=c, ward="attic" if i == 3 else gap(ward), drug=gap(drug), dose=gap(dose),
                             y="ill" if score > 0 else "well"))
    return Sheet(rows, "classification")


def groups(draw):
    """A regression with two planted groups of clients, whose slopes have opposite signs. The groups are a column."""
    rows = []
    for c, x, y in linear_rows(draw, names(20), 30, 3, lambda i: [(-1) ** i * w for w in (2.0, -1.0, 1.0)]):
        rows.append(dict(client=c, a=x[0], b=x[1], c=x[2], group=int(c[1:]) % 2, y=1000 + 50 * y))
    return Sheet(rows, "regression", {"truth": "group"})


def sizes(draw):
    """A regression; one client has 1 row, one has 600, and ten have 12."""
    rows = []
    for i, c in enumerate(names(12)):
        for _, x, y in linear_rows(draw, [c], {0: 1, 1: 600}.get(i, 12), 3, lambda _: [1.0, -1.0, 0.5]):
            rows.append(dict(client=c, a=x[0], b=x[1], c=x[2], y=20 + 3 * y))
    return Sheet(rows, "regression")


TABLES = dict(units=units, three_rows=three_rows, one_class=one_class, rare=rare, text=text,
              target=target, collinear=collinear, outliers=outliers, groups=groups, sizes=sizes)

Cell = collections.namedtuple("Cell", "word figure second trivial fault cause seconds")


def write_table(folder, name):
    sheet = TABLES[name](random.Random(name))
    path = folder / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, sheet.rows[0].keys())
        writer.writeheader()
        writer.writerows(sheet.rows)
    lines = ["[data]", 'source = "csv"', f'file = "{path.name}"', 'client = "client"', 'target = "y"']
    lines += [f'{key} = "{value}"' for key, value in sheet.extra.items()]
    if sheet.task == "regression":
        lines += ["", "[model]", 'kind = "linear"']
    (folder / f"{name}.toml").write_text("\n".join(lines) + "\n")
    return sheet.task


def trivial_rmse(folder, out, name):
    """The RMSE of the mean of all training rows on the rows that are held out."""
    with (folder / f"{name}.csv").open() as file:
        y = [float(row["y"]) for row in csv.DictReader(file)]
    parts = {"train": [], "test": []}
    with (out / "split.csv").open() as file:
        for row in csv.DictReader(file):
            parts[row["part"]].append(y[int(row["row"]) - 1])
    mean = sum(parts["train"]) / len(parts["train"])
    return math.sqrt(sum((v - mean) ** 2 for v in parts["test"]) / len(parts["test"]))


def number(value):
    return math.nan if value is None else value


def run(program, folder, name, task, method, seed):
    out = folder / f"{name}-{method}-{seed}"
    command = [program, "run", str(folder / f"{name}.toml"), "--out", str(out), "--force", "--threads", "1",
               "--set", f"algorithm.kind={method}", "--set", f"seed={seed}"]
    begun = time.monotonic()
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=4 * SECONDS)
    except subprocess.TimeoutExpired:
        return Cell("slow", math.nan, math.nan, math.nan, f"no end in {4 * SECONDS} s", "", 4 * SECONDS)
    seconds = time.monotonic() - begun
    said = [line for line in answer.stderr.splitlines() if line.strip()]
    errors = [line for line in said if line.startswith("error: ")]
    # Only what speaks of the result counts as a warning of it.
    warnings = [line for line in said if re.match("warning: .*(diverged|far worse than)", line)]
    fault = f"took {seconds:.0f} s" if seconds > SECONDS else ""
    if answer.returncode not in (0, 1) or LIBRARY.search(answer.stderr):
        fault = f"status {answer.returncode}: " + " ".join(said[-2:])
    if not (out / "summary.json").exists():
        cause = " ".join(errors) or "no word"
        # A true cause says what is to be given, used or changed.
        if not fault and not re.search(r"[Gg]ive|set |use |try|needs|lower|raise|standardise|choose", cause):
            fault = "no cause: " + cause
        return Cell("refused", math.nan, math.nan, math.nan, fault, cause.removeprefix("error: "), seconds)
    summary = json.loads((out / "summary.json").read_text())
    mean = lambda metric: number(summary["metrics"][metric]["mean"])
    if task == "regression":
        figure, second, trivial = mean("rmse"), mean("r2"), trivial_rmse(folder, out, name)
        poor = not second >= -1
    else:
        figure, second, trivial = mean("accuracy"), mean("auc"), mean("majority")
        poor = not figure >= trivial - 0.2
    poor = poor or not math.isfinite(number(summary["loss"]))
    verdict = summary["verdict"]
    if not fault and verdict == "finished" and poor and not warnings:
        fault = f"finished unsaid with {figure:.4g} ({second:.4g}), trivial {trivial:.4g}"
    if not fault and verdict == "finished" and answer.returncode != 0:
        fault = f"finished with status {answer.returncode}: " + " ".join(said[-2:])
    if not fault and verdict == "diverged" and not any("diverged" in line for line in warnings):
        fault = "diverged without a warning"
    word = verdict if verdict != "finished" else "warned" if poor else "finished"
    return Cell(word, figure, second, trivial, fault, " ".join(warnings) if word != "finished" else "", seconds)


def average(values):
    values = [v for v in values if math.isfinite(v)]
    return sum(values) / len(values) if values else math.nan


def shown(cells, task, name):
    """A cell of the printed table: the runs of all seeds."""
    word = next((c.word for w in ("slow", "refused", "diverged", "warned") for c in cells if c.word == w), "")
    if word in ("slow", "refused"):
        return word
    figure, second = average([c.figure for c in cells]), average([c.second for c in cells])
    if task == "regression":
        figures = f"{figure:.3g} ({second:.2f})" if second > -10 else f"{figure:.3g} ({second:.0e})"
    elif name == "rare":
        figures = f"{100 * figure:.1f} ({second:.2f})"
    else:
        figures = f"{100 * figure:.1f}"
    return figures + (f" {word}" if word else "")


def print_grid(cells, methods, tables, task, seeds):
    print("\n| | " + " | ".join(tables) + " |")
    print("|---" * (len(tables) + 1) + "|")
    at = lambda method, name: [cells[name, method, seed] for seed in seeds]
    trivial = [average([c.trivial for m in methods for c in at(m, name)]) for name in tables]
    print("| *trivial* | " + " | ".join(f"{t:.3g}" if task == "regression" else f"{100 * t:.1f}" for t in trivial) + " |")
    for method in methods:
        print(f"| `{method}` | " + " | ".join(shown(at(method, name), task, name) for name in tables) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--methods", default="", help="default: all")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--seeds", type=int, default=1, help="seeds 1 to N")
    parser.add_argument("--folder", type=pathlib.Path, help="where tables and runs go; default: a temporary folder")
    parser.add_argument("--jobs", type=int, default=2, help="runs at once")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.program, "list", "algorithms"], capture_output=True, text=True, check=True).stdout
    methods = arguments.methods.split(",") if arguments.methods else [line.split()[0] for line in listed.splitlines()[1:]]
    tables, seeds = arguments.tables.split(","), range(1, arguments.seeds + 1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tasks = {name: write_table(folder, name) for name in tables}
        keys = [(name, method, seed) for name in tables for method in methods for seed in seeds]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            done = pool.map(lambda k: run(arguments.program, folder, k[0], tasks[k[0]], k[1], k[2]), keys)
            cells = dict(zip(keys, done))
    for task in ("classification", "regression"):
        those = [name for name in tables if tasks[name] == task]
        if those:
            print_grid(cells, methods, those, task, seeds)
    causes = collections.defaultdict(list)
    for (name, method, _), cell in cells.items():
        if cell.cause and f"{method} on {name}" not in causes[cell.word, cell.cause]:
            causes[cell.word, cell.cause].append(f"{method} on {name}")
    print("\nCauses:\n")
    for (word, cause), where in causes.items():
        print(f"- {word}: {', '.join(where)}: {cause}")
    wrong = {key: cell for key, cell in cells.items() if cell.fault}
    longest = max(cells.values(), key=lambda cell: cell.seconds).seconds
    print(f"\n{len(cells)} runs, the longest {longest:.1f} s; {len(wrong)} wrong")
    for (name, method, seed), cell in wrong.items():
        print(f"wrong: {method} on {name}, seed {seed}: {cell.fault}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
