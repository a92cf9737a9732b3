"""What the end-to-end checks share: the program, .npy files and figures.

Example:
    tools = common.arguments("Check accuracy")
    tools.yarrow("compile", "net_o.txt", "-o", "aipu.bin")
    shape, kind, values = common.read_npy("logits.npy")
"""
import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

# The examples have them, as those are installed without tests.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/vision"))
from npy import KINDS, npy_header, read_npy, write_npy

# ctest counts this exit code as "skipped" (SKIP_RETURN_CODE).
SKIPPED = 77


class Tools:
    """The program under test, its reference data and a folder for files."""

    def __init__(self, options):
        self.options = options
        self.program = options.yarrow
        self.packs = options.packs
        self.threads = options.threads
        self.folder = tempfile.mkdtemp(prefix="yarrow-e2e-")
        self.failures = []
        self.begin = time.monotonic()

    def yarrow(self, *arguments, threads=None, ok=(0,)):
        """Run a command; its standard output. Ends the check if it fails."""
        command = [self.program, "-j", str(threads or self.threads)]
        command += [str(a) for a in arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode not in ok:
            sys.exit("failed with code %d: %s\n%s%s" % (
                done.returncode, " ".join(command), done.stdout, done.stderr))
        return done.stdout

    def path(self, *names):
        """A path in the folder for files; its folders are created."""
        full = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        return full

    def pack(self, *names):
        return os.path.join(self.packs, *names)

    def need_packs(self):
        if not os.path.isdir(self.packs):
            print("skipped: no reference packs")
            self.clean()
            sys.exit(SKIPPED)

    def check(self, good, what):
        if not good:
            self.failures.append(what)
            print("FAILED: " + what)
        return good

    def in_turn(self, items, number):
        """All of them where the check is thorough, else one for each number in turn."""
        return items if self.options.thorough else [items[number % len(items)]]

    def clean_folder(self, name):
        shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def finish(self):
        """Print the verdict and exit."""
        self.clean()
        seconds = time.monotonic() - self.begin
        for what in self.failures:
            print("FAILED: " + what)
        print("%s (%.0f s)" % ("failed: %d" % len(self.failures)
                               if self.failures else "passed", seconds))
        sys.exit(1 if self.failures else 0)


def arguments(purpose, add_options=None):
    """Tools; options of a check's own are in .options."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    root = os.path.normpath(root)
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--yarrow", default=root + "/build/bin/yarrow",
                        help="the program to check")
    parser.add_argument("--packs", default=root + "/../shared/packs",
                        help="folder of the reference packs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--thorough", action="store_true",
                        help="check all, where otherwise a part is checked")
    if add_options:
        add_options(parser)
    tools = Tools(parser.parse_args())
    tools.root = root
    return tools


def cosine(a, b):
    """Cosine of the angle between two vectors; 1 for two zero vectors."""
    products = math.fsum(x * y for x, y in zip(a, b))
    lengths = math.fsum(x * x for x in a) * math.fsum(y * y for y in b)
    return products / math.sqrt(lengths) if lengths else 1.0


def sqnr_db(reference, values):
    """Signal to noise of values against reference, in decibels."""
    noise = math.fsum((x - y) ** 2 for x, y in zip(reference, values))
    signal = math.fsum(x * x for x in reference)
    return 10 * math.log10(signal / noise) if noise else math.inf


def read_layers(path):
    """The records of an IR file as dictionaries of strings; header first."""
    layers = [{}]
    with open(path) as file:
        for line in file:
            key, equals, value = line.strip().partition("=")
            if equals:
                layers[-1][key] = value
            elif layers[-1]:
                layers.append({})
    return [layer for layer in layers if layer]
