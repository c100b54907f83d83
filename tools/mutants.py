#!/usr/bin/env python3
"""Makes small mistakes in the engine, one at a time, and reports which of them no test notices.

  mutants.py [--only PATTERN]... [--first] [--check] [--folder DIR] [--jobs N]

The list is tools/mutants.toml; docs/testing.md explains it. All mistakes are compiled at once into a copy of the tree, in
build/mutants: each place chooses at run time, by an environment variable, between what was written and what the mistake
makes of it. So there is one build, and a mutant costs only the tests that are run for it.

  --only PATTERN   only mutants whose name or file matches, as in a shell; may be given several times
  --first          only the tests that the list names, not the rest of the quick ones
  --check          only check that every entry of the list still finds its place
  --folder DIR     where the copy and its build are kept (default: build/mutants)
  --jobs N         mutants that are tried at a time (default: the number of cores)

Ends with status 1 when less than 95 % are noticed, 2 when the list or the build is at fault.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time
import tomllib
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tools" / "mutants.toml"
HEADER = "src/base/mutant.h"
VARIABLE = "COTERIE_MUTANT"
ENOUGH = 0.95
KEYS = {"name", "after", "was", "now", "tests", "equivalent"}

# The function is the same wherever it is inlined, so all of the program sees one choice.
HEADER_TEXT = f"""#pragma once
#include <cstdint>
#include <cstdlib>

inline bool coterie_mutant(std::uint32_t number) {{
  static const std::uint32_t chosen = [] {{
    const char* text = std::getenv("{VARIABLE}");
    return text == nullptr ? 0u : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  }}();
  return number == chosen;
}}
"""


def fail(text):
    print(f"mutants: {text}", file=sys.stderr)
    sys.exit(2)


class Mutant:
    def __init__(self, file, entry):
        missing, unknown = {"name", "was", "now"} - entry.keys(), entry.keys() - KEYS
        if missing or unknown:
            fail(f"tools/mutants.toml: entry {entry.get('name', '?')!r}: missing {sorted(missing)}, unknown {sorted(unknown)}")
        self.name, self.file = entry["name"], file
        self.was, self.now, self.after = entry["was"].strip(), entry["now"].strip(), entry.get("after")
        self.tests, self.equivalent = entry.get("tests", [file.split("/")[1]]), entry.get("equivalent")
        if not self.now and not self.is_statement():
            fail(f"tools/mutants.toml: entry {self.name!r} replaces an expression by nothing")
        self.number = zlib.crc32(self.name.encode()) or 1

    def is_statement(self):
        return self.was.endswith((";", "}"))

    def place(self, text):
        """Where in the file the change goes, or why that is not known."""
        begin = 0
        if self.after is not None:
            if text.count(self.after) != 1:
                return f"its context occurs {text.count(self.after)} times, not once: {self.after!r}"
            begin = text.index(self.after) + len(self.after)
            at = text.find(self.was, begin)
            return at if at >= 0 else f"its text is not found after the context: {self.was!r}"
        if text.count(self.was) != 1:
            return f"its text occurs {text.count(self.was)} times, not once (give a line of context, after = ...): {self.was!r}"
        return text.index(self.was)


def read_list():
    mutants = [Mutant(file, entry) for file, all in tomllib.loads(LIST.read_text()).items() for entry in all]
    numbers = {}
    for one in mutants:
        other = numbers.setdefault(one.number, one)
        if other is not one:
            fail(f"tools/mutants.toml: two entries have the name {one.name!r}, or names with one number: {other.name!r}")
    return mutants


def choice(mutants):
    """The code that stands for a place."""
    was = mutants[0].was
    if mutants[0].is_statement():
        tests = " else ".join(f"if (coterie_mutant({one.number}u)) {{ {one.now} }}" for one in mutants)
        return f"{tests} else {{ {was} }}"
    tests = " : ".join(f"coterie_mutant({one.number}u) ? ({one.now})" for one in mutants)
    return f"({tests} : ({was}))"


def rewrite(mutants):
    """The files with all changes in them; entries that do not fit are named, and end the program."""
    problems, changed = [], {}
    for file in sorted({one.file for one in mutants}):
        text = (ROOT / file).read_text() if (ROOT / file).is_file() else None
        places = {}
        for one in (m for m in mutants if m.file == file):
            at = f"{file} is not there" if text is None else one.place(text)
            if isinstance(at, str):
                problems.append(f"{one.name} ({file}): {at}")
            else:
                places.setdefault((at, at + len(one.was)), []).append(one)
        spans = sorted(places)
        for (_, end), (begin, after) in zip(spans, spans[1:]):
            if begin < end:
                problems.append(f"{places[begin, after][0].name} ({file}): overlaps with another entry that is not equal")
        if problems:
            continue
        for begin, end in reversed(spans):
            text = text[:begin] + choice(places[begin, end]) + text[end:]
        changed[file] = f'#include "{HEADER.removeprefix("src/")}"\n{text}'
    if problems:
        fail("the list does not fit the sources; mend these entries of tools/mutants.toml:\n  " + "\n  ".join(problems))
    return changed


def copy_tree(folder, changed):
    """Brings the copy up to date; files that are as they should be are not touched, so they are not compiled again."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True)
    wanted = {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}
    settings = (ROOT / "cmake/coterie.cmake").read_text()
    changed = {**changed, HEADER: HEADER_TEXT, "cmake/coterie.cmake": settings.replace(" -Werror", "")}
    for name in sorted(wanted | changed.keys()):
        content = changed[name].encode() if name in changed else (ROOT / name).read_bytes()
        to = folder / name
        if to.is_file() and to.read_bytes() == content:
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(content)
        to.chmod((ROOT / name).stat().st_mode if (ROOT / name).exists() else 0o644)
    for top in ("src", "include", "tests"):
        for there in sorted((folder / top).rglob("*")):
            if there.is_file() and str(there.relative_to(folder)) not in wanted | changed.keys():
                there.unlink()


def build(folder, jobs):
    for command in (
        ["cmake", "--preset", "release", "-DCOTERIE_BENCH=OFF"],
        ["cmake", "--build", "--preset", "release", "--target", "quick_tests", "client_process", "--", f"-j{jobs}", "--quiet"],
    ):
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            fail(f"the copy in {folder} does not build:\n{done.stdout[-6000:]}")


class Test:
    def __init__(self, entry):
        self.name, self.command = entry["name"], entry["command"]
        properties = {one["name"]: one["value"] for one in entry.get("properties", [])}
        self.labels = properties.get("LABELS", [])
        self.environment = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", []))
        self.folder = properties.get("WORKING_DIRECTORY")
        self.seconds = 60.0  # without a mutant; measured later

    def run(self, mutant, only=None, timeout=None):
        """What failed; None when all is well. `only` is a filter of gtest's."""
        environment = {**os.environ, **self.environment}
        if only is not None:
            slow = self.environment.get("GTEST_FILTER", "").partition("-")[2]
            environment["GTEST_FILTER"] = f"{only}-{slow}" if slow else only
            for key in ("GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"):
                environment.pop(key, None)
        if mutant is not None:
            environment[VARIABLE] = str(mutant.number)
        command = self.command + (["--gtest_fail_fast"] if "GTEST_FILTER" in environment else [])
        process = subprocess.Popen(
            command, env=environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True, preexec_fn=limit_memory,
        )
        try:
            output = process.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "hangs"
        if process.returncode == 0:
            return "no test has that name" if " 0 tests from " in output else None
        failed = re.findall(r"\[  FAILED  \] ([\w/.-]+)", output) or re.findall(r"^(?:FAIL|ERROR): (\w+)", output, re.MULTILINE)
        if failed:
            return failed[0]
        return f"signal {-process.returncode}" if process.returncode < 0 else f"status {process.returncode}"


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read_tests(folder):
    shown = subprocess.run(
        ["ctest", "--preset", "release", "--show-only=json-v1"], cwd=folder, capture_output=True, text=True, check=True
    )
    tests = [Test(entry) for entry in json.loads(shown.stdout)["tests"] if entry.get("command")]
    # Checks of the sources themselves would find the changed files in bad order.
    return [one for one in tests if not one.name.startswith("checks.") and not one.name.startswith("install.")]


def named(tests, wish):
    """Tests that an entry of the list names: "fleet", "algorithms:Fedem*", "cli.bits"; with gtest's filter, if any."""
    name, _, only = wish.partition(":")
    some = [one for one in tests if one.name == name or (one.name.startswith(name + ".") and "quick" in one.labels)]
    if not some:
        fail(f"tools/mutants.toml names tests {wish!r}, which are not there")
    return [(some[0], only)] if only else [(one, None) for one in some]


def measure(runs, jobs):
    """Runs tests without a mutant, as pairs of a test and a filter: they must pass, and say how long each takes."""
    def one(run):
        test, only = run
        begun = time.monotonic()
        failed = test.run(None, only)
        if only is None:
            test.seconds = time.monotonic() - begun
        return failed

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        failed = [f"{test.name} {only or ''}: {what}" for (test, only), what in zip(runs, pool.map(one, runs)) if what]
    if failed:
        fail("without a mutant tests fail already:\n  " + "\n  ".join(failed))


def try_mutant(mutant, tests, first):
    """Which test notices it; None when none does."""
    runs = [run for wish in mutant.tests for run in named(tests, wish)]
    if not first:
        whole = {test.name for test, only in runs if only is None}
        rest = [one for one in tests if "quick" in one.labels and one.name not in whole]
        runs += [(one, None) for one in sorted(rest, key=lambda one: one.seconds)]
    for test, only in runs:
        failed = test.run(mutant, only, timeout=30 + 10 * test.seconds)
        if failed:
            return f"{test.name}: {failed}"
    return None


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    mutants = read_list()
    changed = rewrite(mutants)
    if arguments.check:
        print(f"{len(mutants)} entries, all of which find their place")
        return
    wanted = [one for one in mutants if not arguments.only
              or any(fnmatch.fnmatch(one.name, p) or fnmatch.fnmatch(one.file, p) for p in arguments.only)]
    if not wanted:
        fail(f"no mutant matches {arguments.only}")
    copy_tree(arguments.folder, changed)
    build(arguments.folder, arguments.jobs)
    tests = read_tests(arguments.folder)
    asked = {run for one in wanted if not one.equivalent for wish in one.tests for run in named(tests, wish)}
    quick = {(test, None) for test in tests if "quick" in test.labels and not arguments.first}
    measure(sorted(asked | quick, key=lambda run: (run[0].name, run[1] or "")), arguments.jobs)

    width = max(len(one.name) for one in wanted)
    found = {}

    def attempt(mutant):
        begun = time.monotonic()
        found[mutant.name] = None if mutant.equivalent else try_mutant(mutant, tests, arguments.first)
        result = found[mutant.name] or (f"equivalent: {mutant.equivalent}" if mutant.equivalent else "NOT NOTICED")
        print(f"{mutant.name:{width}}  {mutant.file.removeprefix('src/'):44} {time.monotonic() - begun:5.1f} s  {result}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(attempt, wanted))
    counted = [one for one in wanted if not one.equivalent]
    noticed = sum(found[one.name] is not None for one in counted)
    share = noticed / max(1, len(counted))
    for one in counted:
        if found[one.name] is None:
            print(f"not noticed: {one.name} ({one.file}): {one.was!r} -> {one.now!r}")
    equivalent = len(wanted) - len(counted)
    if equivalent:
        print(f"{equivalent} more change no result, and do not count")
    print(f"{len(counted)} mutants, {noticed} noticed ({100 * share:.1f} %)")
    sys.exit(0 if share >= ENOUGH else 1)


if __name__ == "__main__":
    main()
