#!/usr/bin/python3
"""Ranks of the fleet `mpi`: speed, memory, waiting, and a cost model of them (docs/scaling.md).

usage: scaling.py PROGRAM [PART...] [--svg FILE]
  PROGRAM  build/coterie, with the add-on (make mpi); MNIST for `speed` in $COTERIE_DATA
  PART     speed     2 ranks x 1 thread against 1 rank x 2 threads
           memory    of a rank: a + b x all clients + c x own clients
           clients   10^5 to 10^7 clients on 2 ranks
           waiting   of ranks for the slowest, with client sizes by a power law
           model     seconds and bytes, fitted on some runs and checked on others
           killed    a rank is killed at ten random moments
  FILE     what `model` found as a picture: measured against predicted, and what more ranks would give
  default: all but the largest of `clients` and `memory`, which take --large.

Times need a machine that does nothing else. Exits with status 1 when a bound of docs/scaling.md is missed.
"""

import argparse
import itertools
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(os.path.dirname(HERE), "examples")
MILLION = os.path.join(EXAMPLES, "million-clients.toml")
MNIST = os.path.join(HERE, "configs", "rotated-mnist.toml")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

missed = []


def bound(holds, text):
    print(("  holds:  " if holds else "  MISSED: ") + text, flush=True)
    if not holds:
        missed.append(text)


def command_of(program, config, out, ranks, threads, settings):
    launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    command = [program, "run", config, "--quiet", "--out", out, "--threads", str(threads)]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    return (launcher + command if ranks > 1 else command) + ["--fleet", "mpi"]


def run(program, config, ranks=1, threads=1, **settings):
    """The summary of a run, with the median of its rounds' seconds; dots in names of options are written as __."""
    settings = {key.replace("__", "."): value for key, value in settings.items()}
    with tempfile.TemporaryDirectory(prefix="coterie-scaling-") as folder:
        out = os.path.join(folder, "run")
        ended = subprocess.run(command_of(program, config, out, ranks, threads, settings), env=ENVIRONMENT,
                               capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise SystemExit(f"error: {' '.join(ended.args)}\n{ended.stderr}")
        with open(os.path.join(out, "summary.json")) as file:
            summary = json.load(file)
        with open(os.path.join(out, "times.csv")) as file:
            times = [float(line.split(",")[1]) for line in file.read().split()[1:]]
    summary["round"] = statistics.median(times[1:] or times)  # the first makes what later ones find in caches
    return summary


def speed(program, large):
    print("speed: seconds of a round, the better of three runs each")
    cases = [("million clients", MILLION, {"rounds__count": 6})]
    if os.path.isdir(os.path.join(os.environ.get("COTERIE_DATA", ""), "mnist")):
        mnist = {"clients__count": 4800, "clients__samples": 50, "rounds__count": 4}
        cases.insert(0, ("rotated MNIST, 4,800 clients", MNIST, mnist))
    for name, config, settings in cases:
        threads, ranks = [], []
        for _ in range(3):  # in turn, so that a slow minute costs both
            threads.append(run(program, config, 1, 2, **settings)["round"])
            ranks.append(run(program, config, 2, 1, **settings)["round"])
        ratio = min(threads) / min(ranks)
        print(f"  {name}: 1 rank x 2 threads {min(threads):.3f} s, 2 ranks x 1 thread {min(ranks):.3f} s")
        bound(ratio >= 0.95, f"{name}: 2 ranks have {ratio:.3f} of the speed of 2 threads (at least 0.95)")


def solve(rows, targets):
    """Least squares with relative errors."""
    import numpy
    weights = 1 / numpy.array(targets, dtype=float)
    matrix = numpy.array(rows, dtype=float) * weights[:, None]
    return numpy.linalg.lstsq(matrix, numpy.ones(len(targets)), rcond=None)[0]


def memory(program, large):
    print("memory: peak of the largest rank; data of all clients is kept (data.cache)")
    print(f"  {'clients':>9} {'ranks':>5} {'MB':>8}")
    counts = [100_000, 200_000, 400_000] + ([1_000_000] if large else [])
    rows, peaks = [], []
    for clients, ranks in itertools.product(counts, (1, 2, 4)):
        summary = run(program, MILLION, ranks, 1, clients__count=clients, data__cache=4, rounds__count=2)
        print(f"  {clients:>9} {ranks:>5} {summary['peak_rss_bytes'] / 1e6:>8.1f}", flush=True)
        rows.append([1, clients, clients / ranks])
        peaks.append(summary["peak_rss_bytes"])
    a, b, c = solve(rows, peaks)
    worst = max(abs(a + b * n + c * own - peak) / peak for (_, n, own), peak in zip(rows, peaks))
    print(f"  {a / 1e6:.1f} MB + {b:.1f} bytes x all clients + {c:.0f} bytes x own clients, within {worst:.1%}")
    bound(b <= 100, f"IFCA takes {b:.1f} bytes for a client that lives elsewhere (at most 100)")


def clients(program, large):
    print("clients: linear, d = 20, n = 10, 10,000 of them evaluated, 2 ranks x 1 thread")
    print(f"  {'clients':>9} {'s a round':>9} {'us a client':>11} {'MB':>8}")
    each = []
    for count in [100_000, 1_000_000] + ([10_000_000] if large else []):
        summary = run(program, MILLION, 2, 1, clients__count=count, rounds__count=4)
        each.append(summary["round"] / count)
        print(f"  {count:>9} {summary['round']:>9.3f} {each[-1] * 1e6:>11.2f} {summary['peak_rss_bytes'] / 1e6:>8.1f}", flush=True)
    bound(max(each) / min(each) < 1.25, f"a client costs the same within {max(each) / min(each) - 1:.0%} (25 %)")
    if large:
        bound(summary["peak_rss_bytes"] < 2e9, f"ten million clients take {summary['peak_rss_bytes'] / 1e9:.2f} GB a rank (2)")


def waiting(program, large):
    print("waiting: sizes by a power law, all take part")
    settings = {"clients__count": 5000, "clients__partition": "quantity", "clients__power": 0.5, "clients__samples": 200,
                "data__cache": 4,
                "data__dimension": 100, "rounds__count": 10, "evaluate__every": 1000}
    for ranks in (2,):
        summary = run(program, MILLION, ranks, 1, **settings)
        share = summary["seconds_waited"] / summary["seconds"]
        print(f"  {ranks} ranks: waited {summary['seconds_waited']:.2f} of {summary['seconds']:.2f} s")
        bound(share < 0.10, f"the rank that waits longest does so for {share:.1%} of the time (10 %)")


def work_of(clients, ranks, dimension):
    """What the seconds of a round of IFCA are made of, as ranks share the cores of this machine: the work of clients,
    and that of the server for each client, which every rank does for all of them."""
    shared = min(ranks, os.cpu_count())
    return [1, clients / shared, clients * dimension / shared, clients * ranks / shared]


def bytes_of(clients, ranks, dimension):
    """And what a rank gives to merges: sums of models, and what its clients chose."""
    return [1, dimension, clients / ranks]


def predict(parts, factors):
    return sum(x * y for x, y in zip(factors, parts))


def draw(svg, runs, factors):
    """runs: (measured, predicted, whether it was fitted) seconds; on other machines every rank has a core of its own."""
    ranks = [10 ** (k / 10) for k in range(0, 31)]
    points = {fitted: "".join(f"{predicted} {measured}\n" for measured, predicted, one in runs if one == fitted)
              for fitted in (True, False)}
    curves = {power: "".join(
        f"{r} {predict([1, 10 ** power / r, 20 * 10 ** power / r, 10 ** power], factors)}\n" for r in ranks)
        for power in (6, 7, 8)}
    script = f"""set terminal svg size 1000,420 font "sans,13" background "white"
set output "{svg}"
set multiplot layout 1,2
set logscale xy
set grid lc rgb "#dddddd"
set key top left
set title "Seconds of a round: model and machine"
set xlabel "predicted"; set ylabel "measured"
plot "-" using 1:2 with points pt 7 lc rgb "#4477aa" title "fitted", \\
     "-" using 1:2 with points pt 7 ps 1.2 lc rgb "#ee6677" title "held out", \\
     x with lines lc rgb "#999999" title "equal"
{points[True]}e
{points[False]}e
set key top right
set title "A core for each rank: seconds of a round, predicted"
set xlabel "ranks"; set ylabel "seconds"
plot "-" with lines lw 2 lc rgb "#4477aa" title "10^6 clients", "-" with lines lw 2 lc rgb "#228833" title "10^7", \\
     "-" with lines lw 2 lc rgb "#ee6677" title "10^8"
{curves[6]}e
{curves[7]}e
{curves[8]}e
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def model(program, large, svg=None):
    print("model: a round's seconds and merged bytes, fitted on some runs and checked on others")
    fitted = [*itertools.product((100_000, 400_000), (1, 2), (10, 40)), (200_000, 1, 20), (200_000, 2, 20)]
    others = [(300_000, 2, 20), (600_000, 1, 30), (600_000, 2, 30), (150_000, 2, 40), (150_000, 4, 20)]
    names = {"round": work_of, "merged": bytes_of}

    def measure(case):
        clients, ranks, dimension = case
        rounds = 5
        summary = run(program, MILLION, ranks, 1, clients__count=clients, data__dimension=dimension, rounds__count=rounds)
        summary["merged"] = summary["bytes_merged"] / rounds
        return summary

    known = {case: measure(case) for case in fitted}
    checked = {case: measure(case) for case in others}
    for figure, parts in names.items():
        cases = [case for case in fitted if known[case][figure] > 0]
        factors = solve([parts(*case) for case in cases], [known[case][figure] for case in cases])
        print(f"  {figure}: " + ", ".join(f"{factor:.3g}" for factor in factors))
        worst = 0
        for case, summary in checked.items():
            if summary[figure] == 0:
                continue
            predicted = predict(parts(*case), factors)
            worst = max(worst, abs(predicted / summary[figure] - 1))
            print(f"    {case[0]:>7} clients, {case[1]} ranks, d = {case[2]}: {summary[figure]:.4g}, predicted {predicted:.4g}")
        if svg and figure == "round":
            runs = [(summary[figure], predict(parts(*case), factors), case in known)
                    for case, summary in [*known.items(), *checked.items()]]
            draw(svg, runs, factors)
        bound(worst <= 0.2, f"{figure} of held-out runs is predicted within {worst:.0%} (20 %)")


def is_alive(pid):
    """A process that has ended may wait for its parent to hear of it."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def killed(program, large):
    print("killed: a rank at ten random moments")
    settings = {"clients.count": 20_000, "rounds.count": 300, "checkpoint.every": 2}
    chance = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="coterie-scaling-") as folder:
        def files(out):
            return {name: open(os.path.join(out, name), "rb").read()
                    for name in ("rounds.jsonl", "events.jsonl", "clients.csv", "models/cluster-0.safetensors")}

        whole, out = os.path.join(folder, "whole"), os.path.join(folder, "killed")
        begun = time.monotonic()
        subprocess.run(command_of(program, MILLION, whole, 2, 1, settings), env=ENVIRONMENT, check=True)
        length = time.monotonic() - begun
        kills = left = 0
        while kills < 10 and not os.path.exists(os.path.join(out, "summary.json")):
            process = subprocess.Popen(command_of(program, MILLION, out, 2, 1, settings) + ["--resume"], env=ENVIRONMENT,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(chance.uniform(0.01, 0.12) * length)
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
                ranks = [int(pid) for pid in children.read().split()
                         if open(f"/proc/{pid}/comm").read().strip() == "coterie"]
            if process.poll() is None and ranks:
                os.kill(chance.choice(ranks), signal.SIGKILL)
                kills += 1
            process.communicate(timeout=60)
            time.sleep(1)
            left += sum(is_alive(pid) for pid in ranks)
        subprocess.run(command_of(program, MILLION, out, 2, 1, settings) + ["--resume"], env=ENVIRONMENT, check=True)
        bound(left == 0 and kills == 10, f"{kills} killed, {left} ranks left behind")
        bound(files(out) == files(whole), "the same bits after all of them")


PARTS = {part.__name__: part for part in (speed, memory, clients, waiting, model, killed)}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--svg")
    arguments = parser.parse_args()
    for name in arguments.parts or PARTS:
        picture = {"svg": arguments.svg} if name == "model" else {}
        PARTS[name](os.path.abspath(arguments.program), arguments.large, **picture)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
