#!/usr/bin/env python3
"""Runs the samples of the public Compass driver on Yarrow's simulator.

    test/driver/samples.py --driver Compass_NPU_Driver --yarrow build/bin/yarrow \\
        --library build/lib/yarrow-driver --packs ../shared/packs --out /tmp/samples

Builds the user-mode driver and its samples from their unchanged sources beside
the repository (none of them is ours, and none is needed elsewhere), compiles
networks with Yarrow, and lets each sample compare the outputs that it gets
through the driver with those of `yarrow run`, byte for byte. Prints a table;
the exit code is 1 if a sample did not pass. docs/driver.md has the result.
"""
import argparse
import glob
import hashlib
import os
import re
import subprocess
import sys

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


def compile_network(args, network, target):
    """The executable, its inputs and what `yarrow run` makes of them."""
    model = os.path.join(args.packs, network)
    base = os.path.join(args.out, os.path.basename(network) + "." + target)
    executable = base + ".bin"
    must([args.yarrow, "compile", model + "/int.txt", "-w", model + "/int.bin",
          "--target", target, "-o", executable])
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
    return executable, names, expected


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
    environment = dict(os.environ,
                       LD_LIBRARY_PATH=f"{args.out}:{args.library}")
    failed = 0
    for network in args.networks:
        for target in args.targets:
            executable, inputs, outputs = compile_network(args, network, target)
            results = []
            for name, program in programs.items():
                if any(name == sample and part in target
                       for sample, part in NOT_FOR):
                    continue
                done = run([program, "-b", executable, "-i", ",".join(inputs),
                            "-c", ",".join(outputs), "-t", "finish", "-l", "0"],
                           env=environment, cwd=args.out)
                passed = done.stdout.count(PASSED)
                isGood = done.returncode == 0 and passed and \
                    "FAILED" not in done.stdout
                failed += not isGood
                results.append(f"{name} {passed}" if isGood
                               else f"{name} FAILED")
                if not isGood:
                    print(done.stdout[-2000:])
            print(f"{os.path.basename(network)} {target}: {', '.join(results)}",
                  flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
