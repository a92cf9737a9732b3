"""Are real.npy the values of stored.npy by the scale that `yarrow inspect` shows?

    dequantize.py stored.npy real.npy inspect.log
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "e2e"))
sys.dont_write_bytecode = True
import common

stored, real = (common.read_npy(path) for path in sys.argv[1:3])
with open(sys.argv[3], encoding="utf-8") as f:
    output = next(line for line in f if line.startswith("  output"))
scale, zero_point = re.search(r"scale ([\d.]+), zero point (-?\d+)", output).groups()
assert stored[0] == real[0], (stored[0], real[0])
for q, value in zip(stored[2], real[2]):
    expected = (q + int(zero_point)) / float(scale)
    assert abs(value - expected) <= 1e-5 * max(1, abs(expected)), (q, value, expected)
