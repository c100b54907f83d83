"""Every experiment of papers/, every example and every benchmark in a short form: few rounds, few and small clients.

`short_runs(root)` gives (label, config, settings), as `coterie run CONFIG --set SETTING ...` takes them. An experiment is
taken at its quick scale, each cell with the first seed; of a grid's lists, of strengths and of attempts the first and
the last value stand for all. Cells that share their run come once.
"""

import itertools
import json
import re
import tomllib

# The most that a key may be. A value that is a list of one number is the size of a network.
LIMITS = {
    "rounds.count": 10,
    "rounds.cohort": 20,
    "clients.count": 24,
    "clients.samples": 200,      # a batch of 128 has to fit
    "unseen.count": 8,
    "evaluate.every": 3,
    "evaluate.clients": 8,
    "data.dimension": 50,
    "model.hidden": 16,
    "clusters.restarts.trials": 2,
    "clusters.restarts.rounds": 2,
    "clusters.fedmd.rounds": 3,
    "clusters.fedmd.cohort": 12,
    "algorithm.local-erm.iterations": 200,
    "algorithm.odcl.iterations": 200,
    "algorithm.cluster-oracle.iterations": 200,
    "clusters.cluster-oracle.iterations": 200,
}
SIZES = 40  # clients of one size, where clients.sizes has "900x10"


def flat(table, prefix=""):
    """Settings of a table, by their dotted paths."""
    out = {}
    for key, value in table.items():
        if isinstance(value, dict):
            out.update(flat(value, f"{prefix}{key}."))
        else:
            out[prefix + key] = value
    return out


def ends(values):
    return values if len(values) < 2 else [values[0], values[-1]]


def product(axes):
    """A dictionary for each combination of the first and the last values."""
    return [dict(zip(axes, point)) for point in itertools.product(*(ends(values) for values in axes.values()))]


def shortened(config):
    """What a config (flat) has to be told to be short."""
    out = {}
    whole = config.get("data.redeal", "never").startswith("pytorch")  # deals all rows: clients stay as they are
    for key, most in LIMITS.items():
        if whole and key.startswith("clients."):
            continue
        most = 3 if whole and key == "rounds.count" else most
        value = config.get(key)
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], int) and value[0] > most:
            out[key] = [most]
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and value > most:
            out[key] = most
    sizes = config.get("clients.sizes")
    if sizes:
        out.pop("clients.count", None)
        short = [re.sub(r"^(\d+)x", lambda found: f"{min(SIZES, int(found[1]))}x", str(size)) for size in sizes]
        if short != sizes:
            out["clients.sizes"] = short
    return out


def plain(value):
    return value if isinstance(value, str) else json.dumps(value)


def as_toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(as_toml(item) for item in value) + "]"
    return json.dumps(value)


def settings_of(values):
    return tuple(f"{key}={as_toml(value)}" for key, value in values.items())


def load(path):
    return tomllib.loads(path.read_text())


def cells(folder):
    """(run, config, settings) of one experiment, in its order."""
    top = load(folder / "experiment.toml")
    quick = top.get("quick", {})
    grid = flat(top.get("grid", {})) | flat(quick.get("grid", {}))
    trial = top.get("trial")
    attempts = {}
    if trial:
        attempts = flat(trial.get("attempts", {})) | flat(quick.get("attempts", {}))
    seed = top.get("first_seed", 0)
    for cell in top["cell"]:
        worst = flat(cell.get("lowest_of", {}) or cell.get("highest_of", {}))
        config = (folder / cell.get("config", top["config"])).resolve()
        for point, one, attempt in itertools.product(product(grid), product(worst), product(attempts)):
            run = cell.get("run", cell["name"])
            for key, value in point.items():
                run = run.replace("{" + key + "}", plain(value))
            run += "".join(f", {key} = {plain(value)}" for key, value in (one | attempt).items())
            values = flat(top.get("set", {})) | point | flat(cell.get("set", {}))
            values |= flat(quick.get("set", {})) | flat(cell.get("quick", {})) | one | attempt
            values |= {"data.seed": seed} if trial else {"seed": seed}
            values |= shortened(flat(load(config)) | values)
            yield run, config, settings_of(values)


def short_runs(root):
    for experiment in sorted((root / "papers").glob("*/*/experiment.toml")):
        known = set()
        for run, config, settings in cells(experiment.parent):
            if run not in known:
                known.add(run)
                yield f"{experiment.parent.name}/{run}", config, settings
    for folder in ("examples", "bench/configs"):
        for config in sorted((root / folder).glob("*.toml")):
            values = flat(load(config))
            short = shortened(values)
            short |= {key: ends(value)[:1] for key, value in values.items() if key == "sweep.seed"}
            yield f"{folder.split('/')[0]}/{config.stem}", config, settings_of(short)
