#!/usr/bin/env python3
"""Runs the examples of the documentation and compares what they print.

    test/docs/run_examples.py                    # all documents, build/bin
    test/docs/run_examples.py --show README.md   # and print everything
    test/docs/run_examples.py --update           # write what is printed now
    test/docs/run_examples.py --but examples/vision/README.md

Blocks fenced as ```console are sessions. Every document starts in a fresh copy
of examples/digits, with --bin first in PATH, and its blocks run in order:

    ```console
    $ yarrow run out/aipu.bin -i heldout.npy -o out.npy
    ran 360 samples ...
    [exit code 3]
    ```

Lines after a command must occur in its output (standard output and error) in
this order, others may lie between. `cd FOLDER` holds for the commands after it. `...` stands for any text; white space and
the length of rules do not count. Whole numbers are exact: cycles, bytes and counts are
the same on every machine. Decimals, of which processors round the last ones in their
own way, may be off by 5 %, times of the computer ("3.2 s") five times as long or short.
A command must succeed unless its last line is
[exit code N]; it may go on in the next line after a backslash. What ends with
exit code 77 and "skipped: ...", as examples that need a network do, is not compared.
How long the commands of each document took is printed.

--update puts the printed numbers where others are documented, and the whole output where
lines are others, unless it has `...`: that is left to a person.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TIME_FACTOR = 5
DECIMAL_FACTOR = 1.05
SKIPPED = 77
TIMEOUT_SECONDS = 300
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?")


class Step:
    def __init__(self, line, command):
        self.line, self.command = line, command
        self.expected, self.exit_code = [], 0
        self.last_line = line  # of the command and then of its output
        self.is_elided = False

    def add_output(self, number, line):
        self.last_line = number
        self.is_elided |= "..." in line
        if line.strip() and line.strip() != "...":
            self.expected.append((number, line))


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
                steps[-1].last_line = steps[-1].line = number
                continued = line.endswith("\\")
            elif line.startswith("$ "):
                steps.append(Step(number, line[2:]))
                continued = line.endswith("\\")
            elif not steps:
                sys.exit(f"{path}:{number}: output without a command")
            elif re.fullmatch(r"\[exit code \d+\]", line):
                steps[-1].exit_code = int(line[11:-1])
            else:
                steps[-1].add_output(number, line)
    return steps


def canonical(line):
    return re.sub(r"-{3,}", "---", " ".join(line.split()))


def pairs_of(expected, found):
    """Pairs of numbers, documented and printed, if the lines are the same but for
    those; else None. A pair has a third item: whether it is a time."""
    pattern, numbers = "", []
    for part in re.split(r" ?(\.\.\.) ?", canonical(expected)):
        if part == "...":
            pattern += ".*?"
            continue
        at = 0
        for number in NUMBER.finditer(part):
            pattern += re.escape(part[at:number.start()]) + "(" + NUMBER.pattern + ")"
            numbers.append((number.group(), bool(re.match(r" s\b", part[number.end():]))))
            at = number.end()
        pattern += re.escape(part[at:])
    match = re.fullmatch(pattern, canonical(found))
    if not match:
        return None
    return [(old, new, is_time) for (old, is_time), new in zip(numbers, match.groups())]


def agree(old, new, is_time):
    if not is_time and "." not in old + new:
        return old == new
    factor = TIME_FACTOR if is_time else DECIMAL_FACTOR
    a, b = (float(text.replace(",", "")) for text in (old, new))
    return a * b >= 0 and abs(a) <= factor * abs(b) and abs(b) <= factor * abs(a)


def matches(expected, found):
    """Does the output line `found` look like the documented one?"""
    pairs = pairs_of(expected, found)
    return pairs is not None and all(agree(*pair) for pair in pairs)


def renumbered(line, pairs):
    """The documented line with the numbers that are printed, right ends in place."""
    fresh = iter(pairs)
    result, at = "", 0
    for number in NUMBER.finditer(line):
        _, new, _ = next(fresh)
        before = line[at:number.start()]
        spare = len(new) - len(number.group())
        blanks = len(before) - len(before.rstrip(" "))
        if blanks > 1:
            before = before.rstrip(" ") + " " * max(1, blanks - spare)
        result, at = result + before + new, number.end()
    return result + line[at:]


def refreshed(step, output):
    """The lines of an elided output with the printed numbers; None if one of them is
    not printed at all."""
    lines, at, result = output.splitlines(), 0, {}
    for number, expected in step.expected:
        found = next((i for i in range(at, len(lines)) if matches(expected, lines[i])), None)
        if found is None:
            found = next((i for i in range(at, len(lines))
                          if pairs_of(expected, lines[i]) is not None), None)
        if found is None:
            return None
        at = found + 1
        if not matches(expected, lines[found]):
            result[number] = renumbered(expected, pairs_of(expected, lines[found]))
    return result


def check(step, output, exit_code):
    """The first thing that is wrong, as (line, text), or None."""
    if exit_code != step.exit_code:
        return step.line, f"exit code {exit_code}, documented is {step.exit_code}"
    lines = iter(output.splitlines())
    for number, expected in step.expected:
        if not any(matches(expected, found) for found in lines):
            return number, f"not printed (in this order): {expected.strip()}"
    return None


def update(path, replacements):
    """replacements: (step, output); the last first, so that line numbers hold."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    for step, output in reversed(replacements):
        if isinstance(output, dict):
            for number, line in output.items():
                lines[number - 1] = line
        else:
            lines[step.line:step.last_line] = [line.rstrip() for line in output.splitlines()]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def run_document(path, args):
    failures, seconds, name, replacements = 0, 0.0, os.path.relpath(path, ROOT), []
    steps = steps_of(path)
    with tempfile.TemporaryDirectory(prefix="yarrow-docs-") as scratch:
        folder = os.path.join(scratch, "digits")
        shutil.copytree(os.path.join(ROOT, "examples/digits"), folder)
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
        environment = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8",
                           PATH=os.path.abspath(args.bin) + os.pathsep + os.environ["PATH"])
        for step in steps:
            if step.command.startswith("cd "):
                folder = os.path.join(folder, step.command[3:])
                continue
            begin = time.monotonic()
            done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_SECONDS)
            seconds += time.monotonic() - begin
            if args.show:
                print(f"$ {step.command}\n{done.stdout}[exit code {done.returncode}]\n")
            if done.returncode == SKIPPED and done.stdout.startswith("skipped: "):
                print(f"{name}:{step.line}: {done.stdout}", end="")
                continue
            problem = check(step, done.stdout, done.returncode)
            if args.update and done.returncode == step.exit_code:
                fresh = refreshed(step, done.stdout)
                if fresh:
                    replacements.append((step, fresh))
                elif fresh is None and not step.is_elided:
                    replacements.append((step, done.stdout))
                if fresh is not None or not step.is_elided:
                    continue
            if problem:
                failures += 1
                print(f"{name}:{problem[0]}: {problem[1]}\n  command: {step.command}\n  printed:")
                print("".join(f"    {line}\n" for line in done.stdout.splitlines()), end="")
    if replacements:
        update(path, replacements)
        print(f"docs_examples: {name}: wrote the output of {len(replacements)} commands")
    if steps:
        print(f"docs_examples: {name}: {len(steps)} commands in {seconds:.1f} s")
    return len(steps), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/bin"), help="folder of the program")
    parser.add_argument("--show", action="store_true", help="print every command and its output")
    parser.add_argument("--update", action="store_true", help="write what is printed now")
    parser.add_argument("--but", metavar="DOCUMENT", help="one that is left out")
    parser.add_argument("documents", nargs="*", help="default: README.md, docs/, examples/")
    args = parser.parse_args()
    documents = args.documents or [os.path.join(ROOT, "README.md")] + sorted(
        glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True) +
        glob.glob(os.path.join(ROOT, "examples/*/*.md")))
    left_out = args.but and os.path.realpath(args.but)
    results = [run_document(d, args) for d in documents if os.path.realpath(d) != left_out]
    commands, failures = (sum(column) for column in zip(*results))
    print(f"docs_examples: {commands} commands, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
