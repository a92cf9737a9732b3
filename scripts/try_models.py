#!/usr/bin/env python3
"""Imports or checks the models in a folder: prints a line for each, and a summary.

    scripts/try_models.py FOLDER [--yarrow build/bin/yarrow] [--command check|import]
                          [--seconds 60] [--jobs 1] [--only-bad]

Takes every .tflite and .onnx file and every .json of QNN, in folders below, too.
A model is accepted, refused with a code (the first line is printed), crashes, or
runs out of time. The exit code is 1 if one crashed or ran out of time.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENDINGS = (".tflite", ".onnx", ".json")
ACCEPTED, CRASHED, LATE = "accepted", "crashed", "not ready in time"


def models_in(folder):
    found = []
    for path, _, names in os.walk(folder):
        found += [os.path.join(path, name) for name in names
                  if name.endswith(ENDINGS) and os.path.getsize(os.path.join(path, name))]
    return sorted(found)


def outcome(options, model):
    """(word, code, first line)."""
    with tempfile.TemporaryDirectory(prefix="yarrow-try-") as folder:
        command = [options.yarrow, options.command, os.path.abspath(model)]
        if options.command == "import":
            command += ["-o", folder]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=options.seconds, cwd=folder, text=True,
                                  errors="replace")
        except subprocess.TimeoutExpired:
            return LATE, "", f"after {options.seconds} s"
    error = re.search(r"error (E\d+): (.*)", done.stdout)
    if done.returncode == 0:
        return ACCEPTED, "", ""
    if done.returncode != 1 or not error:
        lines = done.stdout.strip().splitlines()
        return CRASHED, "", f"exit code {done.returncode}: {lines[-1] if lines else ''}"
    return "refused", error[1], error[2]


def reason(code, line):
    """The text by which models are counted, without names of tensors."""
    operator = re.search(r"the operator (.*) is not imported", line)
    return f"{code} {operator[1]}" if operator else f"{code} {line[:60]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--yarrow", default=os.path.join(ROOT, "build/bin/yarrow"))
    parser.add_argument("--command", choices=("check", "import"), default="check")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only-bad", action="store_true", help="leave out accepted models")
    options = parser.parse_args()
    options.yarrow = os.path.abspath(options.yarrow)
    models = models_in(options.folder)
    if not models:
        sys.exit(f"no models in {options.folder}")
    counts, reasons = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for model, (word, code, line) in zip(
                models, pool.map(lambda model: outcome(options, model), models)):
            counts[word] += 1
            if word == "refused":
                reasons[reason(code, line)] += 1
            if word != ACCEPTED or not options.only_bad:
                name = os.path.relpath(model, options.folder)
                print(f"{word:9} {code:5} {name}" + (f": {line}" if line else ""))
    print(f"\n{len(models)} models: " +
          ", ".join(f"{count} {word}" for word, count in counts.most_common()))
    for why, count in reasons.most_common():
        print(f"{count:6}  {why}")
    return 1 if counts[CRASHED] or counts[LATE] else 0


if __name__ == "__main__":
    sys.exit(main())
