#!/usr/bin/env python3
"""Compares the runs of two folders that fingerprint.py made with two programs.

  same_runs.py BEFORE AFTER [--defaults]
  same_runs.py --self-test                  check that differences are found, and only those

For each run that differs: which of its models, rounds, events and clients do, by what both programs write (a column or a
figure that only one has is left aside), and the options whose values differ. --defaults also tells, for all runs
together, the options whose values differ although results are equal, or that only one program has. The exit status is 1
when a result differs.
"""

import collections
import csv
import json
import pathlib
import sys
import tempfile
import tomllib

from fingerprint import WORDS, tensors
from short_runs import flat

NOT_RESULTS = ("summary.json", "refused.txt")


def runs(folder):
    return {str(path.parent.relative_to(folder)): path.parent
            for name in NOT_RESULTS for path in folder.rglob(name)}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def common(left, right):
    """Two records, with the keys alone that both have."""
    keys = left.keys() & right.keys()
    return [{key: record[key] for key in sorted(keys) if not key.startswith("bytes")} for record in (left, right)]


def same_records(left, right):
    if len(left) != len(right):
        return False
    for pair in zip(left, right):
        one, other = common(*pair)
        if one != other:
            return False
    return True


def events(folder):
    kept = [event for event in lines(folder / "events.jsonl") if event["kind"] not in WORDS]
    for event in kept:
        event.pop("text", None)
    return kept


def clients(folder):
    with (folder / "clients.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def models(folder):
    return {path.name: tensors(path) for path in folder.glob("models/cluster-*.safetensors")}


def options(folder):
    path = folder / "config.toml"
    return flat(tomllib.loads(path.read_text())) if path.exists() else {}


def differences(left, right):
    """What differs between two run folders; empty when nothing does."""
    refused = [(folder / "refused.txt").exists() for folder in (left, right)]
    if all(refused):
        return []
    if any(refused):
        which = left if refused[0] else right
        return ["only one ran: " + (which / "refused.txt").read_text().strip().splitlines()[-1][:200]]
    found = []
    if models(left) != models(right):
        found.append("models")
    if not same_records(lines(left / "rounds.jsonl"), lines(right / "rounds.jsonl")):
        found.append("rounds")
    if not same_records(events(left), events(right)):
        found.append("events")
    if not same_records(clients(left), clients(right)):
        found.append("clients")
    return found


def self_test():
    """A run folder and changes of it, each with what has to be found."""
    plain = {"rounds.jsonl": '{"round":1,"loss":0.5,"bytes_up":3}\n', "clients.csv": "id,loss\n0,0.5\n",
             "events.jsonl": '{"round":1,"kind":"split","text":"a","cluster":0}\n', "summary.json": "{}"}
    cases = {
        "rounds": {"rounds.jsonl": '{"round":1,"loss":0.25,"bytes_up":3}\n'},
        "rounds of another number": {"rounds.jsonl": ""},
        "events": {"events.jsonl": '{"round":1,"kind":"split","text":"a","cluster":1}\n'},
        "clients": {"clients.csv": "id,loss\n0,0.25\n"},
        "": {"rounds.jsonl": '{"round":1,"loss":0.5,"bytes_up":4,"later":1}\n', "clients.csv": "id,auc,loss\n0,1,0.5\n",
             "events.jsonl": '{"round":1,"kind":"note","text":"b"}\n{"round":1,"kind":"split","text":"c","cluster":0}\n'},
        "only one ran": {"refused.txt": "error: no\n"},
    }
    problems = []
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for number, (wanted, changes) in enumerate(cases.items()):
            sides = [root / f"{number}-{side}" for side in ("before", "after")]
            for folder, files in zip(sides, (plain, plain | changes)):
                folder.mkdir()
                for file, text in files.items():
                    (folder / file).write_text(text)
            found = differences(*sides)
            if len(found) != bool(wanted) or (found and found[0].split(":")[0] != wanted.split(" of ")[0]):
                problems.append(f"wanted {wanted or 'nothing'}, found {found}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) != 2:
        sys.exit(__doc__)
    before, after = (runs(pathlib.Path(folder)) for folder in arguments)
    if not before or not after:
        sys.exit("no runs in " + (arguments[1] if before else arguments[0]))
    equal, different, refused = 0, 0, 0
    changed, only = collections.Counter(), collections.Counter()
    for name in sorted(before.keys() & after.keys()):
        left, right = before[name], after[name]
        old, new = options(left), options(right)
        values = [f"{key}: {old[key]} -> {new[key]}" for key in sorted(old.keys() & new.keys()) if old[key] != new[key]]
        found = differences(left, right)
        if found:
            different += 1
            print(f"{name}: {', '.join(found)} differ" if len(found[0]) < 20 else f"{name}: {found[0]}")
            for value in values:
                print(f"    {value}")
            continue
        both_refused = (left / "refused.txt").exists()
        refused += both_refused
        equal += not both_refused
        changed.update(values)
        only.update(f"before: {key} = {old[key]}" for key in old.keys() - new.keys())
        only.update(f"after: {key} = {new[key]}" for key in new.keys() - old.keys())
    if "--defaults" in sys.argv:
        for title, counts in (("Other values, equal results", changed), ("Options that only one has", only)):
            print(title)
            for text, count in sorted(counts.items()):
                print(f"    {text} ({count} runs)")
    for title, names in (("only before", before.keys() - after.keys()), ("only after", after.keys() - before.keys())):
        for name in sorted(names):
            print(f"{name}: {title}")
    print(f"{equal} equal, {different} different, {refused} refused by both, "
          f"{len(before.keys() ^ after.keys())} in one folder only")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
