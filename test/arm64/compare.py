#!/usr/bin/env python3
"""Executables give the same bytes in the same cycles on 64-bit ARM as here, and so does the compiler.

    test/arm64/compare.py --build build --arm build-arm64 [--zoo ../shared/zoo]
    test/arm64/compare.py --build build --compiler build-arm64-compiler

Compiles networks here, and runs them by libyarrow.so of both machines, that of ARM by
qemu-user: the engines' integers, floats on the TECs, loops and branches, functions by
table. With --compiler they are quantized and compiled once more, by the program for ARM:
integer IR and executables have the same bytes. With the zoo two networks of other people,
too.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIGITS = os.path.join(ROOT, "examples", "digits")
ONNX = os.path.join(ROOT, "test", "lit", "onnx.py")
GRAPHS = os.path.join(ROOT, "test", "lit", "quantizer", "Inputs", "graphs.py")
ARM = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]


def run(*command, folder=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, cwd=folder)
    if done.returncode:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}")
    return done.stdout


class Networks:
    """Each makes an executable, in a folder of its own; the names are those of the table."""

    def __init__(self, program, base, zoo):
        self.program, self.base, self.zoo = program, base, zoo
        self.folder = base

    def make(self, name):
        """The path of the executable."""
        self.folder = os.path.join(self.base, name)
        os.makedirs(self.folder)
        getattr(self, name)()
        return os.path.join(self.folder, "aipu.bin")

    def yarrow(self, *arguments):
        # By names that are the same for every compiler, which may be in what it writes.
        run(*self.program, *arguments, "-q", folder=self.folder)

    def onnx(self, form, by=ONNX):
        run(sys.executable, by, form, "-o", form + ".onnx", folder=self.folder)
        return form + ".onnx"

    def digits(self):
        self.yarrow("quantize", DIGITS + "/digits.txt", "-c", DIGITS + "/calibration.npy", "-o",
                    "q")
        self.yarrow("compile", "q/digits_o.txt", "-o", "aipu.bin")

    def digits_in_floats(self):
        self.yarrow("compile", DIGITS + "/digits.txt", "-o", "aipu.bin", "-t", "X2_1204MP3")

    def loops_and_branches(self):
        self.yarrow("compile", self.onnx("control"), "-o", "aipu.bin", "-t", "Z1_0701")

    def functions_of_16_bits(self):
        self.yarrow("build", self.onnx("gated", by=GRAPHS), "-o", ".", "--set",
                    "activation_bits=16", "--set", "weight_bits=16")

    def yunet(self):
        self.yarrow("build", os.path.join(self.zoo, "yunet.onnx"), "-o", ".",
                    "--input-shape", "input=1,3,160,160")

    def mnv1_025_q(self):
        self.yarrow("compile", os.path.join(self.zoo, "mnv1_025_q.tflite"), "-o", "aipu.bin")

    def names(self):
        names = ["digits", "digits_in_floats", "loops_and_branches", "functions_of_16_bits"]
        if os.path.exists(os.path.join(self.zoo, "yunet.onnx")):
            names += ["yunet", "mnv1_025_q"]
        return names


def compare_runs(args, networks, folder):
    """How many networks give other outputs or cycles by the runtime of ARM."""
    here = os.path.join(folder, "run_executable")
    library = os.path.realpath(os.path.join(args.build, "lib"))
    run(os.environ.get("CC", "cc"), os.path.join(ROOT, "test/arm64/run_executable.c"),
        "-I", os.path.join(ROOT, "runtime/include"), "-L", library, "-lyarrow",
        "-Wl,-rpath," + library, "-o", here)
    differing = 0
    for name in networks.names():
        path = networks.make(name)
        start = time.monotonic()
        expected = run(here, path)
        middle = time.monotonic()
        found = run(*ARM, os.path.join(args.arm, "bin", "run_executable"), path)
        seconds = middle - start, time.monotonic() - middle
        differing += found != expected
        lines = expected.splitlines()
        size = sum(len(line.rsplit(" ", 1)[1]) // 2 for line in lines[2:])
        print(f"{name}: {'DIFFERENT' if found != expected else 'equal'}, {size:,} bytes "
              f"of outputs, {int(lines[0].split()[1]):,} cycles; here {seconds[0]:.1f} s, by "
              f"qemu {seconds[1]:.1f} s", flush=True)
    print(f"{len(networks.names())} networks, {differing} differ")
    return differing


def written(folder):
    """Executables and IR by their names: what has no times in it."""
    content = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".bin", ".txt")):
                with open(os.path.join(at, name), "rb") as file:
                    content[os.path.relpath(os.path.join(at, name), folder)] = file.read()
    return content


def compare_compilers(args, networks, folder):
    """How many networks the compiler of ARM makes something else of."""
    root = os.path.join(args.compiler, "sysroot", "root")
    program = ["qemu-aarch64", "-L", os.path.realpath(root),
               os.path.realpath(os.path.join(args.compiler, "bin", "yarrow"))]
    arm = Networks(program, os.path.join(folder, "arm"), args.zoo)
    differing = 0
    for name in networks.names():
        start = time.monotonic()
        networks.make(name)
        middle = time.monotonic()
        arm.make(name)
        seconds = middle - start, time.monotonic() - middle
        expected, found = written(networks.folder), written(arm.folder)
        others = sorted(path for path in expected.keys() | found.keys()
                        if expected.get(path) != found.get(path))
        differing += bool(others)
        size = sum(len(content) for content in expected.values())
        what = f"DIFFERENT: {', '.join(others)}" if others else "equal"
        print(f"compiled {name}: {what}, {len(expected)} files, {size:,} bytes; here "
              f"{seconds[0]:.1f} s, by qemu {seconds[1]:.1f} s", flush=True)
        if others and args.keep:
            for side, content in (("here", expected), ("arm", found)):
                for path in others:
                    to = os.path.join(args.keep, side, name, path)
                    os.makedirs(os.path.dirname(to), exist_ok=True)
                    with open(to, "wb") as file:
                        file.write(content.get(path, b""))
    print(f"{len(networks.names())} networks compiled, {differing} differ")
    return differing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--arm", default="build-arm64")
    parser.add_argument("--compiler", help="a build of the compiler for ARM, to compare instead")
    parser.add_argument("--keep", help="a folder for what differs, with --compiler")
    parser.add_argument("--zoo", default=os.path.join(ROOT, "../shared/zoo"))
    args = parser.parse_args()
    args.zoo = os.path.realpath(args.zoo)
    with tempfile.TemporaryDirectory() as folder:
        program = [os.path.realpath(os.path.join(args.build, "bin", "yarrow"))]
        networks = Networks(program, os.path.join(folder, "here"), args.zoo)
        compare = compare_compilers if args.compiler else compare_runs
        differing = compare(args, networks, folder)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
