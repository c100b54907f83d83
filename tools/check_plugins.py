#!/usr/bin/env python3
"""Checks that a plug-in's file and its registered name are the same word, for every kind of plug-in. A plug-in x is a
file x.cc, or a folder x with a file x.cc; a folder without such a file holds what several plug-ins share. The folder of an
add-on holds files of either kind: those with a registration are plug-ins.

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


def plugins_in(folder):
    whole = {path.stem for path in folder.glob("*.cc")}
    whole |= {path.stem for path in folder.glob("torch/*.cc") if "const Registration<" in path.read_text(encoding="utf-8")}
    return whole | {path.stem for path in folder.glob("*/*.cc") if path.stem == path.parent.name}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = []
    for kind in layers.plugin_folders():
        files = plugins_in(layers.ROOT / "src" / kind)
        names = registered(sys.argv[1], kind)
        if not files:
            problems.append(f"src/{kind} has no plug-in")
        problems += [f"src/{kind}/{name}.cc registers no plug-in of its name" for name in sorted(files - names)]
        problems += [f"the plug-in {name} has no file src/{kind}/{name}.cc" for name in sorted(names - files)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
