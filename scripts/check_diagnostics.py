#!/usr/bin/env python3
"""Checks that every diagnostic has a test that provokes it.

    scripts/check_diagnostics.py            # fails and lists codes without a test
    scripts/check_diagnostics.py --list     # lists the tests of each code

Codes come from support/diagnostics/*.def. A code counts as provoked if

* a lit test has a FileCheck directive that matches "error E0203" (or warning, or
  note) literally, with a prefix of one of its RUN lines: the program printed
  it, or the test fails;
* a GoogleTest expects it of a reported diagnostic: EXPECT_EQ(d.id, diag::X).
"""
import argparse
import collections
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEVERITY = {"E": "error", "W": "warning", "N": "note"}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def codes():
    """{code: identifier} of the table."""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "support/diagnostics/*.def"))):
        for name, code in re.findall(r'^DIAG\((\w+), "([ENW]\d{4})"', read(path), re.MULTILINE):
            found[code] = name
    return found


def lit_prefixes(text):
    """The FileCheck prefixes that the RUN lines of a test use."""
    runs = ";".join(re.findall(r"RUN:(.*)", text.replace("\\\n", " ")))
    prefixes = set()
    for command in re.split(r"[|;]|&&", runs.replace("RUN:", "")):
        if "FileCheck" not in command:
            continue
        named = re.findall(r"--?check-prefix(?:es)?[= ]([\w,-]+)", command)
        prefixes.update(p for names in named for p in names.split(","))
        if not named:
            prefixes.add("CHECK")
    return prefixes


def lit_codes(text):
    if re.search(r"^\W*(XFAIL|UNSUPPORTED|REQUIRES):", text, re.MULTILINE):
        return
    for prefix in lit_prefixes(text):
        for line in re.findall(rf"^\W*{re.escape(prefix)}(?:-SAME|-NEXT|-DAG)?:(.*)", text,
                               re.MULTILINE):
            for word, code in re.findall(r"\b(error|warning|note) ([ENW]\d{4})\b", line):
                if SEVERITY[code[0]] == word:
                    yield code


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true", help="list the tests that provoke each code")
    args = parser.parse_args()
    table = codes()
    if not table:
        sys.exit("check_diagnostics: no codes found in support/diagnostics")
    tests = collections.defaultdict(set)
    for suffix in ("test", "mlir"):
        for path in glob.glob(os.path.join(ROOT, "test/lit/**/*." + suffix), recursive=True):
            for code in lit_codes(read(path)):
                tests[code].add(os.path.relpath(path, ROOT))
    code_of = {name: code for code, name in table.items()}
    for path in glob.glob(os.path.join(ROOT, "test/unit/**/*.cpp"), recursive=True):
        for name in re.findall(r"(?:EXPECT|ASSERT)_EQ\([^;]*?\bid,\s*(?:yarrow::)?diag::(\w+)\)",
                               read(path)):
            if name in code_of:
                tests[code_of[name]].add(os.path.relpath(path, ROOT))
    if args.list:
        for code in sorted(table, key=lambda c: c[1:]):
            print(code, " ".join(sorted(tests[code])) or "-")
    missing = [c for c in table if not tests[c]]
    for code in missing:
        print(f"check_diagnostics: no test provokes {code} ({table[code]})")
    unknown = sorted(set(tests) - set(table))
    for code in unknown:
        print(f"check_diagnostics: {', '.join(sorted(tests[code]))}: {code} is not in the table")
    print(f"check_diagnostics: {len(table)} codes, {len(missing)} without a test")
    return 1 if missing or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
