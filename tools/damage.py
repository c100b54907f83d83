#!/usr/bin/env python3
"""Damages run folders at random, uses them as a user would, and tells whether a result ever came out wrong.

  damage.py PROGRAM [--count N] [--seed S] [--methods A,B] [--jobs N] [--only N]

Each method makes small runs: one that finished, one as a kill leaves it between two checkpoints, and a shorter, older
one. A damage changes one file of a copy: a bit, a stretch of zeros, a cut, bytes or lines too many, the file of another
run or of the older one in its place, or no file at all. A stopped run is then resumed; a finished one is shown,
compared, run again, made longer, and its models are started from. Each of these must either

  refuse       with status 1 or 2 and a short, plain error that names the file, and leave the folder as it was, or
  be harmless  and succeed with the bits of an undamaged run. Times, and a page that was itself damaged, are no results.

Then tables of data are changed under stopped runs: every one must be refused. Ends with status 1 if anything was wrong.

  --only N   damage N of this seed alone, with what each use of the folder came to
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

CONFIG = """
name = "tiny"
data = { source = "csv", file = "sites.csv", client = "site", target = "well" }
model = { kind = "softmax", l2 = 0.05 }
clusters = { count = 2 }
local = { solver = "sgd", rate = 0.3, batch = 4, momentum = 0.5, momentum_survives = true }
rounds = { participation = 0.75 }
checkpoint = { every = 2 }
"""
# With what makes a method do something in so few rounds.
METHODS = {name: [] for name in (
    "ifca", "fedavg", "local", "ditto", "knn-per", "fedem", "fedrc", "hcfl-plus", "stocfl", "odcl", "one-shot",
    "federated-clustering", "momentum-clustering", "fesem", "fedsoft", "pacfl")}
METHODS["cfl"] = ["algorithm.cfl.eps1=10", "algorithm.cfl.eps2=0.01", "algorithm.cfl.split_after=1"]
CHANGED = ["ifca", "ditto", "fedem", "cfl", "odcl", "federated-clustering"]  # whose tables are changed
RESULTS = ["rounds.jsonl", "events.jsonl", "clients.csv", "schema.json", "agreement.toml", "summary.json"]
VARYING = ["seconds", "seconds_per_round", "threads", "peak_rss_bytes", "checksum", "checksums"]
RAW = ["defect of coterie", "exception", "std::", "filesystem error", "basic_", "max_size", "terminate", "bad_alloc"]
SCREEN = 2000


def table():
    """A header and rows; in odd sites those are well who are ill in even ones."""
    draw = random.Random(5)
    rows = []
    for site in [f"site {i // 10}" for i in range(80)]:
        age, dose, colour = draw.randint(20, 80), round(draw.uniform(0, 4), 2), draw.choice(["red", "green"])
        rows.append([site, age, dose, colour, "yes" if (age / 20 - dose > 0.5) != (site[-1] in "1357") else "no"])
    return ["site", "age", "dose", "colour", "well"], rows


def changes():
    """What may become of the table: a name, a header and rows."""
    header, rows = table()
    yield "a value changed", header, [*rows[:12], [*rows[12][:2], 3.99, *rows[12][3:]], *rows[13:]]
    yield "a row added", header, [*rows[:35], [rows[35][0], 33, 1.25, "red", "yes"], *rows[35:]]
    yield "a row removed", header, rows[:41] + rows[42:]
    swapped = {3: [rows[3][0], *rows[63][1:]], 63: [rows[63][0], *rows[3][1:]]}
    yield "rows of two clients swapped", header, [swapped.get(i, row) for i, row in enumerate(rows)]
    yield "a column renamed", [*header[:2], "amount", *header[3:]], rows
    yield "a column added", [*header[:4], "weight", "well"], [[*row[:4], row[1] % 7, row[4]] for row in rows]


def write_experiment(folder, header, rows):
    (folder / "sites.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in [header, *rows]))
    (folder / "exp.toml").write_text(CONFIG)


def contents(folder):
    """Every file but the mark, which is empty: whoever locks a folder makes it again."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".coterie-run"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def results(folder):
    """All of a run that must not vary."""
    found = {name: data for name, data in contents(folder).items() if name in RESULTS or name.startswith("models/")}
    try:
        summary = json.loads(found["summary.json"])
        found["summary.json"] = {key: value for key, value in summary.items() if key not in VARYING}
    except (KeyError, ValueError):
        pass  # left as it is, it differs from a whole one
    return found


def differing(one, other):
    return ", ".join(sorted(name for name in {*one, *other} if one.get(name) != other.get(name)))


class Runs:
    """The runs of one method, and what comes of an undamaged folder in each way of use."""

    def __init__(self, program, place, method):
        self.program, self.place, self.method, self.folder = program, place, method, place / method
        for name, rounds in (("whole", 6), ("finished", 4), ("older", 2)):
            self.must(self.run(self.folder, rounds, "--out", name))
        # What a kill leaves after the checkpoint of round 4: no summary, and half a line that no checkpoint knows.
        at_the_end = shutil.ignore_patterns("models", "summary.json", "schema.json", "clients.csv", "report.html")
        shutil.copytree(self.folder / "finished", self.folder / "stopped", ignore=at_the_end)
        shutil.copy(self.folder / "whole" / "config.toml", self.folder / "stopped")
        with open(self.folder / "stopped" / "rounds.jsonl", "ab") as log:
            log.write(b'{"round":5,"phase":"tra')
        self.models = len(list(self.folder.glob("finished/models/cluster-*")))
        self.ways = {"stopped": ["resume"],
                     "finished": ["report", "compare", "again", "longer", *["start"] * bool(self.models)]}
        self.expected = {}
        for base, way in [(base, way) for base, ways in self.ways.items() for way in ways]:
            shutil.copytree(self.folder / base, self.folder / way / "run")
            self.must(self.use(way, self.folder / way))
            self.expected[way] = self.outcome(way, self.folder / way)
        if not self.expected["longer"] == self.expected["resume"] == results(self.folder / "whole"):
            sys.exit(f"error: {method}: an undamaged run that goes on has other bits than an unbroken one")

    def must(self, done):
        if done.returncode != 0:
            sys.exit(f"error: {self.method}: without any damage: {done.stderr.decode()}")

    def call(self, place, *arguments):
        place.mkdir(exist_ok=True)
        command = ["timeout", "60", self.program, *map(str, arguments)]
        with open(place / "said", "wb") as said:
            return subprocess.run(command, cwd=place, stdout=said, stderr=subprocess.PIPE, check=False)

    def run(self, place, rounds, *more, method=None):
        """By the config and the table in `place`, where it has any of its own."""
        method = method or self.method
        own = place / "exp.toml"
        settings = [f"algorithm.kind={method}", f"rounds.count={rounds}", *METHODS[method]]
        return self.call(place, "run", own if own.exists() else self.place / "exp.toml", "--quiet", "--threads", 1,
                         *[word for setting in settings for word in ("--set", setting)], *more)

    def use(self, way, place):
        """Uses place/run in one of the ways."""
        if way == "report":
            return self.call(place, "report", "run")
        if way == "compare":
            return self.call(place, "compare", "run", self.folder / "whole")
        if way == "start":
            return self.run(place, 1, "--out", "new", "--set", "clusters.init=file", "--set", "clusters.file.path=run",
                            "--set", f"clusters.count={self.models}", method="ifca")
        return self.run(place, 4 if way == "again" else 6, "--out", "run", "--resume")

    def outcome(self, way, place):
        if way == "report":
            return {"report.html": (place / "run" / "report.html").read_bytes()}
        if way == "compare":
            return {"the table": (place / "said").read_bytes()}
        return results(place / ("new" if way == "start" else "run"))

    def judge(self, way, place, wanted):
        """What a use of place/run comes to: "refused", "harmless" or what is wrong. `wanted`: in any refusal's text."""
        before = contents(place / "run")
        done = self.use(way, place)
        after = contents(place / "run")
        status, text = done.returncode, done.stderr.decode(errors="replace")
        if status not in (0, 1, 2):
            return f"crashed or hung (status {status}): {text}"
        if len(text) > SCREEN or any(raw in text for raw in RAW) or not text.replace("\n", "").isprintable():
            return f"status {status} with a text that is not plain: {text[:SCREEN]}"
        if status != 0 and not ("error: " in text and re.search(wanted, text)):
            return f"a refusal without {wanted}: {text}"
        if status != 0:
            return "refused" if before == after else f"refused, but changed {differing(before, after)}: {text}"
        found = self.outcome(way, place)
        if found != self.expected[way]:
            return f"success with other bits in {differing(self.expected[way], found)}: {text}"
        if way in ("report", "compare", "start") and differing(before, after) not in ("", "report.html"):
            return f"success that changed {differing(before, after)}"
        return "harmless"


def damage(draw, data, are_lines, others):
    """What is done to a file, and what is left in it, or nothing. `others`: what can be put in its place."""
    at = int(draw.random() * len(data))
    kinds = ["flip", "zero", "cut", *["repeat"] * are_lines] if data else []
    kind = draw.choice([*kinds, "append", "delete", *["put"] * bool(others)])
    if kind == "delete":
        return "deleted", None
    if kind == "put":
        other = draw.choice(others)
        return f"replaced by {'/'.join(other.parts[-4:])}", other.read_bytes()
    if kind == "append":
        more = draw.choice([draw.randbytes(40), b"\n", b"0", data[:100], b"x" * 5000])
        return f"with {len(more)} bytes more", data + more
    if kind == "cut":
        return f"cut to {at} bytes", data[:at]
    if kind == "repeat":
        rows = data.splitlines(keepends=True)
        first = draw.randrange(len(rows))
        last = draw.randrange(first, len(rows)) + 1
        return f"with lines {first + 1} to {last} twice", b"".join(rows[:last] + rows[first:])
    if kind == "zero":
        length = min(draw.choice([1, 16, 300]), len(data) - at)
        return f"with {length} zeros from byte {at} on", data[:at] + bytes(length) + data[at + length:]
    bit = draw.randrange(8)
    return f"with bit {bit} of byte {at} flipped", data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:]


def try_damage(number, seed, all_runs, place):
    """A folder with one damage, in every way of use: what was done, and what each way came to."""
    draw = random.Random(f"{seed}/{number}")
    runs, base = draw.choice(all_runs), draw.choice(["finished", "stopped"])
    whole = runs.folder / base
    files = [path.relative_to(whole).as_posix() for path in sorted(whole.rglob("*")) if path.is_file()]
    name = draw.choice(files)
    kind = re.sub(r"\d+", "*", name)
    others = [path for some in all_runs for path in sorted(some.folder.glob(f"{base}/{kind}"))]
    others += sorted(runs.folder.glob(f"older/{kind}")) * len(others)  # one in two
    before = after = (whole / name).read_bytes()
    while after == before:  # what changes nothing is no damage
        what, after = damage(draw, before, name.endswith((".jsonl", ".csv")), others)
    # Where a file is another's, two files disagree, and either may be named.
    wanted = "|".join(map(re.escape, files)) if what.startswith("replaced") else re.escape(name)
    verdicts = {}
    for way in runs.ways[base]:
        case = place / f"damage-{number}-{way}"
        shutil.copytree(whole, case / "run")
        (case / "run" / name).unlink() if after is None else (case / "run" / name).write_bytes(after)
        verdicts[way] = runs.judge(way, case, wanted)
        shutil.rmtree(case)
    return f"damage {number}: {runs.method}, a {base} run, {name} {what}", verdicts


def try_change(number, runs, change, place):
    """A stopped run goes on with another table: what was done, and what that came to."""
    what, header, rows = change
    case = place / f"change-{number}"
    shutil.copytree(runs.folder / "stopped", case / "run")
    write_experiment(case, header, rows)
    verdict = runs.judge("resume", case, r"has changed.*; restore the data.*--force")
    shutil.rmtree(case)
    return f"{runs.method}, {what}", {"resume": "not noticed" if verdict == "harmless" else verdict}


def count(tried, options):
    """How many were refused in some way of use, were harmless in all, or were wrong in some; those are told."""
    counts = {"refused": 0, "harmless": 0, "wrong": 0}
    for what, verdicts in tried:
        wrong = [way for way, verdict in verdicts.items() if verdict not in ("refused", "harmless")]
        counts["wrong" if wrong else "refused" if "refused" in verdicts.values() else "harmless"] += 1
        told = verdicts if options.only is not None else wrong
        for line in [f"seed {options.seed}, {what}"] * bool(told) + [f"  {way}: {verdicts[way]}" for way in told]:
            print(line, flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--methods", default=",".join(METHODS))
    for name, default in (("--count", 500), ("--seed", 1), ("--jobs", 2), ("--only", None)):
        parser.add_argument(name, type=int, default=default)
    options = parser.parse_args()
    program, methods = options.program.resolve(), options.methods.split(",")
    if not program.is_file() or set(methods) - set(METHODS):
        sys.exit(f"error: give the built program, and methods among {', '.join(METHODS)}")
    memory = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None  # a run waits for its disk
    with tempfile.TemporaryDirectory(prefix="coterie-damage-", dir=memory) as temp, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        place = pathlib.Path(temp)
        write_experiment(place, *table())
        all_runs = list(pool.map(lambda method: Runs(program, place, method), methods))
        numbers = range(1, options.count + 1) if options.only is None else [options.only]
        found = count(pool.map(lambda n: try_damage(n, options.seed, all_runs, place), numbers), options)
        told = ", ".join(f"{n} {how}" for how, n in found.items())
        print(f"{len(numbers)} damages over {len(methods)} methods: {told}")
        wrong = found["wrong"]
        if options.only is None:
            cases = [(runs, change) for runs in all_runs if runs.method in CHANGED for change in changes()]
            found = count(pool.map(lambda n: try_change(n, *cases[n], place), range(len(cases))), options)
            print(f"{len(cases)} changed tables: {found['refused']} refused, {found['wrong']} wrong")
            wrong += found["wrong"]
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
