#!/usr/bin/env python3
"""Compares simulating networks with running them in ONNX Runtime, on one thread each.

    benchmark/onnx_speed.py --packs ../shared/packs                # build/bin
    benchmark/onnx_speed.py ... --runtime FOLDER                   # onnxruntime-node is there
    benchmark/onnx_speed.py ... --kernels amx avx512-vnni none     # by the host's instructions
    benchmark/onnx_speed.py ... --update docs/performance.md       # write the table there

The float networks of the packs are quantized as network_cycles.py does; the same integer network is
compiled and simulated (bench_network) and exported as a QDQ model for ONNX Runtime's int8, with all its
optimisations. Both run in turns, the best of all rounds counts: other work on the machine slows
either. Without --runtime, npm installs onnxruntime-node into a temporary folder. Not part of the
tests.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import measured
import network_cycles

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORKS = ("resnet20_nhwc", "mobilenet_v2_rand", "resnet50_rand")
RUNS = {"resnet20_nhwc": 400, "mobilenet_v2_rand": 60}
MARKS = ("<!-- begin measured: onnx-speed -->", "<!-- end measured -->")
HEAD = ("| network | products | ONNX Runtime | simulator | ratio | timed / functional |\n"
        "|---|---|---|---|---|---|\n")


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"onnx_speed: {' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def runtime_folder(given, folder):
    if given:
        return given
    target = os.path.join(folder, "runtime")
    os.makedirs(target)
    output_of("npm", "install", "--prefix", target, "--ignore-scripts", "--no-audit", "--no-fund",
              "onnxruntime-node")
    return target


def rows_of(args, bench, network, runtime):
    text, _ = bench.quantize(network)
    model = bench.path(network + ".onnx")
    bench.yarrow(args.yarrow, "export", text, "--onnx", "-o", model)
    runs = str(RUNS.get(network, 20))
    onnx, functional, ratios = float("inf"), {}, {}
    for _ in range(args.rounds):
        onnx = min(onnx, float(output_of("node", os.path.join(HERE, "onnx_speed.js"), runtime, runs,
                                         model)))
        for kernel in args.kernels:
            command = [os.path.join(args.bin, "bench_network"), text, text[:-3] + "bin",
                       args.target, runs]
            printed = output_of(*command, *[kernel] * (kernel != "best"))
            times = [float(re.search(rf"^{mode} +([\d.]+) ms", printed, re.M)[1])
                     for mode in ("functional", "timed")]
            functional[kernel] = min(times[0], functional.get(kernel, float("inf")))
            ratios[kernel] = min(times[1], ratios.get(kernel, float("inf")))
    for kernel in args.kernels:
        yield (f"| {network} | {kernel} | {onnx:.3f} ms | {functional[kernel]:.3f} ms "
               f"| {functional[kernel] / onnx:.2f} | {ratios[kernel] / functional[kernel]:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", default="build/bin", help="folder with the built programs")
    parser.add_argument("--packs", default="../shared/packs")
    parser.add_argument("--runtime", help="folder where onnxruntime-node is installed")
    parser.add_argument("--target", default="X2_1204")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernels", nargs="+", default=["best"],
                        help="the simulator's instructions for multiplying bytes (see bench_network)")
    parser.add_argument("--update", help="write the table of this document")
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    args = parser.parse_args()
    args.yarrow = os.path.join(args.bin, "yarrow")
    if not os.path.isdir(args.packs):
        print("skipped: no reference packs")
        return
    with tempfile.TemporaryDirectory() as folder:
        runtime = runtime_folder(args.runtime, folder)
        bench = network_cycles.Bench(args, folder)
        rows = []
        for network in args.networks:
            for row in rows_of(args, bench, network, runtime):
                print(row, flush=True)
                rows.append(row)
    if args.update:
        measured.write_between(args.update, MARKS, HEAD + "\n".join(rows))


if __name__ == "__main__":
    main()
