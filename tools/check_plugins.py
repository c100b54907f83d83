#!/usr/bin/env python3
"""Checks that a plug-in's file and its registered name are the same word, for every kind of plug-in.

A plug-in x of the kind `algorithms` is src/algorithms/x.cc, or src/algorithms/x/x.cc when it is large. Other folders
there hold what several plug-ins share.

  check_plugins.py PROGRAM      PROGRAM is the built coterie; asked for `list KIND --names`
"""

import subprocess
import sys

import layers


def registered(program, kind):
    try:
        answer = subprocess.run([program, "list", kind, "--names"], capture_output=True, text=True, check=False)
    except OSError as failure:
        sys.exit(f"{program} cannot be run ({failure.strerror}); build it first")
    if answer.returncode != 0:
        sys.exit(f"`{program} list {kind} --names` failed with status {answer.returncode}:\n{answer.stderr}")
    return set(answer.stdout.split())


def plugin_files(kind):
    """Name -> the path of its main file."""
    folder = layers.ROOT / "src" / kind
    files = {path.stem: path for path in folder.glob("*.cc")}
    return files | {path.stem: path for path in folder.glob("*/*.cc") if path.stem == path.parent.name}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = []
    for kind in layers.plugin_folders():
        files = plugin_files(kind)
        names = registered(sys.argv[1], kind)
        if not files:
            problems.append(f"src/{kind} has no plug-in")
        for name in sorted(files.keys() - names):
            problems.append(f"{files[name].relative_to(layers.ROOT)} registers no plug-in of its name")
        for name in sorted(names - files.keys()):
            problems.append(f"the plug-in {name} has no file src/{kind}/{name}.cc or src/{kind}/{name}/{name}.cc")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
