#!/usr/bin/python3
"""Peak memory of a round of Federated-Clustering, where every client has a model of its own, by the number of clients.

usage: memory.py PROGRAM
  PROGRAM  build/coterie; MNIST must be in $COTERIE_DATA

Groups in flight take at most algorithm.federated-clustering.memory = 1 GB (bench/configs/personal-mnist.toml); the rest
is the program with its data. Fails when memory grows with the clients.
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENTS = (750, 1500, 3000)
GROWTH = 1.2  # what the largest run may take, against the smallest
PARAMETERS = 159_010


def peak_and_seconds(program, clients):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run")
        subprocess.run([program, "run", os.path.join(HERE, "configs", "personal-mnist.toml"), "--quiet", "--out", out,
                        "--set", f"clients.count={clients}"], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(out, "summary.json")) as file:
            peak = json.load(file)["peak_rss_bytes"]
        with open(os.path.join(out, "times.csv")) as file:
            return peak, float(file.read().split()[-1].split(",")[1])


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    if not os.path.isdir(os.path.join(os.environ.get("COTERIE_DATA", ""), "mnist")):
        print("memory of personal models: left out, no MNIST in $COTERIE_DATA (coterie data get mnist)")
        return
    print("a round of federated-clustering, groups of 15, mlp 784-200-10")
    print(f"{'clients':>8} {'their models':>13} {'peak':>9} {'round':>8}")
    peaks = []
    for clients in CLIENTS:
        peak, seconds = peak_and_seconds(sys.argv[1], clients)
        peaks.append(peak)
        print(f"{clients:>8} {clients * PARAMETERS * 8 / 1e9:>10.2f} GB {peak / 1e9:>6.2f} GB {seconds:>6.1f} s")
    growth = peaks[-1] / peaks[0]
    print(f"{CLIENTS[-1] // CLIENTS[0]} times the clients, {growth:.2f} times the memory")
    if growth > GROWTH:
        raise SystemExit("error: memory grows with the clients")


if __name__ == "__main__":
    main()
