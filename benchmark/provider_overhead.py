#!/usr/bin/env python3
"""Compares a run in a session of ONNX Runtime with a run of the same executable through the C interface.

    benchmark/provider_overhead.py --packs ../shared/packs            # build
    benchmark/provider_overhead.py ... --update docs/howto/from_onnxruntime.md

Networks of the packs are quantized as network_cycles.py does and exported in QDQ form. A session of
the provider compiles the model and writes it with a context. One process (provider_overhead.c) then
runs the context in a session, and its executable through the C interface, in turns on one thread. The
processor's time of the fastest runs counts, as other work on the machine slows either. The session also
brings floats to the NPU's integers and back. Outputs must be equal. Without npm, or without the packs,
nothing is measured. Not part of the tests.
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
sys.path.insert(0, os.path.join(HERE, "../test/onnxruntime"))
import running

NETWORKS = ("resnet50_rand", "mobilenet_v2_rand", "resnet20_nhwc")
RUNS = {"resnet20_nhwc": 301, "mobilenet_v2_rand": 51}
MARKS = ("<!-- begin measured: provider-overhead -->", "<!-- end measured -->")
HEAD = "| network | in a session | through the C interface | ratio |\n|---|---|---|---|\n"
LIMIT = 1.1


def build(args, check):
    program = check.path("overhead")
    subprocess.run(["clang-22", "-std=gnu99", "-O1", "-I" + running.ROOT,
                    os.path.join(HERE, "provider_overhead.c"), "-o", program, check.runtime,
                    os.path.join(args.build, "lib/libyarrow_compiler.so"),
                    "-Wl,-rpath," + os.path.dirname(check.runtime),
                    "-Wl,-rpath," + os.path.abspath(os.path.join(args.build, "lib")), "-lm"], check=True)
    return program


def ratio_of(args, bench, check, program, network):
    text, _ = bench.quantize(network)
    model, context = check.path(network + ".onnx"), check.path(network + "_ctx.onnx")
    bench.yarrow(args.yarrow, "export", text, "--onnx", "-o", model)
    check.outputs(model, True, "ep.context_enable=1", "ep.context_embed_mode=0",
                  "ep.context_file_path=" + context)
    part = check.path(network + "_ctx_part_0.yarrow")
    printed = check.call(program, context, part, args.library, RUNS.get(network, 21))
    found = re.match(r"session ([\d.]+) ms, interface ([\d.]+) ms, difference (\S+)", printed)
    if float(found[3]) != 0:
        sys.exit(f"provider_overhead: {network}: outputs differ by {found[3]}")
    return float(found[1]), float(found[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--packs", default="../shared/packs")
    parser.add_argument("--update", help="write the table of this document")
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    args = parser.parse_args()
    args.yarrow = os.path.join(args.build, "bin/yarrow")
    args.library = os.path.abspath(os.path.join(args.build, "lib/libyarrow_onnxruntime.so"))
    args.cache, args.timeout = running.packages.default_cache(), 3600
    if not os.path.isdir(args.packs):
        print("skipped: no reference packs")
        return 0
    try:
        check = running.Check(args)
    except running.Unavailable as why:
        print(f"skipped: {why}")
        return 0
    rows, worst = [], 0
    with tempfile.TemporaryDirectory() as folder, check:
        program = build(args, check)
        bench = network_cycles.Bench(args, folder)
        for network in args.networks:
            session, interface = ratio_of(args, bench, check, program, network)
            worst = max(worst, session / interface)
            rows.append(f"| {network} | {session:.2f} ms | {interface:.2f} ms | {session / interface:.2f} |")
            print(rows[-1], flush=True)
    if args.update:
        measured.write_between(args.update, MARKS, HEAD + "\n".join(rows))
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
