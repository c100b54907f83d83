#!/usr/bin/python3
"""Times rounds of IFCA and FedEM in Coterie and in the reference programs of bench/peers, in one run on one machine.

usage: compare_peers.py PROGRAM LIMITS [--quick] [--only TEXT]
  PROGRAM  build/coterie
  LIMITS   build/bench/bench_rounds, which measures the machine
"""

import argparse
import csv
import gzip
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
K, STEPS, INPUTS, HIDDEN, CLASSES = 4, 10, 784, 200, 10
LATE_BUDGET = 240  # seconds that a run of all rounds may take
FIRST = range(2, 7)  # rounds in which clients still move
LATE = range(50, 56)  # rounds in which they hardly do


class Case:
    """A problem: how each program is told of it, and what a round of it costs by the algorithm's definition."""

    def __init__(self, name, config, peer, clients, samples, flops, rounds=2, variants=("loop", "batched")):
        self.name, self.config, self.peer = name, config, peer
        self.clients, self.samples = clients, samples
        self.flops = flops  # K forward passes over all samples, and the gradient steps
        self.rounds = rounds  # of a peer
        self.variants = variants


FORWARD = 2 * (INPUTS * HIDDEN + HIDDEN * CLASSES)
GRADIENT = FORWARD + 2 * INPUTS * HIDDEN + 4 * HIDDEN * CLASSES


def mnist(clients, samples):
    return Case(f"IFCA, rotated MNIST, {clients} clients x {samples}", "rotated-mnist", "ifca_mnist", clients, samples,
                clients * samples * (K * FORWARD + STEPS * GRADIENT))


def fedem(clients, samples):
    return Case(f"FedEM, K = 3, MNIST, {clients} clients x {samples}", "fedem-mnist", "fedem_mnist", clients, samples,
                clients * samples * 3 * (FORWARD + GRADIENT), rounds=3, variants=("loop",))


def linear(clients, samples, dimension):
    return Case(f"IFCA, mixed linear, {clients} clients x {samples}, d = {dimension}", "mixed-linear", "ifca_linear", clients,
                samples, clients * samples * (K + 1) * 2 * dimension, rounds=20)


def peer_python():
    """An interpreter that has PyTorch: this one, or the system's, which distributions install it for."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy, torch"], capture_output=True).returncode == 0:
            return python
    raise SystemExit("error: no PyTorch here: tools/install_packages.sh tools/packages-bench.txt installs it")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def random_mnist(folder):
    """Files in the form of MNIST's, of random bytes, four fifths of them dark as in the real ones."""
    dark = bytes(b if b > 204 else 0 for b in range(256))
    os.makedirs(os.path.join(folder, "mnist"))
    source = random.Random(1)
    for part, count in (("train", 60000), ("t10k", 10000)):
        big = lambda number: number.to_bytes(4, "big")
        files = {"images-idx3": big(0x803) + big(count) + big(28) + big(28)
                 + source.randbytes(count * INPUTS).translate(dark),
                 "labels-idx1": big(0x801) + big(count) + bytes(source.randrange(CLASSES) for _ in range(count))}
        for name, content in files.items():
            with gzip.open(os.path.join(folder, "mnist", f"{part}-{name}-ubyte.gz"), "wb", compresslevel=1) as file:
                file.write(content)


class Comparison:
    def __init__(self, args, folder):
        self.program, self.quick, self.folder = args.program, args.quick, folder
        self.measure_limits = lambda: json.loads(run(args.limits, "--limits"))
        self.limits = self.measure_limits()
        self.threads = self.limits["threads"]
        self.python = peer_python()
        self.data = os.environ.get("COTERIE_DATA", "")
        if not os.path.exists(os.path.join(self.data, "mnist", "train-images-idx3-ubyte.gz")):
            print("no MNIST in $COTERIE_DATA: random bytes of the same shape take its place. Rounds in which clients move\n"
                  "cost the same; late rounds do not, because there is nothing to find.\n")
            self.data = folder
            random_mnist(folder)

    def peer(self, case, variant, threads, rounds, warmup=1, clients=None):
        more = ["--data", self.data] if "mnist" in case.peer else []
        return json.loads(run(self.python, "-B", os.path.join(HERE, "peers", case.peer + ".py"), "--variant", variant,
                              "--clients", str(clients or case.clients), "--samples", str(case.samples), "--rounds",
                              str(rounds), "--warmup", str(warmup), "--threads", str(threads), *more))

    def loop(self, case, variant="loop"):
        """The threads of the libraries may cost more than they give on small products: the better number of them."""
        few = lambda threads: self.peer(case, variant, threads, 2, clients=8)["seconds_per_round"]
        threads = min((1, self.threads), key=few)
        rounds = 1 if case.rounds < 3 else case.rounds
        return self.peer(case, variant, threads, rounds, warmup=0 if case.rounds < 3 else 1)

    def coterie(self, case, threads, rounds):
        """Seconds of each round, and the peak of memory."""
        out = os.path.join(self.folder, "run")
        run(self.program, "run", os.path.join(HERE, "configs", case.config + ".toml"), "--quiet", "--force", "--out", out,
            "--threads", str(threads), "--data", self.data, "--set", f"clients.count={case.clients}", "--set",
            f"clients.samples={case.samples}", "--set", f"rounds.count={rounds}")
        with open(os.path.join(out, "times.csv")) as file:
            times = {int(row["round"]): float(row["seconds"]) for row in csv.DictReader(file)}
        with open(os.path.join(out, "summary.json")) as file:
            return times, json.load(file)["peak_rss_bytes"]

    def coterie_rows(self, case):
        def median(times, rounds):
            return statistics.median(times[t] for t in rounds if t in times)

        last = 3 if self.quick else FIRST[-1]
        times, memory = self.coterie(case, self.threads, last)
        late = None
        if not self.quick and median(times, FIRST) * LATE[-1] <= LATE_BUDGET:
            times, memory = self.coterie(case, self.threads, LATE[-1])
            late = median(times, LATE)
        if not self.quick:
            alone, alone_memory = self.coterie(case, 1, 4)
            yield "coterie, 1 thread", median(alone, FIRST), alone_memory
        yield f"coterie, {self.threads} threads", median(times, FIRST), memory
        if late is not None:
            yield f"  rounds {LATE[0]} to {LATE[-1]}", late, memory

    def rows(self, case):
        for variant in case.variants:
            result = self.loop(case) if variant == "loop" else self.peer(case, variant, self.threads, case.rounds)
            yield f"{variant}, {result['threads']} thread{'s' if result['threads'] > 1 else ''}", \
                result["seconds_per_round"], result["peak_rss_bytes"]
        if case.peer == "ifca_linear":
            result = self.loop(case, "plain")
            yield f"loop in NumPy, {result['threads']} thread{'s' if result['threads'] > 1 else ''}", \
                result["seconds_per_round"], result["peak_rss_bytes"]
        yield from self.coterie_rows(case)

    def show(self, case):
        self.limits = self.measure_limits()  # anew: what neighbours leave of a machine changes by the minute
        print(f"{case.name:<44} {'s/round':>8} {'of loop':>8} {'of batched':>10} {'GFLOP/s':>8} {'of sgemm':>8} "
              f"{'memory':>8}", flush=True)
        references = []
        for name, seconds, memory in self.rows(case):
            references.append(seconds)
            ratio = lambda i: f"{references[i] / seconds:.2f}x" if len(references) > i and i < len(case.variants) else ""
            print(f"  {name:<42} {seconds:>8.3f} {ratio(0):>8} {ratio(1):>10} {case.flops / seconds * 1e-9:>8.1f} "
                  f"{case.flops / seconds / self.limits['sgemm_flops']:>8.0%} {memory / 1e6:>5.0f} MB",
                  flush=True)
        print(f"  (sgemm {self.limits['sgemm_flops'] * 1e-9:.1f} GFLOP/s)")
        if not self.quick and not name.startswith("  "):
            print(f"  (rounds {LATE[0]} to {LATE[-1]}: left out, they would take more than {LATE_BUDGET} s)")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("limits")
    parser.add_argument("--quick", action="store_true", help="few rounds, without late ones")
    parser.add_argument("--only", default="", help="only cases whose name has this text")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="coterie-bench-") as folder:
        comparison = Comparison(args, folder)
        print(f"Rounds (IFCA: K = {K}) against the programs of bench/peers. Of loop, of batched: how many times as fast as that one.\n"
              "GFLOP/s: the arithmetic that the algorithm is defined by (an engine may do with less) over the time. Of sgemm: against\n"
              "a large product, measured before each\n"
              f"case. Coterie: median of the first rounds, {FIRST[0]} to at most {FIRST[-1]}, while clients still move, and of rounds {LATE[0]} to "
              f"{LATE[-1]}.\n")
        for peer in ("ifca_mnist", "ifca_linear"):
            more = ["--data", comparison.data] if "mnist" in peer else []
            checked = run(comparison.python, "-B", os.path.join(HERE, "peers", peer + ".py"), "--check", *more).strip()
            print(f"{peer}: loop and batched agree: {checked}")
        print()
        for case in (mnist(4800, 50), mnist(1200, 200), linear(400, 100, 1000), fedem(100, 450)):
            if args.only in case.name:
                comparison.show(case)


if __name__ == "__main__":
    main()
