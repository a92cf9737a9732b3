#!/usr/bin/env python3
"""Checks that what the documentation points at exists.

    test/docs/check_links.py

Relative links and their headings, and every path of this repository that
stands between backquotes: `passes/plan`, `isa/Types.h`. Paths with <, * or
... are patterns and not checked.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`([\w.-]+/[\w./+-]*)`")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
# Written by the tools, not part of the repository.
GENERATED = ("build/", "out/")


def anchors(path):
    """The names that headings get: lower case, words joined by dashes."""
    with open(path, encoding="utf-8") as f:
        headings = re.findall(r"^#+ (.*)$", FENCE.sub("", f.read()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


def problems_of(path, folders):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for number, line in enumerate(text.splitlines(), 1):
        for target in LINK.findall(line):
            if re.match(r"\w+:", target):
                continue
            file, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(full):
                yield number, f"link to {target}, which does not exist"
            elif anchor and anchor not in anchors(full):
                yield number, f"link to {target}: no such heading"
        for target in PATH.findall(line):
            if (target.split("/")[0] in folders and not target.startswith(GENERATED)
                    and "..." not in target and not os.path.exists(os.path.join(ROOT, target))):
                yield number, f"`{target}` does not exist"


def main():
    documents = [os.path.join(ROOT, "README.md")] + sorted(
        glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True) +
        glob.glob(os.path.join(ROOT, "examples/*/*.md")))
    folders = {n for n in os.listdir(ROOT) if os.path.isdir(os.path.join(ROOT, n))}
    count = 0
    for document in documents:
        for number, text in problems_of(document, folders):
            print(f"{os.path.relpath(document, ROOT)}:{number}: {text}")
            count += 1
    print(f"docs_links: {len(documents)} documents, {count} problems")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
