#!/usr/bin/env python3
"""Runs the fuzz targets of build/fuzz, a few at a time, and says what came of each.

  fuzz.py [--seconds S] [--jobs N] [--keep FOLDER] [TARGET ...]

Each target begins with tests/fuzz/corpus/TARGET and tests/fuzz/found/TARGET. What it learns is kept in
FOLDER/TARGET (default: build/fuzz/learnt) for the next time. An input that finds something is left in
build/fuzz/findings/TARGET: mend the defect, then move the input to tests/fuzz/found/TARGET, where the ordinary tests
try it for ever after. Exit status 1 when anything was found.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-timeout=20"]


def fuzz(target, seconds, keep):
    """A line about one target, and whether it found nothing."""
    learnt, findings = keep / target, BUILD / "findings" / target
    known = [ROOT / "tests" / "fuzz" / kind / target for kind in ("corpus", "found")]
    for folder in (learnt, findings):
        folder.mkdir(parents=True, exist_ok=True)
    command = [BUILD / "tests" / "fuzz" / f"fuzz_{target}", *LIMITS, f"-max_total_time={seconds}", "-print_final_stats=1",
               f"-artifact_prefix={findings}/", learnt, *[folder for folder in known if folder.is_dir()]]
    if target == "cifar":  # an image alone is 3 kB
        command.insert(1, "-max_len=10000")
    log = findings.with_suffix(".log")
    with open(log, "w", encoding="utf-8") as out:
        status = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False).returncode
    text = log.read_text(encoding="utf-8", errors="replace")
    runs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text) or re.findall(r"^#(\d+)", text, re.M)
    covered = re.findall(r"cov: (\d+)", text)
    line = f"{target:12} {runs[-1] if runs else '?':>10} inputs {covered[-1] if covered else '?':>6} edges"
    if status != 0:
        error = re.search(r"^(?:==\d+==.*ERROR.*|.*runtime error.*|terminate called.*|  what\(\).*)$", text, re.M)
        line += f"  FOUND: {error.group() if error else 'see the log'}\n             in {findings}, log {log}"
    return line, status == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=BUILD / "learnt")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    there = sorted(path.name[len("fuzz_"):] for path in (BUILD / "tests" / "fuzz").glob("fuzz_*") if path.is_file())
    targets = options.targets or there
    if not targets or set(targets) - set(there):
        sys.exit(f"error: the targets are {', '.join(there) or 'not built: cmake --build --preset fuzz'}")
    good = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for line, fine in pool.map(lambda target: fuzz(target, options.seconds, options.keep), targets):
            print(line, flush=True)
            good = good and fine
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
