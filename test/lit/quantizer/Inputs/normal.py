#!/usr/bin/env python3
"""Writes a .npy file of float32 values of a normal distribution, the same each time.

    normal.py x.npy 16,8,4       # of deviation 1
    normal.py x.npy 16,8,4 0.02
"""
import array
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../e2e"))
sys.dont_write_bytecode = True
import common

shape = [int(size) for size in sys.argv[2].split(",")]
deviation = float(sys.argv[3]) if len(sys.argv) > 3 else 1
source = random.Random(1)
common.write_npy(sys.argv[1], shape, array.array(
    "f", [source.gauss(0, deviation) for _ in range(math.prod(shape))]))
