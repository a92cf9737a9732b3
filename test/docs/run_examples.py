#!/usr/bin/env python3
"""Runs the examples of the documentation and compares what they print.

    test/docs/run_examples.py --bin build/bin            # all documents
    test/docs/run_examples.py --bin build/bin --show README.md

Blocks fenced as ```console are sessions. Every document starts in a fresh copy
of examples/digits, with --bin first in PATH, and its blocks run in order:

    ```console
    $ yarrow run out/aipu.bin -i heldout.npy -o out.npy
    ran 360 samples ...
    [exit code 3]
    ```

Lines after a command must occur in its output (standard output and error) in
this order, others may lie between. Differences of white space do not count. `...` stands for any text; a number may differ
by a fifth, as cycles do when the compiler gets better. A command must succeed
unless its last line is [exit code N]. A command may go on after a backslash.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOLERANCE = 0.2
TIMEOUT_SECONDS = 300
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?")


class Step:
    def __init__(self, line, command):
        self.line, self.command, self.expected, self.exit_code = line, command, [], 0


def steps_of(path):
    steps, inside, continued = [], False, False
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f.read().splitlines(), 1):
            if line.startswith("```"):
                inside = not inside and line.strip() == "```console"
                continued = False
            elif not inside:
                continue
            elif continued:
                steps[-1].command += "\n" + line
                continued = line.endswith("\\")
            elif line.startswith("$ "):
                steps.append(Step(number, line[2:]))
                continued = line.endswith("\\")
            elif not steps:
                sys.exit(f"{path}:{number}: output without a command")
            elif re.fullmatch(r"\[exit code \d+\]", line):
                steps[-1].exit_code = int(line[11:-1])
            elif line.strip() and line.strip() != "...":
                steps[-1].expected.append((number, line))
    return steps


def numbers_agree(expected, found):
    a, b = (float(t.replace(",", "")) for t in (expected, found))
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def matches(expected, found):
    """Does the output line `found` look like the documented one?"""
    pattern, numbers = "", []
    for part in re.split(r"(\.\.\.)", " ".join(expected.split())):
        if part == "...":
            pattern += ".*?"
            continue
        at = 0
        for number in NUMBER.finditer(part):
            pattern += re.escape(part[at:number.start()]) + "(" + NUMBER.pattern + ")"
            numbers.append(number.group())
            at = number.end()
        pattern += re.escape(part[at:])
    match = re.fullmatch(pattern, " ".join(found.split()))
    return bool(match) and all(map(numbers_agree, numbers, match.groups()))


def check(step, output, exit_code):
    """The first thing that is wrong, as (line, text), or None."""
    if exit_code != step.exit_code:
        return step.line, f"exit code {exit_code}, documented is {step.exit_code}"
    lines = iter(output.splitlines())
    for number, expected in step.expected:
        if not any(matches(expected, found) for found in lines):
            return number, f"not printed (in this order): {expected.strip()}"
    return None


def run_document(path, args):
    failures, name = 0, os.path.relpath(path, ROOT)
    steps = steps_of(path)
    with tempfile.TemporaryDirectory(prefix="yarrow-docs-") as scratch:
        folder = os.path.join(scratch, "digits")
        shutil.copytree(os.path.join(ROOT, "examples/digits"), folder)
        environment = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8",
                           PATH=os.path.abspath(args.bin) + os.pathsep + os.environ["PATH"])
        for step in steps:
            done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_SECONDS)
            if args.show:
                print(f"$ {step.command}\n{done.stdout}[exit code {done.returncode}]\n")
            problem = check(step, done.stdout, done.returncode)
            if problem:
                failures += 1
                print(f"{name}:{problem[0]}: {problem[1]}\n  command: {step.command}\n  printed:")
                print("".join(f"    {line}\n" for line in done.stdout.splitlines()), end="")
    return len(steps), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/bin"), help="folder of the program")
    parser.add_argument("--show", action="store_true", help="print every command and its output")
    parser.add_argument("documents", nargs="*", help="default: README.md and docs/*.md")
    args = parser.parse_args()
    documents = args.documents or [os.path.join(ROOT, "README.md")] + sorted(
        glob.glob(os.path.join(ROOT, "docs", "*.md")))
    results = [run_document(d, args) for d in documents]
    commands, failures = (sum(column) for column in zip(*results))
    print(f"docs_examples: {commands} commands, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
