#!/usr/bin/env python3
"""Every listed fault still has the one place in the sources that it names.

A fault is a piece of a file, as it is right and as it is wrong. Where the file was divided or the
lines were written anew, nothing can be planted, and scripts/plant.py, which takes hours, would be
the first to say so.
"""
import pathlib
import sys

try:
    import yaml
except ImportError:
    print("skipped: no YAML for Python")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def problems(fault):
    path = ROOT / fault["file"]
    if not path.is_file():
        return f"there is no {fault['file']}"
    count = path.read_text(encoding="utf-8").count(fault["from"].rstrip("\n"))
    return None if count == 1 else f"its lines are {count} times in {fault['file']}"


def main():
    total = found = 0
    for listed in sorted((ROOT / "test/faults").glob("*.yaml")):
        if listed.name == "accepted.yaml":
            continue
        for fault in yaml.safe_load(listed.read_text(encoding="utf-8")):
            total += 1
            if problem := problems(fault):
                found += 1
                print(f"{listed.name}: {fault['id']}: {problem}")
    print(f"{total} listed faults, {found} without a place")
    return 1 if found or not total else 0


if __name__ == "__main__":
    sys.exit(main())
