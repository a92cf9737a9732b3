"""What the tests share: a copy of examples/digits, and the program to compare with."""
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import yarrow

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("YARROW_PROGRAM", os.path.join(ROOT, "build", "bin", "yarrow"))
sys.path.insert(0, os.path.join(ROOT, "test", "lit"))


def program(*arguments, folder="."):
    """Returns what the program prints; the program must succeed."""
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=300)
    if done.returncode:
        raise AssertionError(f"yarrow {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def contents(path):
    with open(path, "rb") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def shared_folder():
    """examples/digits, with what the program makes of it in out/; to be read only."""
    holder = tempfile.TemporaryDirectory(prefix="yarrow-python-")
    shared_folder.holder = holder  # until the process ends
    folder = os.path.join(holder.name, "digits")
    shutil.copytree(os.path.join(ROOT, "examples", "digits"), folder)
    program("quantize", "digits.txt", "-c", "calibration.npy", "-o", "out", folder=folder)
    program("compile", "out/digits_o.txt", "-o", "out/aipu.bin", folder=folder)
    return folder


class DigitsTest(unittest.TestCase):
    """In that folder, with the arrays at hand."""

    @classmethod
    def setUpClass(cls):
        cls.folder = shared_folder()
        cls.calibration = np.load(cls.path("calibration.npy"))
        cls.images = np.load(cls.path("heldout.npy"))
        cls.scratch = tempfile.TemporaryDirectory(prefix="yarrow-python-")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        self.before = os.getcwd()
        os.chdir(self.folder)
        warnings.simplefilter("ignore", yarrow.Warning)

    def tearDown(self):
        os.chdir(self.before)

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    def written(self, *names):
        """A path for what a test writes."""
        return os.path.join(self.scratch.name, *names)

    def raised(self, code, function, *arguments, **options):
        """The yarrow.Error of a call, which has this code."""
        with self.assertRaises(yarrow.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        return caught.exception
