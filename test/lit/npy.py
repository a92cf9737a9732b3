"""Writes a .npy file of one value, with others where they are named.

    npy.py x.npy float32 2,8,8,1             # zeros
    npy.py x.npy float32 2,8,8,1 0.5 3=nan   # 0.5, but NaN as the fourth element
"""
import array
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
sys.dont_write_bytecode = True
import common

CODES = {"float32": "f", "float64": "d", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H",
         "int32": "i", "int64": "q"}


def main():
    path, kind, shape = sys.argv[1:4]
    number = float if kind.startswith("float") else int
    shape = [int(size) for size in shape.split(",") if size]
    fill = number(sys.argv[4]) if len(sys.argv) > 4 else 0
    values = array.array(CODES[kind], [fill]) * math.prod(shape)
    for setting in sys.argv[5:]:
        index, _, value = setting.partition("=")
        values[int(index)] = number(value)
    common.write_npy(path, shape, values)


if __name__ == "__main__":
    main()
