#!/usr/bin/python3
"""K-means of Coterie beside scikit-learn's on twenty data sets, in one run on one machine.

usage: clustering.py PROGRAM
  PROGRAM  build/bench/bench_clustering

Both run ten times from k-means++ seeds and keep the least sum of squares, to the last change of a label, on one thread;
the best of three times of each, in turn, since other programs take their share of a machine.
Fails when an objective is more than 1% above scikit-learn's.
"""

import os
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

try:
    import numpy
    import sklearn.cluster
    import sklearn.datasets
except ImportError:
    raise SystemExit("error: no scikit-learn here: tools/install_packages.sh tools/packages-bench.txt installs it")

RUNS = 10
TIMES = 3
SLACK = 1.01


def data_sets():
    """(name, points, K): blobs of all shapes, clouds without groups, and the small measured sets that come along."""
    draw = numpy.random.default_rng(1)
    for count, width, k, deviation in ((200, 2, 3, 1), (500, 5, 5, 1), (1000, 2, 15, 0.7), (1000, 20, 10, 3),
                                       (2000, 10, 8, 4), (2000, 50, 20, 2), (5000, 3, 10, 2), (5000, 100, 10, 8),
                                       (10000, 20, 20, 5), (100, 785, 4, 10), (300, 2000, 6, 10)):
        points, _ = sklearn.datasets.make_blobs(count, width, centers=k, cluster_std=deviation, random_state=count + width)
        yield f"blobs {count} x {width}", points, k
    for count, width, k in ((1000, 2, 7), (3000, 10, 12), (5000, 30, 5)):
        yield f"normal {count} x {width}", draw.normal(size=(count, width)), k
    yield "uniform 2000 x 2", draw.uniform(size=(2000, 2)), 16
    yield "far from the origin 1000 x 4", 1e4 + draw.normal(size=(1000, 4)), 6
    yield "iris", sklearn.datasets.load_iris().data, 3
    yield "wine", sklearn.datasets.load_wine().data, 3
    yield "breast cancer", sklearn.datasets.load_breast_cancer().data, 2
    yield "digits", sklearn.datasets.load_digits().data, 10


def ours(program, points, k):
    with tempfile.NamedTemporaryFile() as file:
        points.astype(numpy.float64).tofile(file)
        file.flush()
        done = subprocess.run([program, "kmeans", file.name, str(points.shape[0]), str(points.shape[1]), str(k)],
                              capture_output=True, text=True, check=True)
    objective, seconds = map(float, done.stdout.split())
    return objective, seconds


def theirs(points, k):
    model = sklearn.cluster.KMeans(k, n_init=RUNS, max_iter=300, tol=0, algorithm="lloyd", random_state=1)
    start = time.perf_counter()
    model.fit(points)
    seconds = time.perf_counter() - start
    return model.inertia_, seconds


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    theirs(numpy.eye(3), 2)  # loads its libraries
    print(f"{'data':30} {'K':>3} {'objective':>13} {'scikit-learn':>13} {'ratio':>7} {'ms':>8} {'theirs':>8}")
    worse, slower, count = [], [], 0
    for name, points, k in data_sets():
        count += 1
        measured = [(ours(sys.argv[1], numpy.ascontiguousarray(points), k), theirs(points, k)) for _ in range(TIMES)]
        objective, reference = measured[0][0][0], measured[0][1][0]
        seconds, their_seconds = (min(one[side][1] for one in measured) for side in (0, 1))
        print(f"{name:30} {k:3} {objective:13.6g} {reference:13.6g} {objective / reference:7.4f} {seconds * 1e3:8.1f} "
              f"{their_seconds * 1e3:8.1f}", flush=True)
        if objective > SLACK * reference:
            worse.append(name)
        if seconds > their_seconds:
            slower.append(name)
    print(f"{count} data sets: {len(worse)} more than 1% above scikit-learn, {len(slower)} slower {slower or ''}")
    if worse:
        raise SystemExit("error: worse on " + ", ".join(worse))


if __name__ == "__main__":
    main()
