#!/usr/bin/env python3
"""Measures third-party networks with default settings, for the second table of docs/performance.md.

    benchmark/zoo_cycles.py ../shared/zoo                                # build/bin/yarrow
    benchmark/zoo_cycles.py ../shared/zoo --update docs/performance.md    # write the table there
    benchmark/zoo_cycles.py ../shared/zoo --only yunet,rfb320 --json FILE # some, with all figures

The folder has zoo.json, which names networks and their files, and prepare.py, which makes
calibration.npy and evaluation.npy for one. Each network is quantized with its defaults, and with
8 bits everywhere (--goal 0); the least SQNR of an output is measured on samples that calibration
has not seen. Needs numpy.
"""
import argparse
import glob
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
from auto_steps import outputs, run, sqnr  # noqa: E402
from measured import write_between  # noqa: E402

TARGETS = ("X2_1204", "Z2_1104")
KINDS = (("defaults", []), ("8 bits", ["--goal", "0"]))
MARKS = ("<!-- begin measured: zoo -->", "<!-- end measured -->")


class Network:
    def __init__(self, options, name, entry, folder):
        self.yarrow, self.folder = os.path.abspath(options.yarrow), folder
        self.model = os.path.abspath(os.path.join(options.zoo, entry["file"]))
        self.shape = ["--input-shape", entry["shape"]] if "shape" in entry else []
        # A model with integers of its own is compiled as it is.
        self.is_given = entry.get("type") == "uint8" or name.endswith("_int8q")
        subprocess.run([sys.executable, os.path.join(options.zoo, "prepare.py"), name, folder],
                       check=True)
        run([self.yarrow, "eval", self.model, *self.shape, "-i", "evaluation.npy",
             "-o", "float.npy"], folder)

    def figures(self, kind):
        """Results of one way to quantize a network: least dB, seconds, and cycles and bound by target."""
        compiled, found = self.model, {}
        if not self.is_given:
            begin = time.monotonic()
            run([self.yarrow, "quantize", self.model, *self.shape, "-c", "calibration.npy",
                 "-o", "q", "--brief", *kind], self.folder)
            found["quantize_s"] = round(time.monotonic() - begin, 1)
            compiled = glob.glob(os.path.join(self.folder, "q", "*_o.txt"))[0]
        for target in TARGETS:
            run([self.yarrow, "compile", compiled, "-t", target, "-o", "e"], self.folder)
            run([self.yarrow, "run", "e", "-i", "evaluation.npy", "-o", "npu.npy", "--timed",
                 "--report", "p.json", *([] if self.is_given else ["--dequantize"])], self.folder)
            with open(os.path.join(self.folder, "p.json"), encoding="utf-8") as file:
                performance = json.load(file)["performance"]
            bound = sum(layer["bound_cycles"] for layer in performance["layers"])
            found[target] = {"cycles": performance["cycles"],
                             "ratio": performance["cycles"] / max(bound, 1)}
        found["least_db"] = min(sqnr(a, b) for a, b in zip(outputs(self.folder, "float"),
                                                          outputs(self.folder, "npu")))
        return found


def cells(figures):
    """A cell for the least SQNR, and one for each target."""
    if "error" in figures:
        return [figures["error"][:60]] + [""] * len(TARGETS)
    loss = "exact" if figures["least_db"] >= 99 else f"{figures['least_db']:.1f} dB"
    return [loss] + [f"{figures[t]['cycles']:,} ({figures[t]['ratio']:.2f})" for t in TARGETS]


def summary(rows, kind):
    """Median of the least SQNR, and geometric means of cycles by bound."""
    good = [row[kind] for row in rows if "error" not in row[kind]]
    if not good:
        return ["-"] * (1 + len(TARGETS))
    losses = sorted(figures["least_db"] for figures in good)
    middle = (losses[(len(losses) - 1) // 2] + losses[len(losses) // 2]) / 2
    means = [math.exp(sum(math.log(figures[t]["ratio"]) for figures in good) / len(good))
             for t in TARGETS]
    return [f"{middle:.1f} dB"] + [f"({mean:.2f})" for mean in means]


def table(options):
    with open(os.path.join(options.zoo, "zoo.json"), encoding="utf-8") as file:
        zoo = json.load(file)
    names = options.only.split(",") if options.only else [n for n in zoo if "size" in zoo[n]]
    titles = [f"{kind}: {what}" for kind, _ in KINDS for what in ("least output", *TARGETS)]
    lines = ["| network | " + " | ".join(titles) + " |", "|---" * (1 + len(titles)) + "|"]
    rows = []
    for name in names:
        row = {"name": name}
        with tempfile.TemporaryDirectory() as folder:
            network = Network(options, name, zoo[name], folder)
            for kind, arguments in KINDS:
                try:
                    row[kind] = network.figures(arguments)
                except RuntimeError as error:
                    row[kind] = {"error": str(error)}
                if network.is_given:
                    row = {"name": name, **{k: row[kind] for k, _ in KINDS}}
                    break
        rows.append(row)
        lines.append("| " + " | ".join([name] + [c for k, _ in KINDS for c in cells(row[k])]) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    lines.append("| " + " | ".join(["median, geometric mean"] +
                                   [c for k, _ in KINDS for c in summary(rows, k)]) + " |")
    return "\n".join(lines), rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("zoo")
    parser.add_argument("--yarrow", default="build/bin/yarrow")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", help="write all figures to this file")
    parser.add_argument("--update", help="write the table of this document")
    options = parser.parse_args()
    text, rows = table(options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    if not options.update:
        print(text)
        return
    write_between(options.update, MARKS, text)


if __name__ == "__main__":
    main()
