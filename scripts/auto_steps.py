#!/usr/bin/env python3
"""Measures gain and cost of each step of the recipe auto on third-party networks.

  auto_steps.py YARROW ZOO [-t TARGET] [--only NAME,...] [--update docs/quantization.md]

ZOO has zoo.json, which names networks and their files, and prepare.py, which makes
calibration.npy and evaluation.npy for one. Measures for each network and step the SQNR
in dB of the output that loses most, on samples that the calibration has not seen,
and the cycles. Prints a table in Markdown, or writes it between its marks in a document. Needs numpy."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../benchmark"))
from measured import write_between  # noqa: E402

# Each step adds to what the one before it has.
PLAIN = "--goal 0 --global-calibration none --adapt-to-functions false".split()
STEPS = [
    ("scales per channel", PLAIN),
    ("functions", PLAIN[:4]),
    ("channels, ranges, rounding", PLAIN[:2]),
    ("goal 30 dB, price 1.3", []),
]


MARKS = ("<!-- begin measured: auto-steps -->", "<!-- end measured -->")


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError(next((l for l in lines if " error" in l or l.startswith("error")),
                                lines[-1] if lines else "failed"))
    return done.stdout


def outputs(folder, stem):
    arrays = []
    while True:
        number = str(len(arrays)) if arrays else ""
        path = os.path.join(folder, stem + number + ".npy")
        if not os.path.exists(path):
            return arrays
        arrays.append(np.load(path).astype(np.float64))


def sqnr(signal, values):
    noise = ((signal - values) ** 2).sum()
    return 99.0 if noise == 0 else 10 * np.log10((signal**2).sum() / noise)


def measure(yarrow, model, shape, target, options, folder):
    run([yarrow, "quantize", model, *shape, "-c", "calibration.npy", "-o", "q", "--brief",
         "-t", target, *options], folder)
    integers = glob.glob(os.path.join(folder, "q", "*_o.txt"))[0]
    run([yarrow, "compile", integers, "-t", target, "-o", "e"], folder)
    text = run([yarrow, "run", "e", "-i", "evaluation.npy", "-o", "npu.npy", "--timed",
                "--dequantize"], folder)
    cycles = int(re.search(r": ([\d,]+) cycles", text).group(1).replace(",", ""))
    least = min(sqnr(a, b) for a, b in zip(outputs(folder, "float"), outputs(folder, "npu")))
    return f"{least:.1f} dB, {cycles:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("yarrow")
    parser.add_argument("zoo")
    parser.add_argument("-t", "--target", default="X2_1204")
    parser.add_argument("--only", default="")
    parser.add_argument("--update", help="write the table of this document")
    options = parser.parse_args()
    yarrow = os.path.abspath(options.yarrow)
    with open(os.path.join(options.zoo, "zoo.json"), encoding="utf-8") as file:
        zoo = json.load(file)
    names = options.only.split(",") if options.only else [n for n in zoo if "size" in zoo[n]]
    lines = ["| network | " + " | ".join(name for name, _ in STEPS) + " |",
             "|---" * (len(STEPS) + 1) + "|"]
    for name in names:
        entry = zoo[name]
        if entry.get("type") == "uint8" or name.endswith("_int8q"):
            continue  # quantized already
        model = os.path.abspath(os.path.join(options.zoo, entry["file"]))
        shape = ["--input-shape", entry["shape"]] if "shape" in entry else []
        cells = []
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(options.zoo, "prepare.py"), name, folder],
                           check=True)
            run([yarrow, "eval", model, *shape, "-i", "evaluation.npy", "-o", "float.npy"], folder)
            for _, step in STEPS:
                try:
                    cells.append(measure(yarrow, model, shape, options.target, step, folder))
                except RuntimeError as error:
                    cells.append(str(error)[:60])
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    if options.update:
        write_between(options.update, MARKS, "\n".join(lines))
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
