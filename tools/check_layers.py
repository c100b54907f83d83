#!/usr/bin/env python3
"""Checks that every #include respects the layers.

base < math < { clustering, robust } < groups < data < { plug-ins, fleet }
     < { fleets, methods, adversary } < run < report < library < reproduce < apps

A file in src/ may include public headers ("coterie/..."), headers of its own folder and of lower layers.
Plug-in folders include neither each other nor the fleet. Public headers include only public headers and the
standard library. Prints each finding with file and line; exit status 1 when there is any.

  check_layers.py               check the project
  check_layers.py --self-test   check that bad includes are found and good ones are not
"""

import pathlib
import re
import sys
import tempfile

import layers

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')

STANDARD_LIBRARY = set(
    """
    algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
    climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg
    cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem
    forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch
    limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges
    ratio regex scoped_allocator semaphore set shared_mutex span sstream stack stdexcept stop_token streambuf
    string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo
    unordered_map unordered_set utility valarray variant vector version
    """.split()
)


def includes(path):
    """(line number, quoted name or None, angle-bracket name or None) of each include."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if match := INCLUDE.match(line):
            yield number, match.group(1), match.group(2)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cc")) if folder.is_dir() else []


def check_public(root, quoted, bracketed):
    if bracketed is not None:
        known = bracketed in STANDARD_LIBRARY
        return None if known else f"a public header includes <{bracketed}>; only the standard library is allowed"
    if not quoted.startswith("coterie/"):
        return f'a public header includes "{quoted}"; only public headers are allowed'
    return check_exists(root, quoted)


def check_exists(root, quoted):
    if quoted.startswith("coterie/") and not (root / "include" / quoted).is_file():
        return f'"{quoted}" is not a public header'
    return None


def check_inner(root, path, own, own_rank, ranks, quoted):
    if quoted.startswith("coterie/"):
        return check_exists(root, quoted)
    if (path.parent / quoted).is_file():
        return None  # a neighbour, named without its folder
    folder = quoted.split("/")[0]
    if folder == own:
        return None
    if folder not in ranks or "/" not in quoted:
        return f'"{quoted}" is neither a public header nor one of a folder of src/'
    if ranks[folder] > own_rank:
        return f'{own} includes "{quoted}", which is above it'
    if ranks[folder] == own_rank:
        return f'{own} includes "{quoted}", but {own} and {folder} do not see each other'
    return None


def findings(root, ranks):
    found = []

    def add(path, line, what):
        if what is not None:
            found.append(f"{path.relative_to(root)}:{line}: {what}")

    for path in sources(root / "include"):
        for line, quoted, bracketed in includes(path):
            add(path, line, check_public(root, quoted, bracketed))
    for path in sources(root / "src"):
        parts = path.relative_to(root / "src").parts
        if len(parts) < 2 or parts[0] not in ranks:
            add(path, 1, "this file is in no layer; the layers are " + ", ".join(ranks))
            continue
        for line, quoted, _ in includes(path):
            if quoted is not None:
                add(path, line, check_inner(root, path, parts[0], ranks[parts[0]], ranks, quoted))
    for path in sources(root / "apps"):
        for line, quoted, _ in includes(path):
            if quoted is not None:
                add(path, line, check_inner(root, path, "apps", max(ranks.values()) + 1, ranks, quoted))
    return found


def self_test(ranks):
    """Each file holds one include; the text is what a finding must contain, or None where there must be none."""
    cases = [
        ("include/coterie/good.h", "#include <vector>", None),
        ("include/coterie/good2.h", '#include "coterie/good.h"', None),
        ("include/coterie/eigen.h", "#include <Eigen/Core>", "only the standard library"),
        ("include/coterie/inner.h", '#include "base/text.h"', "only public headers"),
        ("include/coterie/lost.h", '#include "coterie/nowhere.h"', "not a public header"),
        ("src/base/text.h", "#include <string>", None),
        ("src/base/up.cc", '#include "math/kernels.h"', "above it"),
        ("src/math/down.cc", '#include "base/text.h"', None),
        ("src/math/own.cc", '#include "math/kernels.h"', None),
        ("src/data/neighbour.h", "#include <fmt/format.h>", None),
        ("src/data/neighbour.cc", '  #  include "neighbour.h"', None),
        ("src/models/mlp.cc", '#include "algorithms/ifca.h"', "do not see each other"),
        ("src/algorithms/ifca.cc", '#include "fleet/threads.h"', "do not see each other"),
        ("src/fleet/threads.cc", '#include "models/mlp.h"', "do not see each other"),
        ("src/algorithms/down.cc", '#include "coterie/good.h"', None),
        ("src/run/run.cc", '#include "fleet/threads.h"', None),
        ("src/run/up.cc", '#include "report/table.h"', "above it"),
        ("src/report/table.cc", '#include "apps/main.h"', "neither a public header"),
        ("src/stray/stray.cc", "", "in no layer"),
        ("apps/coterie/main.cc", '#include "report/table.h"', None),
        ("apps/coterie/lost.cc", '#include "somewhere/table.h"', "neither a public header"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text, _ in cases:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("// A comment.\n" + text + "\n")
        found = findings(root, ranks)
    wrong = []
    for name, text, wanted in cases:
        mine = [f for f in found if f.startswith(name + ":")]
        if wanted is None and mine:
            wrong.append(f"found fault with {name}: {mine}")
        elif wanted is not None and not (len(mine) == 1 and wanted in mine[0]):
            wrong.append(f"{name} with {text!r}: wanted '{wanted}', got {mine}")
        elif wanted is not None and text and not mine[0].startswith(name + ":2:"):
            wrong.append(f"wrong line: {mine[0]}")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        problems = self_test(layers.ranks())
    elif not sys.argv[1:]:
        problems = findings(layers.ROOT, layers.ranks())
    else:
        sys.exit(__doc__)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
