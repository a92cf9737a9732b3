#!/usr/bin/env python3
"""Measures cycles of the reference networks on the built-in targets, for docs/performance.md.

    benchmark/network_cycles.py --packs ../shared/packs             # build/bin/yarrow
    benchmark/network_cycles.py --packs ../shared/packs --before OLD # compares another yarrow
    benchmark/network_cycles.py ... --update docs/performance.md     # write the table there

Float networks of the packs are quantized with normally distributed samples: cycles do not depend on
values, except in kernels that are specialized for scales. A network without weights gets random
ones.
"""
import argparse
import array
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import measured

NETWORKS = ("resnet20_nhwc", "resnet8_tiny", "kws_dscnn", "person_detect_f", "mobilenet_v2_rand",
            "squeezenet1_1_rand", "vit_tiny_rand", "resnet50_rand")
TARGETS = ("X2_1204", "X1_1204", "Z2_1104", "Z1_0904", "Z1_0701")
MARKS = ("<!-- begin measured: cycles -->", "<!-- end measured -->")


def write_npy(path, shape, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (tuple(shape),)
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(values.tobytes())


def fields_of(text):
    """A dictionary for each layer of an IR."""
    for layer in re.split(r"\n\s*\n", text):
        yield dict(line.split("=", 1) for line in layer.splitlines() if "=" in line)


def random_weights(text, path):
    """A weights file for all constants of the text."""
    generator, size = random.Random(1), 0
    with open(path, "wb") as file:
        for fields in fields_of(text):
            for key in fields:
                name = key[:-len("_offset")]
                if not key.endswith("_offset") or name + "_size" not in fields:
                    continue
                offset, count = int(fields[key]), int(fields[name + "_size"]) // 4
                block = array.array("f", (generator.uniform(-0.1, 0.1)
                                          for _ in range(min(count, 65536))))
                file.seek(offset)
                file.write((block * (count // len(block) + 1))[:count].tobytes())
                size = max(size, offset + 4 * count)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def quantize(self, network):
        """The integer IR, and one sample for it."""
        source = os.path.join(self.options.packs, "float_ir", network)
        with open(source + ".txt", encoding="utf-8") as file:
            text = file.read()
        weights = source + ".bin"
        if not os.path.exists(weights):
            weights = self.path(network + ".bin")
            random_weights(text, weights)
        shape = next(json.loads(fields["layer_top_shape"])[0] for fields in fields_of(text)
                     if fields.get("layer_type") == "Input")
        count, generator = 1, random.Random(2)
        for length in shape:
            count *= length
        sample = self.path(network + ".npy")
        write_npy(sample, shape, array.array("f", (generator.gauss(0, 1) for _ in range(count))))
        self.yarrow(self.options.yarrow, "quantize", source + ".txt", "-w", weights, "-c", sample,
                    "-o", self.path(network), "--brief", "--recipe", "compass",
                    "--calibration-strategy-for-activation", "extrema",
                    "--quantize-method-for-weight", "per_channel_symmetric_restricted_range")
        return next(os.path.join(self.path(network), name)
                    for name in os.listdir(self.path(network)) if name.endswith("_o.txt")), sample

    @staticmethod
    def yarrow(program, *arguments):
        done = subprocess.run([program, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            sys.exit(f"network_cycles: {' '.join(arguments)}:\n{done.stdout}")

    def cycles(self, program, network, sample, target):
        executable, report = self.path("a.bin"), self.path("report.json")
        self.yarrow(program, "compile", network, "--target", target, "-o", executable)
        self.yarrow(program, "run", executable, "-i", sample, "-o", self.path("out.npy"),
                    "--timed", "--report", report)
        with open(report, encoding="utf-8") as file:
            return json.load(file)["performance"]["cycles"]

    def table(self):
        programs = [p for p in (self.options.before, self.options.yarrow) if p]
        lines = ["| network | " + " | ".join(TARGETS) + " |", "|---" * (len(TARGETS) + 1) + "|"]
        for network in self.options.networks:
            text, sample = self.quantize(network)
            cells = [" to ".join(f"{self.cycles(program, text, sample, target):,}"
                                 for program in programs) for target in TARGETS]
            lines.append(f"| {network} | " + " | ".join(cells) + " |")
            print(lines[-1], file=sys.stderr)
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--yarrow", default="build/bin/yarrow")
    parser.add_argument("--before", help="compare with this earlier yarrow")
    parser.add_argument("--packs", default="../shared/packs")
    parser.add_argument("--update", help="write the table of this document")
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    options = parser.parse_args()
    if not os.path.isdir(options.packs):
        print("skipped: no reference packs")
        return
    with tempfile.TemporaryDirectory() as folder:
        table = Bench(options, folder).table()
    if not options.update:
        print(table)
        return
    measured.write_between(options.update, MARKS, table)


if __name__ == "__main__":
    main()
