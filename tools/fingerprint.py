#!/usr/bin/env python3
"""Hashes of what runs give, to show that a change of the program changed no result.

  fingerprint.py PROGRAM FOLDER [--examples]            > list   runs go to FOLDER
  fingerprint.py PROGRAM FOLDER --papers [--root DIR]   > list
  same_runs.py FOLDER FOLDER                                     compares them; or compare two lists with diff

Runs every method on digits and on a mixed linear regression, every start, attack and aggregator, and, when asked, every
example. --papers: instead, every experiment, example and benchmark in a short form (short_runs.py), of the repository
DIR, which should be that of the program. A line has the run's name, a hash of its results (models, rounds.jsonl without
bytes, kinds and numbers of events, clients.csv) and, apart from it, the last counts of bytes up, down and for
evaluation, and of overhead. Equal only for one kind of processor.
"""

import argparse
import csv
import hashlib
import io
import json
import pathlib
import struct
import re
import shutil
import subprocess

from short_runs import short_runs

ROOT = pathlib.Path(__file__).resolve().parent.parent

LATER = ("balanced_accuracy", "auc", "rmse", "mae")  # of clients.csv
WORDS = ("note", "warning", "parts", "rate", "diverged", "finished")  # kinds of events that tell in words what the rest shows

DIGITS = """
[data]
source = "digits"
[[shift]]
kind = "rotate"
angles = [0, 180]
[clients]
count = 12
partition = "dirichlet"
alpha = 5.0
[unseen]
count = 2
[model]
kind = "mlp"
hidden = [16]
[clusters]
count = 2
init = "random"
[local]
rate = 0.1
[rounds]
count = 4
participation = 0.75
[evaluate]
every = 2
"""

LINEAR = """
precision = "double"
[data]
source = "mixed-linear"
clusters = 2
dimension = 6
noise = 0.3
[clients]
count = 16
samples = 40
[model]
kind = "linear"
intercept = false
[clusters]
count = 2
init = "random"
[local]
solver = "gd"
rate = 0.1
steps = 3
[rounds]
count = 4
participation = 0.75
[evaluate]
every = 2
"""


def names(program, kind):
    return subprocess.run([program, "list", kind, "--names"], capture_output=True, text=True, check=True).stdout.split()


def tensors(path):
    """The numbers of a model file, in the order of its layout in memory."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    outputs_first = "format" in header.get("__metadata__", {})
    body = data[8 + length :]
    parts = []
    for key, entry in header.items():
        if key == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        values, shape = body[begin:end], entry["shape"]
        if outputs_first and len(shape) == 2:
            width = len(values) // max(1, shape[0] * shape[1])
            cells = [values[i * width : (i + 1) * width] for i in range(shape[0] * shape[1])]
            values = b"".join(cells[r * shape[1] + c] for c in range(shape[1]) for r in range(shape[0]))
        parts.append((begin, values))
    return b"".join(values for _, values in sorted(parts))


def clients(path):
    """The table of clients, without the columns that programs up to 0.2.0 did not write."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    kept = [i for i, name in enumerate(rows[0]) if name not in LATER]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([row[i] for i in kept] for row in rows)
    return text.getvalue().encode()


def results(folder):
    """The hash of the results of one run folder, then its byte counts."""
    result, counts = hashlib.sha256(), {}
    for line in (folder / "rounds.jsonl").read_text().splitlines():
        record = json.loads(line)
        counts.update({k: v for k, v in record.items() if k.startswith("bytes")})
        result.update(json.dumps({k: v for k, v in record.items() if not k.startswith("bytes")}).encode())
    for line in (folder / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        if event["kind"] in WORDS:
            continue
        event.pop("text", None)
        result.update(json.dumps(event).encode())
    result.update(clients(folder / "clients.csv"))
    for model in sorted(folder.glob("models/*.safetensors")):
        result.update(model.name.encode() + tensors(model))
    return result.hexdigest()[:16], *(f"{key[6:]}={value}" for key, value in counts.items())


def run(program, folder, name, config, *settings):
    out = folder / name
    shutil.rmtree(out, ignore_errors=True)
    command = [program, "run", str(config), "--out", str(out), "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode in (0, 1) and any(out.rglob("summary.json")):  # 1: it diverged
        for found in sorted(out.rglob("summary.json")):
            label = found.parent.relative_to(folder)
            print(label, *results(found.parent), flush=True)
    else:
        why = answer.stderr.strip() or f"exit status {answer.returncode}"
        out.mkdir(parents=True, exist_ok=True)
        (out / "refused.txt").write_text(why + "\n")
        print(name, "refused", why.splitlines()[-1][:160], flush=True)
    return out


def papers(program, folder, root):
    """The short form of every experiment; a run that several share is made once and is there under each name."""
    made = {}
    for label, config, settings in short_runs(root):
        name = re.sub(r"[^A-Za-z0-9./=-]+", "-", label)
        first = made.setdefault((config, settings), name)
        if first == name:
            run(program, folder, name, config, *settings)
        else:
            shutil.copytree(folder / first, folder / name, dirs_exist_ok=True)
            print(name, "is", first, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--papers", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    arguments = parser.parse_args()
    program, folder = arguments.program, arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.papers:
        papers(program, folder, arguments.root)
        return
    digits, linear = folder / "digits.toml", folder / "linear.toml"
    digits.write_text(DIGITS)
    linear.write_text(LINEAR)
    for method in names(program, "algorithms"):
        run(program, folder, f"digits-{method}", digits, f"algorithm.kind={method}")
        run(program, folder, f"linear-{method}", linear, f"algorithm.kind={method}")
        run(program, folder, f"scramble-{method}", linear, f"algorithm.kind={method}", "fleet.kind=scramble")
    for start in names(program, "inits"):
        settings = ["algorithm.kind=ifca", f"clusters.init={start}"]
        if start in ("file", "given"):
            models = sorted((folder / "linear-ifca").glob("models/*.safetensors"))
            if start == "given":
                settings.append("clusters.given.models=[[0.1,0.2,0.3,0.4,0.5,0.6],[0.6,0.5,0.4,0.3,0.2,0.1]]")
            else:
                settings.append(f"clusters.file.path={models[0].parent}" if models else "")
        run(program, folder, f"start-{start}", linear, *settings)
        if start not in ("file", "given"):
            run(program, folder, f"digits-start-{start}", digits, *settings)
    for attack in names(program, "attacks"):
        run(program, folder, f"attack-{attack}", digits, "algorithm.kind=ifca", f"attack.kind={attack}", "fleet.quorum=0")
        run(program, folder, f"attack-fc-{attack}", linear, "algorithm.kind=federated-clustering", f"attack.kind={attack}",
            "fleet.quorum=0")
    for rule in names(program, "aggregators"):
        run(program, folder, f"rule-{rule}", digits, "algorithm.kind=ifca", f"aggregate.kind={rule}")
    if arguments.examples:
        for example in sorted((arguments.root / "examples").glob("*.toml")):
            run(program, folder, f"example-{example.stem}", example)


if __name__ == "__main__":
    main()
