#!/usr/bin/env python3
"""Imports every model of a folder and says what became of it, a line for each:

    ADD: Eltwise -> [2,3]

    tflite_layers.py FOLDER
"""
import glob
import os
import re
import subprocess
import sys


def describe(path, name):
    done = subprocess.run(["yarrow", "import", path, "-o", "ir"], capture_output=True, text=True)
    if done.returncode:
        return f"{name}: {(done.stdout + done.stderr).strip()}"
    with open(f"ir/{name}.txt", encoding="ascii") as f:
        layers = [t for t in re.findall(r"^layer_type=(\w+)", f.read(), re.MULTILINE)
                  if t not in ("Input", "Constant")]
    shapes = re.findall(r"^  output  \S+ (\S+)", done.stdout, re.MULTILINE)
    return f"{name}: {' '.join(layers)} -> {' '.join(shapes)}"


for file in sorted(glob.glob(os.path.join(sys.argv[1], "*.tflite"))):
    print(describe(file, os.path.basename(file)[:-len(".tflite")]))
