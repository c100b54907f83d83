#!/usr/bin/env python3
"""Checks that docs/README.md lists every page of docs/, and that no link in the documents is dead.

A link may name a file or folder of the project, a heading of a page (#heading), or an address elsewhere,
which is not looked at. Prints each finding with file and line; exit status 1 when there is any.

  check_docs.py               check the project
  check_docs.py --self-test   check that bad links and missing pages are found and good ones are not
"""

import pathlib
import re
import sys
import tempfile

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
MOST = 120  # characters in a line


def text_lines(path):
    """The lines of a page outside of code, with their numbers."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(path):
    """What headings are called in links, as GitHub does it."""
    names = set()
    for _, line in text_lines(path):
        if line.startswith("#"):
            title = line.lstrip("#").strip().lower().replace("`", "")
            names.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return names


def pages(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def dead_links(root):
    for page in pages(root):
        for number, line in text_lines(page):
            for target in LINK.findall(re.sub(r"`[^`]*\]\([^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, heading = target.partition("#")
                path = page.parent / name if name else page
                where = f"{page.relative_to(root)}:{number}"
                if not path.exists():
                    yield f"{where}: there is no {target}"
                elif heading and (path.suffix != ".md" or heading not in anchors(path)):
                    yield f"{where}: {name or page.name} has no heading #{heading}"


def missing_pages(root):
    index = root / "docs" / "README.md"
    if not index.exists():
        yield "docs/README.md is missing"
        return
    listed = set(LINK.findall(index.read_text()))
    for page in sorted((root / "docs").glob("*.md")):
        if page != index and page.name not in listed:
            yield f"docs/README.md: does not list {page.name}"
    if "docs/README.md" not in LINK.findall((root / "README.md").read_text()):
        yield "README.md: has no link to docs/README.md"


def long_lines(root):
    for page in pages(root):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            if len(line) > MOST and not line.startswith("|"):
                yield f"{page.relative_to(root)}:{number}: {len(line)} characters; at most {MOST}"


def findings(root):
    return [*missing_pages(root), *dead_links(root), *long_lines(root)]


def self_test():
    good = {
        "README.md": "[docs](docs/README.md) [web](https://example.org/none)\n",
        "docs/README.md": "- [a](a.md)\n- [part](a.md#a-part-of-it)\n",
        "docs/a.md": "# A\n\n## A part of it\n\n```\n[no link](none.md)\n```\n[back](../README.md) [here](#a)\n",
    }
    bad = {
        "docs/a.md": [("# A", "[none](none.md)", "there is no none.md"), ("# A", "x" * 121, "121 characters")],
        "docs/README.md": [("- [a](a.md)", "", "does not list a.md"), ("#a-part", "#other", "no heading #other")],
        "README.md": [("docs/README.md", "docs", "has no link to docs/README.md")],
    }

    def told(pages_of):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            for name, text in pages_of.items():
                (root / name).write_text(text)
            return findings(root)

    wrong = [f"good pages: {one}" for one in told(good)]
    for name, changes in bad.items():
        for old, new, expected in changes:
            found = told({**good, name: good[name].replace(old, new, 1)})
            if not any(expected in one for one in found):
                wrong.append(f"{name} with {new!r}: expected {expected!r}, found {found}")
    return wrong


def main():
    wrong = self_test() if "--self-test" in sys.argv[1:] else findings(pathlib.Path(__file__).resolve().parent.parent)
    for one in wrong:
        print(one)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
