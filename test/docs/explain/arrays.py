"""Writes arrays of the sandbox (sandbox.py) into the current folder: parts of those that are there, and a
picture."""
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
for part in ("test/e2e", "examples/digits"):
    sys.path.insert(0, os.path.join(ROOT, part))
import common
import pngs


def main():
    shape, _, values = common.read_npy("heldout.npy")
    count = len(values) // shape[0]
    common.write_npy("x.npy", [10] + list(shape[1:]), values[:10 * count])
    _, _, labels = common.read_npy("heldout_label.npy")
    common.write_npy("x_label.npy", [10], labels[:10])
    pixels = bytes((x * 30 + y * 5 + c * 60) % 256 for y in range(8) for x in range(8) for c in range(3))
    with open("photo.png", "wb") as f:
        f.write(pngs.png(8, 8, 3, pixels))


if __name__ == "__main__":
    main()
