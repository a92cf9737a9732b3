"""Ctrl-C gives a computation up, and leaves an interpreter that goes on."""
import os
import signal
import subprocess
import sys
import unittest

from common import DigitsTest

# So many samples that it would take minutes.
QUANTIZE = """
import numpy as np, yarrow
few = np.load("calibration.npy")
many = np.broadcast_to(few[None], (4000,) + few.shape).reshape((-1,) + few.shape[1:])
model = yarrow.load("digits.txt")
try:
    print("begun", flush=True)
    yarrow.quantize(model, many)
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
print(yarrow.quantize(model, few, recipe="compass").outputs[0].dtype)
"""


# Interrupted at other times each, of which some are within every phase.
COMPILE = """
import os, signal, threading, numpy as np, yarrow
q = yarrow.quantize("digits.txt", "calibration.npy", recipe="compass")
whole = yarrow.compile(q, winograd="auto").data
interrupted = 0
for milliseconds in range(0, 400, 20):
    timer = threading.Timer(milliseconds / 1000, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        yarrow.compile(q, winograd="auto")
        timer.join()
        while True:
            pass
    except KeyboardInterrupt:
        interrupted += 1
print(interrupted)
print(yarrow.compile(q, winograd="auto").data == whole)
"""


# The constructor of another kind of session.
INFERENCE = """
import numpy as np, yarrow
few = np.load("calibration.npy")
many = np.broadcast_to(few[None], (4000,) + few.shape).reshape((-1,) + few.shape[1:])
try:
    print("begun", flush=True)
    yarrow.InferenceSession("digits.txt", provider_options=[{"calibration": many}])
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""


class Interrupt(DigitsTest):
    def test_quantize(self):
        with subprocess.Popen([sys.executable, "-c", QUANTIZE], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            self.assertEqual(process.stdout.readline(), "begun\n")
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=600)
        self.assertEqual(output, "interrupted\nint8\n")

    def test_inference_session(self):
        with subprocess.Popen([sys.executable, "-c", INFERENCE], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            self.assertEqual(process.stdout.readline(), "begun\n")
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=600)
        self.assertEqual(output, "interrupted\n")

    def test_compile(self):
        done = subprocess.run([sys.executable, "-c", COMPILE], capture_output=True, text=True,
                              timeout=600, check=False)
        self.assertEqual(done.stdout, "20\nTrue\n", done.stderr)

    def test_runs(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "long_runs.py")
        done = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True,
                              text=True, timeout=600, check=False, cwd=self.scratch.name)
        self.assertEqual(done.stdout.splitlines(),
                         [f"{name} interrupted" for name in
                          ("run", "timed", "view", "evaluate", "command")], done.stderr)


class Program(DigitsTest):
    def test_module(self):
        run = [sys.executable, "-m", "yarrow"]
        done = subprocess.run(run + ["check", "digits.txt"], capture_output=True, text=True,
                              check=True)
        self.assertIn("0 errors", done.stdout)
        done = subprocess.run(run + ["check", "no.txt"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("E0101", done.stderr)


if __name__ == "__main__":
    unittest.main()
