#!/usr/bin/env python3
"""Plants the listed faults one after the other and runs the test that each names.

    test/faults/try_listed.py                        # all: three minutes with a compiler cache
    test/faults/try_listed.py residual-scales-stay   # by id

The test must pass. Then a fault is written into the sources of this checkout, what the test needs
is built in build/, and it must fail; then the file is put back, also after Ctrl-C. Files with
changes that are not committed are left alone. scripts/plant.py takes random faults as well, and
every test, in hours. Needs a whole build and python3-yaml. Ends with 1 if a fault survives.
"""
import pathlib
import re
import subprocess
import sys
import time

import check_places
import yaml

ROOT = check_places.ROOT
FOLDER = ROOT / "test/faults"


def run(*command, folder=ROOT):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, check=False)
    return done.returncode, done.stdout


def configured(name):
    """What CMake has found."""
    cache = (ROOT / "build/CMakeCache.txt").read_text(encoding="utf-8")
    return re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE).group(1)


def test_of(fault):
    """What has to be built, and a command that fails with the fault."""
    kind, name = fault["caughtBy"].split()
    if kind != "lit":
        return [kind], [f"bin/{kind}", "--gtest_filter=" + name]
    folder = name.split("/", maxsplit=1)[0]
    return (["yarrow", "yarrow-opt"],
            [configured("YARROW_LIT_PYTHON"), configured("YARROW_LIT"), "-q",
             f"test/lit/{folder}", "--filter", re.escape(name)])


def try_fault(fault):
    """One word for what came of it."""
    path = ROOT / fault["file"]
    if check_places.problems(fault):
        return "no place"
    if run("git", "diff", "--quiet", "HEAD", "--", fault["file"])[0]:
        return "not tried: changes are not committed"
    right = path.read_text(encoding="utf-8")
    targets, command = test_of(fault)
    if run("ninja", "-C", "build", *targets)[0] or run(*command, folder=ROOT / "build")[0]:
        return "fails without it"
    try:
        path.write_text(right.replace(fault["from"].rstrip("\n"), fault["to"].rstrip("\n")),
                        encoding="utf-8")
        failed, said = run("ninja", "-C", "build", *targets)
        if failed:
            return "does not compile" if "error:" in said else "not built"
        return "caught" if run(*command, folder=ROOT / "build")[0] else "SURVIVES"
    finally:
        path.write_text(right, encoding="utf-8")


def main():
    asked = set(sys.argv[1:])
    faults = [fault for listed in sorted(FOLDER.glob("*.yaml")) if listed.name != "accepted.yaml"
              for fault in yaml.safe_load(listed.read_text(encoding="utf-8"))]
    unknown = asked - {fault["id"] for fault in faults}
    if unknown:
        sys.exit("try_listed: there is no fault " + ", ".join(sorted(unknown)))
    results = []
    for fault in faults:
        if asked and fault["id"] not in asked:
            continue
        begin = time.monotonic()
        results.append(try_fault(fault))
        print(f"{fault['id']:40} {results[-1]:16} {fault['caughtBy']}  "
              f"({time.monotonic() - begin:.0f} s)", flush=True)
    good = sum(result in ("caught", "does not compile") for result in results)
    print(f"{len(results)} listed faults, {good} caught")
    return 0 if good == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
