#!/usr/bin/env python3
"""Counts what an author has to learn: the public headers, and the public names that docs/skeletons use.

The headers of include/coterie itself are public; methods/ is a library, and detail/ is what they are built on.

A name is a type, function or constant that a header of include/coterie or src/fleet declares at namespace level.
Prints a line for each; exit status 1 when something is larger than it may be.

  count_names.py [--names]     --names: list them
"""

import re
import sys

import layers

MOST_HEADERS, MOST_LINES = 17, 200
MOST = {"algorithm": 15, "model": 8, "fleet": 12}
DECLARED = re.compile(
    r"^(?:template <[^>]*>\s*)?(?:class|struct|enum class|using) (\w+)"  # types
    r"|^(?:inline constexpr|constexpr) [\w:]+ (\w+)"  # constants
    r"|^[A-Za-z][\w:<>,&* ]* (\w+)\(",  # functions
    re.MULTILINE,
)


def declared():
    names = set()
    for folder in (layers.ROOT / "include", layers.ROOT / "src/fleet"):
        for header in folder.rglob("*.h"):
            text = re.sub(r"//.*", "", header.read_text())
            names |= {next(name for name in match if name) for match in DECLARED.findall(text)}
    return names


def main():
    public = declared()
    headers = sorted((layers.ROOT / "include/coterie").glob("*.h"))
    long = [header.name for header in headers if len(header.read_text().splitlines()) > MOST_LINES]
    over = len(headers) > MOST_HEADERS or bool(long)
    print(f"{len(headers)} public headers, at most {MOST_HEADERS}")
    if long:
        print(f"longer than {MOST_LINES} lines: {', '.join(long)}")
    for skeleton, most in MOST.items():
        text = (layers.ROOT / f"docs/skeletons/{skeleton}.cc").read_text()
        text = re.sub(r'//.*|"[^"\n]*"', "", text)
        used = sorted(set(re.findall(r"(?<![.>\w])[A-Z]\w+|\bk[A-Z]\w+|(?<![.>\w ])\w+(?=\()", text)) & public)
        over |= len(used) > most
        print(f"{skeleton}: {len(used)} public names, at most {most}" + ("" if len(used) <= most else ": too many"))
        if "--names" in sys.argv[1:]:
            print("  " + " ".join(used))
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
