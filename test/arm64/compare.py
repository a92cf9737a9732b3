#!/usr/bin/env python3
"""Executables give the same bytes in the same cycles on 64-bit ARM as here.

    test/arm64/compare.py --build build --arm build-arm64 [--zoo ../shared/zoo]

Compiles networks here, and runs them by libyarrow.so of both machines, that of ARM by
qemu-user: the engines' integers, floats on the TECs, loops and branches, functions by
table. With the zoo two networks of other people, too.
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


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}")
    return done.stdout


class Networks:
    """Each makes an executable; the names are those of the table."""

    def __init__(self, program, folder, zoo):
        self.program, self.folder, self.zoo = program, folder, zoo

    def path(self, name):
        return os.path.join(self.folder, name)

    def yarrow(self, *arguments):
        run(self.program, *arguments, "-q")

    def onnx(self, form, by=ONNX):
        path = self.path(form + ".onnx")
        run(sys.executable, by, form, "-o", path)
        return path

    def digits(self, path):
        self.yarrow("quantize", DIGITS + "/digits.txt", "-c", DIGITS + "/calibration.npy", "-o",
                    self.path("q"))
        self.yarrow("compile", self.path("q/digits_o.txt"), "-o", path)

    def digits_in_floats(self, path):
        self.yarrow("compile", DIGITS + "/digits.txt", "-o", path, "-t", "X2_1204MP3")

    def loops_and_branches(self, path):
        self.yarrow("compile", self.onnx("control"), "-o", path, "-t", "Z1_0701")

    def functions_of_16_bits(self, path):
        self.yarrow("build", self.onnx("gated", by=GRAPHS), "-o", self.path("gated"), "--set",
                    "activation_bits=16", "--set", "weight_bits=16")
        os.rename(self.path("gated/aipu.bin"), path)

    def yunet(self, path):
        self.yarrow("build", os.path.join(self.zoo, "yunet.onnx"), "-o", self.path("yunet"),
                    "--input-shape", "input=1,3,160,160")
        os.rename(self.path("yunet/aipu.bin"), path)

    def mnv1_025_q(self, path):
        self.yarrow("compile", os.path.join(self.zoo, "mnv1_025_q.tflite"), "-o", path)

    def all(self):
        makers = [self.digits, self.digits_in_floats, self.loops_and_branches,
                  self.functions_of_16_bits]
        if os.path.exists(os.path.join(self.zoo, "yunet.onnx")):
            makers += [self.yunet, self.mnv1_025_q]
        return makers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--arm", default="build-arm64")
    parser.add_argument("--zoo", default=os.path.join(ROOT, "../shared/zoo"))
    args = parser.parse_args()
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        here = os.path.join(folder, "run_executable")
        library = os.path.realpath(os.path.join(args.build, "lib"))
        run(os.environ.get("CC", "cc"), os.path.join(ROOT, "test/arm64/run_executable.c"),
            "-I", os.path.join(ROOT, "runtime/include"), "-L", library, "-lyarrow",
            "-Wl,-rpath," + library, "-o", here)
        networks = Networks(os.path.join(args.build, "bin", "yarrow"), folder, args.zoo)
        for make in networks.all():
            path = os.path.join(folder, make.__name__ + ".bin")
            make(path)
            start = time.monotonic()
            expected = run(here, path)
            middle = time.monotonic()
            found = run(*ARM, os.path.join(args.arm, "bin", "run_executable"), path)
            seconds = middle - start, time.monotonic() - middle
            differing += found != expected
            lines = expected.splitlines()
            size = sum(len(line.rsplit(" ", 1)[1]) // 2 for line in lines[2:])
            print(f"{make.__name__}: {'DIFFERENT' if found != expected else 'equal'}, {size:,} bytes "
                  f"of outputs, {int(lines[0].split()[1]):,} cycles; here {seconds[0]:.1f} s, by "
                  f"qemu {seconds[1]:.1f} s")
        count = len(networks.all())
    print(f"{count} networks, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
