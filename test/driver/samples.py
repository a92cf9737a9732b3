#!/usr/bin/env python3
"""Runs the samples of the public Compass driver on Yarrow's simulator.

    test/driver/samples.py --driver Compass_NPU_Driver --yarrow build/bin/yarrow \\
        --library build/lib/yarrow-driver --packs ../shared/packs --out /tmp/samples

Builds the user-mode driver and its samples from their unchanged sources beside
the repository (none of them is ours, and none is needed elsewhere), compiles
networks with Yarrow, and lets each sample compare the outputs that it gets
through the driver with those of `yarrow run`, byte for byte: with constants in the
executable, in a file of their own, and for inputs of several shapes. Prints a
table; the exit code is 1 if a sample did not pass. docs/driver.md has the result.
"""
import argparse
import array
import glob
import hashlib
import os
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../e2e"))
sys.dont_write_bytecode = True
import common

DEFINES = ["-DRTDEBUG=0", "-DZHOUYI_V12", "-DZHOUYI_V3", "-DZHOUYI_V3_2",
           "-DSIMULATION=1", '-DMACRO_UMD_VERSION="6.1"']
# Sources of parts that a simulation does not have.
LEFT_OUT = ("export_py_api.cpp", "/device/aipu/")
# With how often a sample says that outputs are right, at least; it may run
# several jobs, and says so for each.
SAMPLES = ["simulation", "benchmark", "batch", "mthread", "time_cost",
           "sharebuffer", "multiple_bss", "load_graph", "flush_job",
           "multi_model", "profiler", "debugger"]
# The driver itself refuses these calls there.
NOT_FOR = {("sharebuffer", "X3"): "version 3.2 shares DMA buffers only",
           ("debugger", "MP"): "jobs are bound to the only core"}
PASSED = "Test Result Check PASS"
NETWORKS = ["models/resnet20_nhwc_pc_sym", "models/mobilenet_v2_rand_pt_sym",
            "models/vit_tiny_rand_pt_asym", "models/mnist_lstm_pt_sym"]
# With their inputs' first axes open, the other lengths of the only input.
DYNAMIC = {"models/kws_dscnn_pt_sym": (49, 10, 1),
           "models/mnist_lstm_pt_sym": (28, 28)}
BATCHES = (1, 2, 4)
TARGETS = ["X2_1204", "X2_1204MP3", "X3P_1304", "X3P_1304MP2", "X3P_1202"]


def run(command, **options):
    return subprocess.run(command, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def build_driver(linux, out):
    umd = os.path.join(linux, "driver/umd")
    flags = ["-std=c++14", "-O2", "-w", "-fPIC", *DEFINES]
    flags += [f"-I{umd}/{folder}" for folder in
              ("include", "src", "src/common", "3rdparty")]
    library = os.path.join(out, "libaipudrv.so")
    if os.path.exists(library):
        return
    sources = sorted(s for s in glob.glob(f"{umd}/src/**/*.cpp", recursive=True)
                     if not any(part in s for part in LEFT_OUT))
    objects = []
    for source in sources:
        name = hashlib.sha256(source.encode()).hexdigest()[:16] + ".o"
        objects.append(os.path.join(out, name))
        must(["g++", *flags, "-c", source, "-o", objects[-1]])
    must(["g++", "-shared", "-Wl,-soname,libaipudrv.so", "-o", library,
          *objects, "-lpthread", "-ldl"])


def build_sample(linux, out, name):
    program = os.path.join(out, name + "_test")
    if os.path.exists(program):
        return program
    source = os.path.join(linux, "samples/src")
    must(["g++", "-std=c++14", "-O1", "-w", *DEFINES, f"-I{source}",
          f"-I{linux}/driver/umd/include",
          *sorted(glob.glob(f"{source}/common/*.cpp")),
          *sorted(glob.glob(f"{source}/{name}_test/*.cpp")),
          f"-L{out}", "-laipudrv", "-lpthread", "-o", program])
    return program


def build_out_of_box(linux, out):
    """The driver's first example, which has a header and options of its own."""
    program = os.path.join(out, "out_of_box_test")
    if not os.path.exists(program):
        source = os.path.join(linux, "out_of_box/src")
        must(["g++", "-std=c++14", "-O1", "-w", *DEFINES, f"-I{source}", f"{source}/main.cpp",
              f"-L{out}", "-laipudrv", "-lpthread", "-o", program])
    return program


def compile_network(args, network, target):
    """The executable, its inputs and what `yarrow run` makes of them; and the
    same with constants in a file of their own."""
    model = os.path.join(args.packs, network)
    base = os.path.join(args.out, os.path.basename(network) + "." + target)
    executable = base + ".bin"
    command = [args.yarrow, "compile", model + "/int.txt", "-w", model + "/int.bin",
               "--target", target, "-o"]
    must([*command, executable])
    must([*command, base + ".two.bin", "--weight-file", os.path.basename(base) + ".weights"])
    described = must([args.yarrow, "inspect", executable])
    sizes = [size_of(line) for line in described.splitlines()
             if line.startswith("  input")]
    names = []
    for index, size in enumerate(sizes):
        names.append(f"{base}.in{index}.bin")
        with open(names[-1], "wb") as file:
            file.write(pseudo_random(f"{network}{index}", size))
    outputs = sum(line.startswith("  output") for line in described.splitlines())
    expected = [f"{base}.out{k}.bin" for k in range(outputs)]
    must([args.yarrow, "run", executable, "-i", ",".join(names), "-o",
          ",".join(expected)])
    return executable, base + ".two.bin", names, expected


def compile_dynamic(args, network, target):
    """An executable for several batches; of each its input, and what `yarrow run`
    makes of it."""
    model = os.path.join(args.packs, network)
    name = os.path.basename(network)
    base = os.path.join(args.out, name + ".open." + target)
    opened = os.path.join(args.out, name + ".open.onnx")
    must([args.yarrow, "export", model + "/float.txt", "-w", model + "/float.bin", "--onnx",
          "-o", base + ".onnx"])
    must([sys.executable, os.path.join(FOLDER, "open_axis.py"), base + ".onnx", opened])
    lengths = DYNAMIC[network]
    count = 1
    for length in lengths:
        count *= length
    samples = base + ".npy"
    values = array.array("f", [byte / 32 - 4 for byte in
                               pseudo_random(network, 8 * count)])
    common.write_npy(samples, [8, *lengths], values)
    tensor = re.search(r"^  input +(\S+)_0 ", must([args.yarrow, "import", opened, "-o",
                                                 base + ".ir"]), re.MULTILINE).group(1)
    rest = ",".join(map(str, lengths))
    build = [args.yarrow, "build", opened, "-c", samples, "-t", target, "--brief",
             "--set", "Common.mode=build"]
    must([*build, "-o", base, "--input-shape-range",
          f"{tensor}={':'.join(map(str, BATCHES))},{rest}"])
    cases = []
    for batch in BATCHES:
        inputs, outputs = f"{base}.in{batch}.bin", f"{base}.out{batch}.bin"
        stored = quantized(must([args.yarrow, "inspect", base + "/aipu.bin"]),
                           values[:batch * count])
        with open(inputs, "wb") as file:
            file.write(stored)
        must([args.yarrow, "run", base + "/aipu.bin", "-i", inputs, "-o", outputs])
        cases.append((f"{batch},{rest}", inputs, outputs))
    return base + "/aipu.bin", cases


def quantized(described, values):
    """As the only input stores them, whose integers have eight bits."""
    kind, scale, zero = re.search(r"  input .*: (u?int8)\[.*\], scale ([\d.]+), zero point (-?\d+)",
                                  described).groups()
    low = 0 if kind == "uint8" else -128
    return bytes(max(low, min(low + 255, round(v * float(scale)) - int(zero))) & 255
                 for v in values)


def size_of(line):
    """Of "  input   name: int8[1,32,32,3], ..." in bytes."""
    kind, shape = re.search(r": (\w+)\[([\d,]+)\]", line).groups()
    size = int(re.search(r"(\d+)$", kind).group(1)) // 8
    for extent in shape.split(","):
        size *= int(extent)
    return size


def pseudo_random(seed, size):
    """Bytes that are the same wherever this runs."""
    return hashlib.shake_128(seed.encode()).digest(size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--driver", required=True)
    parser.add_argument("--yarrow", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--packs", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    args = parser.parse_args()
    for name in ("driver", "yarrow", "library", "packs", "out"):
        setattr(args, name, os.path.abspath(getattr(args, name)))
    os.makedirs(args.out, exist_ok=True)
    linux = os.path.join(args.driver, "Linux")
    build_driver(linux, args.out)
    programs = {name: build_sample(linux, args.out, name) for name in SAMPLES}
    dynamic = build_sample(linux, args.out, "dynamic_shape")
    out_of_box = build_out_of_box(linux, args.out)
    environment = dict(os.environ,
                       LD_LIBRARY_PATH=f"{args.out}:{args.library}")
    failed = 0
    results = []

    def check(name, program, executable, inputs, outputs, *more):
        nonlocal failed
        done = run([program, "-b", executable, "-i", inputs, "-c", outputs, *more],
                   env=environment, cwd=args.out)
        passed = done.stdout.count(PASSED)
        is_good = done.returncode == 0 and passed and "FAILED" not in done.stdout
        failed += not is_good
        results.append(f"{name} {passed}" if is_good else f"{name} FAILED")
        if not is_good:
            print(done.stdout[-2000:])

    for network in args.networks:
        for target in args.targets:
            executable, two, inputs, outputs = compile_network(args, network, target)
            results = []
            for name, program in programs.items():
                if any(name == sample and part in target
                       for sample, part in NOT_FOR):
                    continue
                check(name, program, executable, ",".join(inputs), ",".join(outputs), "-t",
                      "finish", "-l", "0")
            if len(inputs) == len(outputs) == 1:
                check("out_of_box", out_of_box, executable, inputs[0], outputs[0], "-a", target,
                      "-C", "./", "-d", args.out)
            for name in ("multiple_bss", "simulation"):
                check(name + " (weight file)", programs[name], two, ",".join(inputs),
                      ",".join(outputs), "-t", "finish", "-l", "0", "-w", args.out)
            print(f"{os.path.basename(network)} {target}: {', '.join(results)}",
                  flush=True)
    for network in DYNAMIC:
        for target in args.targets:
            executable, cases = compile_dynamic(args, network, target)
            results = []
            for shape, inputs, outputs in cases:
                check("dynamic_shape " + shape, dynamic, executable, inputs, outputs, "-l", "0",
                      "-r", shape)
            print(f"{os.path.basename(network)} {target}: {', '.join(results)}",
                  flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
