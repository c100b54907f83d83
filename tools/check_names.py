#!/usr/bin/env python3
"""Checks that no two files of src/ and include/ define types of one full name that the linker would take for one.

Two such types with different members are one type to the linker, which keeps either's functions: the program may then
crash, or not, as the optimiser pleases. Types inside an unnamed namespace or a function are not seen by the linker, but
in a unity build those of one room may meet, so a name is used once in a room.

  check_names.py               check the project
  check_names.py --self-test   check that such types are found and others are not
"""

import collections
import pathlib
import re
import sys
import tempfile

import layers

# Strings, comments and lines for the preprocessor, which are dropped.
NOISE = re.compile(
    r'R"(\w*)\(.*?\)\1"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])'"
    r"|//[^\n]*|/\*.*?\*/"
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.S | re.M,
)
# What opens and closes a scope. A word after `<` or `,` is a parameter of a template.
KEYWORD = r"(?<![<,])(?<![<,] )\b(?:enum\s+(?:class\s+|struct\s+)?|class\s+|struct\s+|union\s+)"
TOKEN = re.compile(
    r"\bnamespace\s*(?P<space>[\w:]*)\s*\{"
    rf"|{KEYWORD}(?P<type>\w+(?:::\w+)*)(?P<rest>[^;{{}}()=]*)\{{"
    r"|(?P<open>\{)|(?P<close>\})"
)


def types(path):
    """(full name, line) of each type that a file defines; names in an unnamed namespace hold "(unnamed)"."""
    text = NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), path.read_text(encoding="utf-8"))
    scopes = []  # names of namespaces and types around; None for a function or another block
    for token in TOKEN.finditer(text):
        if token.group("close"):
            if scopes:
                scopes.pop()
        elif token.group("open"):
            scopes.append(None)
        elif token.group("type"):
            if None not in scopes and not specialises(token.group("rest")):
                yield "::".join([*scopes, token.group("type")]), text.count("\n", 0, token.start("type")) + 1
            scopes.append(token.group("type"))
        else:
            scopes.append(token.group("space") or "(unnamed)")


def specialises(rest):
    """Whether what follows a type's name is the arguments of a template: struct Of<float> {."""
    return rest.lstrip().startswith("<")


def findings(root):
    places = collections.defaultdict(list)
    for path in sorted([*root.glob("src/**/*"), *root.glob("include/**/*")]):
        if path.suffix in (".h", ".cc"):
            for name, line in types(path):
                inner = path.relative_to(root)
                room = inner.parts[1] if "(unnamed)" in name else ""
                places[name, room].append(f"{inner}:{line}")
    return [
        f"{name.replace('(unnamed)::', '')} is defined at " + " and ".join(where)
        for (name, _), where in sorted(places.items())
        if len(where) > 1
    ]


def self_test():
    cases = {
        "src/a/one.h": "struct Twice { int x; }; struct Outer { struct Inner {}; }; class Later;",
        "src/b/two.cc": "\nstruct Twice { double x; };\nstruct Inner {}; class Later {};",
        "src/b/three.cc": "namespace { enum class Own { a }; } void f() { struct Inner {}; }",
        "src/c/four.cc": 'namespace { struct Own {}; }\n// struct Twice {};\nauto s = "struct Twice {";',
        "src/c/five.cc": "namespace {\nclass Own : public Inner {}; template <> struct Later<int> {}; }",
        "include/coterie/six.h": "template <class T> struct Given {}; struct Outer::Inner2 {};",
        "include/coterie/seven.h": "template <class T> struct Taken { struct Inner2 {}; };",
    }
    wanted = [
        "coterie::Own is defined at src/c/five.cc:2 and src/c/four.cc:1",
        "coterie::Twice is defined at src/a/one.h:1 and src/b/two.cc:2",
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in cases.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("namespace coterie { " + text + " }\n")
        found = findings(root)
    return [] if sorted(found) == wanted else [f"wanted {wanted}, found {found}"]


def main():
    if sys.argv[1:] == ["--self-test"]:
        problems = self_test()
    elif not sys.argv[1:]:
        problems = findings(layers.ROOT)
    else:
        sys.exit(__doc__)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
