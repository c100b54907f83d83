#!/usr/bin/python3
"""Every method with its defaults on three public tables, beside the same models in scikit-learn and PyTorch.

  own_tables.py PROGRAM [--methods fedavg,local] [--tables heart,wisdm,air] [--seeds N] [--folder DIR] [--jobs 2]

The tables (heart-disease, wisdm-ar, beijing-air) are looked for in $COTERIE_DATA. A config says where a table is, which
column is the client and which the target, and which columns number rows. Each seed cuts other rows off for the test. The
references see the same rows in the same parts (split.csv), scaled by the same numbers (schema.json):

  steps     PyTorch: FedAvg of the same length, with the same rate and batches, inside each cluster that the method found
            (one cluster for fedavg, one for each client for local)
  optimum   scikit-learn: the model that fits the rows of such a cluster best, and for some methods what they would make
            of such models: the mean of clients' models, the nearest rows, a model that is pulled to the common one
            (shrink: a ridge towards it in numpy, whose strength is chosen by five folds inside clients)

Soft methods mix their clusters; their references take the heaviest one for all of a client. Prints a table in Markdown:
the accuracy in %, or the RMSE in the target's units, mean and deviation over seeds, and the means of the references
(optimum / steps). A figure that is further from both than the deviation over seeds (the larger of the figure's and of the
reference's) is beyond noise: "+" where it is better, "!" where it is worse. Runs that were refused or that diverged are
listed with their causes, once for each method.
"""

import argparse
import collections
import concurrent.futures
import csv
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

try:
    import numpy
    import torch
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.neighbors import KNeighborsRegressor
except ImportError:
    raise SystemExit("error: no scikit-learn or no PyTorch here: tools/install_packages.sh tools/packages-bench.txt")

TABLES = {
    "heart": ("heart-disease/heart_disease_4hospitals.csv.gz", "hospital", "num", "threshold = 0.5"),
    "wisdm": ("wisdm-ar/wisdm_ar_v1.1_transformed.csv.gz", "user", "class", ""),
    "air": ("beijing-air/prsa_12stations.csv.gz", "station", "PM2.5", 'drop = ["No"]'),
}
TITLES = {"heart": "heart-disease, %", "wisdm": "wisdm-ar, %", "air": "beijing-air, µg/m³"}
EVERY = {"heart": 1, "wisdm": 1, "air": 7}  # which rows are taken: every seventh hour, so that all hours of a day occur
TORCH = ("heart", "wisdm")  # whose references take steps in PyTorch; those of air are too many
ROUNDS, BATCH = 50, 16  # the defaults
ALONE = ("local", "local-erm", "ditto", "shrink")  # methods that find no clusters
PULLS = (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, numpy.inf)  # of shrink, in rows
MEANS = ("naive-average", "odcl", "one-shot")  # methods that average exact minima
NEED_TRUTH = ("oracle", "oracle-average", "cluster-oracle")  # true clusters are not known here

Rows = collections.namedtuple("Rows", "x y client train schema")  # x has a last column of ones; y: numbers of classes


def write_table(folder, name):
    """The rows of a table, which are written beside its config."""
    file, client, target, more = TABLES[name]
    with gzip.open(pathlib.Path(os.environ["COTERIE_DATA"]) / file, "rt") as source:
        rows = list(csv.DictReader(source))[:: EVERY[name]]
    with (folder / f"{name}.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    (folder / f"{name}.toml").write_text(
        f'[data]\nsource = "csv"\nfile = "{name}.csv"\nclient = "{client}"\ntarget = "{target}"\n{more}\n')
    return rows


def run(program, folder, name, method, seed):
    """The folder of a run, or None where it was refused, and what it said of a failure."""
    out = folder / f"{name}-{method}-{seed}"
    shutil.rmtree(out, ignore_errors=True)
    command = [program, "run", str(folder / f"{name}.toml"), "--out", str(out), "--quiet", "--threads", "1",
               "--set", f"algorithm.kind={method}", "--set", f"seed={seed}"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    said = re.sub(r"^error: (\S+: Diverged: )?", "", answer.stderr.strip())
    return out if (out / "summary.json").exists() else None, said


def as_features(table, out):
    """The rows that a run used, as it saw them."""
    schema = json.loads((out / "schema.json").read_text())
    with (out / "split.csv").open() as file:
        split = list(csv.DictReader(file))
    missing = ("?", "NA", "NaN", "nan", "")
    used = [table[int(line["row"]) - 1] for line in split]
    x = numpy.ones((len(used), schema["width"] + 1))
    for j, feature in enumerate(schema["features"]):
        cells = [None if row[feature["column"]] in missing else row[feature["column"]] for row in used]
        if "value" in feature:
            x[:, j] = [cell == feature["value"] for cell in cells]
        else:
            numbers = numpy.array([feature["missing"] if cell is None else float(cell) for cell in cells])
            x[:, j] = (numbers - feature["mean"]) / feature["deviation"]
    target = schema["target"]
    y = [row[target["column"]] for row in used]
    if "classes" not in target:
        y = (numpy.array(y, float) - target["mean"]) / target["deviation"]
    elif target["classes"][0].startswith("at most"):
        y = (numpy.array(y, float) > 0.5).astype(int)
    else:
        y = numpy.array([target["classes"].index(text) for text in y])
    part = numpy.array([line["part"] for line in split])
    return Rows(x, y, numpy.array([int(line["client"]) for line in split]), part == "train", schema)


# Models are matrices: a row of weights for each class, or one for a number; the last column is the intercept.


def optimum(rows, chosen):
    """scikit-learn's fit to the chosen rows."""
    x, y = rows.x[chosen, :-1], rows.y[chosen]
    if "classes" not in rows.schema["target"]:
        fit = LinearRegression().fit(x, y)
        return numpy.append(fit.coef_, fit.intercept_)[None, :]
    there = numpy.unique(y)
    model = numpy.zeros((len(rows.schema["target"]["classes"]), rows.x.shape[1]))
    model[:, -1] = -10.0  # a class without rows
    if len(there) == 1:
        model[there, -1] = 10.0
        return model
    fit = LogisticRegression(penalty=None, max_iter=1000).fit(x, y)
    whole = numpy.column_stack([fit.coef_, fit.intercept_])
    model[there] = whole if len(there) > 2 else numpy.vstack([-whole / 2, whole / 2])
    return model


def steps(rows, chosen, rate, seed):
    """FedAvg in PyTorch among the clients of the chosen rows."""
    torch.manual_seed(seed)
    count = len(rows.schema["target"]["classes"])
    common = torch.zeros(count, rows.x.shape[1], dtype=torch.float64)
    clients = []
    for client in numpy.unique(rows.client[chosen]):
        mine = chosen & (rows.client == client)
        clients.append((torch.tensor(rows.x[mine]), torch.tensor(rows.y[mine])))
    total = sum(len(y) for _, y in clients)
    for _ in range(ROUNDS):
        mean = torch.zeros_like(common)
        for x, y in clients:
            weight = common.clone().requires_grad_()
            for batch in torch.randperm(len(y)).split(BATCH):
                loss = torch.nn.functional.cross_entropy(x[batch] @ weight.T, y[batch])
                (slope,) = torch.autograd.grad(loss, weight)
                with torch.no_grad():
                    weight -= rate * slope
            mean += weight.detach() * len(y) / total
        common = mean
    return common.numpy()


def probabilities(scores):
    raised = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def losses(rows, chosen, model):
    """Of each chosen row."""
    scores, y = rows.x[chosen] @ model.T, rows.y[chosen]
    if "classes" not in rows.schema["target"]:
        return (scores[:, 0] - y) ** 2 / 2
    return -numpy.log(probabilities(scores)[numpy.arange(len(y)), y] + 1e-300)


def slope_and_curvature(rows, chosen, model):
    """Of the sum of the losses of the chosen rows, in the parameters of the model one after another."""
    x, y = rows.x[chosen], rows.y[chosen]
    if "classes" not in rows.schema["target"]:
        return x.T @ (x @ model[0] - y), x.T @ x
    p = probabilities(x @ model.T)
    count = p.shape[1]
    bends = [[x.T @ (x * (p[:, a] * ((a == b) - p[:, b]))[:, None]) for b in range(count)] for a in range(count)]
    return ((p - numpy.eye(count)[y]).T @ x).ravel(), numpy.block(bends)


def ridge(rows, chosen, common, metric, strength, start):
    """The minimum of the losses of the chosen rows plus strength / 2 times the squared distance to the common model, in
    this metric: by Newton's method."""
    if numpy.isinf(strength):
        return common
    def objective(model):
        away = (model - common).ravel()
        return losses(rows, chosen, model).sum() + strength / 2 * away @ metric @ away
    model, least = start, 1e-9 * numpy.trace(metric) / len(metric)
    for _ in range(50):
        slope, curvature = slope_and_curvature(rows, chosen, model)
        slope = slope + strength * metric @ (model - common).ravel()
        step = numpy.linalg.solve(curvature + strength * metric + least * numpy.eye(len(metric)), slope)
        now, length = objective(model), 1.0
        while objective(model - length * step.reshape(model.shape)) > now and length > 1e-6:
            length /= 2
        model = model - length * step.reshape(model.shape)
        if slope @ step < 1e-8 * (1 + abs(now)):
            break
    return model


def ridges(rows, seed):
    """A model for each client, pulled to the common one by the strength that serves rows best that were held out."""
    fold = numpy.random.default_rng(seed).permutation(len(rows.y)) % 5
    clients = numpy.unique(rows.client[rows.train])
    missed = dict.fromkeys(PULLS, 0.0)

    def models(kept, strengths):
        common = optimum(rows, kept)
        metric = slope_and_curvature(rows, kept, common)[1] / kept.sum()
        for client in clients:
            mine, model = kept & (rows.client == client), common
            for strength in sorted(strengths, reverse=True):
                model = ridge(rows, mine, common, metric, strength, model)
                yield client, strength, model

    for f in range(5):
        for client, strength, model in models(rows.train & (fold != f), PULLS):
            missed[strength] += losses(rows, rows.train & (rows.client == client) & (fold == f), model).sum()
    return {client: model for client, _, model in models(rows.train, [min(missed, key=missed.get)])}


def pulled(rows, chosen, common, strength):
    """The minimum of the loss on the chosen rows plus strength / 2 times the squared distance to a model."""
    x, y, start = torch.tensor(rows.x[chosen]), torch.tensor(rows.y[chosen]), torch.tensor(common)
    weight = start.clone().requires_grad_()
    solver = torch.optim.LBFGS([weight], max_iter=200, line_search_fn="strong_wolfe")

    def objective():
        solver.zero_grad()
        scores = x @ weight.T
        classes = "classes" in rows.schema["target"]
        loss = torch.nn.functional.cross_entropy(scores, y) if classes else ((scores[:, 0] - y) ** 2).mean() / 2
        loss = loss + strength / 2 * ((weight - start) ** 2).sum()
        loss.backward()
        return loss

    solver.step(objective)
    return weight.detach().numpy()


def nearest(rows, model, client):
    """Predictions of knn-per for a client's test rows: half the common model's, half its ten nearest training rows'."""
    mine, test = rows.train & (rows.client == client), ~rows.train & (rows.client == client)
    scores, y = rows.x[test] @ model.T, rows.y[mine][:, None]
    if "classes" in rows.schema["target"]:
        scores, y = probabilities(scores), numpy.eye(model.shape[0])[rows.y[mine]]
    near = KNeighborsRegressor(min(10, len(y)), weights=lambda gaps: numpy.exp(-gaps) + 1e-300).fit(rows.x[mine], y)
    return (scores + near.predict(rows.x[test])) / 2


def figure(rows, scores):
    """Accuracy in %, or the RMSE in units, of scores of the test rows."""
    y = rows.y[~rows.train]
    if "classes" in rows.schema["target"]:
        return 100 * (scores.argmax(axis=1) == y).mean()
    return rows.schema["target"]["deviation"] * numpy.sqrt(((scores[:, 0] - y) ** 2).mean())


class References:
    """What others make of the rows of one table and seed; fits of a set of clients are made once."""

    def __init__(self, rows, rate, seed, with_steps):
        self.rows, self.rate, self.seed, self.with_steps = rows, rate, seed, with_steps
        self.made = {}

    def fit(self, kind, clients):
        key = kind, tuple(sorted(clients))
        if key not in self.made:
            chosen = self.rows.train & numpy.isin(self.rows.client, key[1])
            self.made[key] = optimum(self.rows, chosen) if kind == "optimum" else \
                steps(self.rows, chosen, self.rate, self.seed)
        return self.made[key]

    def of(self, method, cluster):
        """(optimum, steps) of a method whose clients are in these clusters."""
        clients = sorted(cluster)
        groups = collections.defaultdict(list)
        for client in clients:
            groups[client if method in ALONE else cluster[client]].append(client)
        sizes = {c: (self.rows.train & (self.rows.client == c)).sum() for c in clients}
        if method in MEANS:
            alone = {c: self.fit("optimum", [c]) for c in clients}
            models = {k: numpy.average([alone[c] for c in g], axis=0, weights=[sizes[c] for c in g])
                      for k, g in groups.items()}
        elif method == "ditto":
            common = self.fit("optimum", clients)
            models = {c: pulled(self.rows, self.rows.train & (self.rows.client == c), common, 1.0) for c in clients}
        elif method == "shrink":
            models = ridges(self.rows, self.seed)
        else:
            models = {k: self.fit("optimum", g) for k, g in groups.items()}
        best = self.score(groups, models, nearest if method == "knn-per" else None)
        if not self.with_steps or method in (*MEANS, "ditto", "knn-per", "local-erm", "shrink"):
            return best, None
        return best, self.score(groups, {k: self.fit("steps", g) for k, g in groups.items()})

    def score(self, groups, models, predict=None):
        rows = self.rows
        test = numpy.flatnonzero(~rows.train)
        width = next(iter(models.values())).shape[0]
        scores = numpy.zeros((len(rows.y), width))
        for k, group in groups.items():
            for client in group:
                mine = ~rows.train & (rows.client == client)
                if mine.any():
                    scores[mine] = predict(rows, models[k], client) if predict else rows.x[mine] @ models[k].T
        return figure(rows, scores[test])


def clusters_of(out):
    with (out / "clients.csv").open() as file:
        return {int(line["id"]): line["cluster"] for line in csv.DictReader(file) if line["role"] == "train"}


def our_figure(out):
    metrics = json.loads((out / "summary.json").read_text())["metrics"]
    return metrics["rmse"]["mean"] if "rmse" in metrics and metrics["rmse"]["mean"] is not None else \
        100 * metrics["accuracy"]["mean"]


def rate_of(out):
    for line in (out / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        if event["kind"] == "rate":
            return event["rate"]
    return None


Cell = collections.namedtuple("Cell", "ours optimum steps clusters")


def table_cells(program, folder, name, methods, seeds, pool):
    """Cells of each method, one for each seed, and what runs that failed said."""
    table, cells, failures = write_table(folder, name), collections.defaultdict(list), {}
    for seed in seeds:
        runs = dict(zip(methods, pool.map(lambda m: run(program, folder, name, m, seed), methods)))
        outs = {method: out for method, (out, _) in runs.items() if out}
        failures |= {method: said for method, (_, said) in runs.items() if said and method not in failures}
        rate = next(filter(None, map(rate_of, outs.values())), None)
        references = References(as_features(table, next(iter(outs.values()))), rate, seed, name in TORCH)
        for method, out in outs.items():
            cluster = clusters_of(out)
            cells[method].append(Cell(our_figure(out), *references.of(method, cluster), len(set(cluster.values()))))
    return cells, failures


def spread(values):
    return numpy.std(values, ddof=1) if len(values) > 1 else 0.0


def mark(row, lower_is_better):
    """How far the figures of a method are from the nearer of its references, beyond noise."""
    ours = [cell.ours for cell in row]
    gaps = []
    for theirs in ([cell.optimum for cell in row], [cell.steps for cell in row]):
        if theirs[0] is not None:
            gap = numpy.mean(ours) - numpy.mean(theirs)
            gaps.append((abs(gap) - max(spread(ours), spread(theirs)), gap))
    beyond, gap = min(gaps)
    return "" if beyond <= 0 else " +" if (gap < 0) == lower_is_better else " !"


def shown(row, name):
    """Two cells of the printed table: our figure, and those of the references."""
    if not row:
        return "refused | –"
    ours = [cell.ours for cell in row]
    theirs = [f"{numpy.mean([getattr(c, kind) for c in row]):.1f}" for kind in ("optimum", "steps")
              if getattr(row[0], kind) is not None]
    return f"{numpy.mean(ours):.1f} ± {spread(ours):.1f}{mark(row, name == 'air')} | {' / '.join(theirs)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--methods", default="", help="default: all that need no true clusters")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--seeds", type=int, default=5, help="seeds 1 to N")
    parser.add_argument("--folder", type=pathlib.Path, help="where runs go; default: a temporary folder")
    parser.add_argument("--jobs", type=int, default=2, help="runs at once")
    arguments = parser.parse_args()
    if "COTERIE_DATA" not in os.environ:
        raise SystemExit("error: set COTERIE_DATA to the folder of the data sets")
    warnings.simplefilter("ignore", ConvergenceWarning)  # rows that a line parts have no best model
    listed = subprocess.run([arguments.program, "list", "algorithms", "--names"], capture_output=True, text=True, check=True)
    methods = arguments.methods.split(",") if arguments.methods else \
        [name for name in listed.stdout.split() if name not in NEED_TRUTH]
    tables, seeds = arguments.tables.split(","), range(1, arguments.seeds + 1)
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = arguments.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        made = {name: table_cells(arguments.program, folder, name, methods, seeds, pool) for name in tables}
    print("| | " + " | ".join(f"{TITLES[name]} | reference" for name in tables) + " |")
    print("|---" * (2 * len(tables) + 1) + "|")
    for method in methods:
        print(f"| `{method}` | " + " | ".join(shown(made[name][0].get(method), name) for name in tables) + " |")
    print("\nClusters found, seed by seed:\n")
    for name in tables:
        print(f"- {name}: " + ", ".join(f"{method} {'/'.join(str(c.clusters) for c in row)}"
                                        for method, row in made[name][0].items() if method not in ALONE))
    print("\nFailures:\n")
    for name in tables:
        for method, said in made[name][1].items():
            print(f"- {method} on {name}: {said}")


if __name__ == "__main__":
    main()
