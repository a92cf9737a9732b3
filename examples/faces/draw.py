#!/usr/bin/env python3
"""Draws the faces that YuNet has found on the photograph, with only the standard library.

    draw.py photo.png found.npz -o faces.png [--least 0.5]

`yarrow run -o found.npz` writes found.npz: an array for each output by its name. Each cell
of 8, 16 and 32 pixels has the probabilities of a face (cls_8) and of an object (obj_8), and
the shift of its middle and the logarithms of its size (bbox_8), in cells. The script also
prints the faces.
"""
import argparse
import math
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vision"))
import npy
import png

STEPS = 8, 16, 32
OVERLAP = 0.3
GREEN = (0.0, 1.0, 0.0)


def arrays(path):
    """{name: values}"""
    with zipfile.ZipFile(path) as archive:
        return {name[:-len(".npy")]: npy.parse(archive.read(name))[2]
                for name in archive.namelist()}


def faces(found, least):
    """(score, left, top, right, bottom) in pixels of the network's input, and its side."""
    boxes = []
    for step in STEPS:
        classes, objects = found[f"cls_{step}"], found[f"obj_{step}"]
        places = found[f"bbox_{step}"]
        side = math.isqrt(len(classes))  # cells of a row
        for cell in range(len(classes)):
            score = math.sqrt(max(classes[cell], 0) * max(objects[cell], 0))
            if score <= least:
                continue
            dx, dy, width, height = places[4 * cell:4 * cell + 4]
            x, y = (cell % side + dx) * step, (cell // side + dy) * step
            w, h = math.exp(width) * step, math.exp(height) * step
            boxes.append((score, x - w / 2, y - h / 2, x + w / 2, y + h / 2))
    return boxes, side * STEPS[-1]


def overlap(a, b):
    width = min(a[3], b[3]) - max(a[1], b[1])
    height = min(a[4], b[4]) - max(a[2], b[2])
    common = max(width, 0) * max(height, 0)
    areas = [(box[3] - box[1]) * (box[4] - box[2]) for box in (a, b)]
    return common / (sum(areas) - common)


def best(boxes):
    """The surest box of each face."""
    kept = []
    for box in sorted(boxes, reverse=True):
        if all(overlap(box, other) < OVERLAP for other in kept):
            kept.append(box)
    return kept


def draw(rows, box):
    height, width = len(rows), len(rows[0])
    left, top, right, bottom = (round(v) for v in box)
    for y in range(max(top, 0), min(bottom + 1, height)):
        for x in range(max(left, 0), min(right + 1, width)):
            if min(y - top, bottom - y, x - left, right - x) < 2:
                rows[y][x] = GREEN


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("photo")
    parser.add_argument("found")
    parser.add_argument("-o", "--output", default="faces.png")
    parser.add_argument("--least", type=float, default=0.5, help="least probability of a face (default: 0.5)")
    args = parser.parse_args()
    rows = png.read(args.photo)
    boxes, side = faces(arrays(args.found), args.least)
    across, down = len(rows[0]) / side, len(rows) / side
    for score, left, top, right, bottom in best(boxes):
        box = left * across, top * down, right * across, bottom * down
        draw(rows, box)
        print("a face, %.0f %%, at %d,%d to %d,%d" % (100 * score, *map(round, box)))
    png.write(args.output, rows)
    print(f"wrote {args.output}: {len(best(boxes))} faces")


if __name__ == "__main__":
    main()
