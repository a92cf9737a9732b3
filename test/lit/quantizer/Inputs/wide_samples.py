"""Writes 32 samples of 2500 values, which vary in 6 ways together: wide_samples.py FILE"""
import array
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../e2e"))
sys.dont_write_bytecode = True
import common

values = array.array("f")
for sample in range(32):
    ways = [math.sin(sample * (k + 1) * 0.7 + k) for k in range(6)]
    for i in range(2500):
        values.append(sum(w * math.cos(i * (k + 2) * 0.013) for k, w in enumerate(ways)))
common.write_npy(sys.argv[1], [32, 2500], values)
