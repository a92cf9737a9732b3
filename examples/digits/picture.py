#!/usr/bin/env python3
"""Draws images of digits, each with the network's answer below it.

    yarrow run digits.aipu -i heldout.npy -o logits.npy
    python3 picture.py heldout.npy logits.npy heldout_label.npy -o digits.svg

The picture has 36 images: first the wrong answers, in a frame with the right answer, then others
from the beginning. Any browser opens it. Needs only the standard library.
"""
import argparse
import array
import ast
import math
import struct

KINDS = {"<f4": "f", "<i4": "i", "<i8": "q", "|i1": "b", "|u1": "B"}
COLUMNS, SHOWN = 12, 36
PIXEL, CELL_WIDTH, CELL_HEIGHT = 8, 84, 118


def read_npy(path):
    """(samples, numbers of a sample, all numbers) of an .npy file of version 1."""
    with open(path, "rb") as f:
        f.read(8)
        header = ast.literal_eval(f.read(*struct.unpack("<H", f.read(2))).decode())
        values = array.array(KINDS[header["descr"]], f.read())
    count = header["shape"][0]
    return count, len(values) // count, values


def probability(logits):
    """The probability of the largest logit, by softmax."""
    top = max(logits)
    return 1 / sum(math.exp(v - top) for v in logits)


def cell(x, y, pixels, digit, percent, label):
    """One image with its text; pixels from 0 to 1, row by row."""
    side = math.isqrt(len(pixels))
    parts = [f'<g transform="translate({x},{y})">'
             f'<rect width="{side * PIXEL}" height="{side * PIXEL}" fill="#fff" stroke="#888"/>']
    for i, value in enumerate(pixels):
        if value > 0:
            grey = round(255 * (1 - min(value, 1)))
            parts.append(f'<rect x="{i % side * PIXEL}" y="{i // side * PIXEL}" width="{PIXEL}" '
                         f'height="{PIXEL}" fill="rgb({grey},{grey},{grey})"/>')
    text = f"{digit} ({percent:.0f} %)"
    if digit != label:
        parts.append(f'<rect x="-5" y="-5" width="{side * PIXEL + 10}" height="{CELL_HEIGHT - 12}" '
                     'fill="none" stroke="#c00" stroke-width="2" stroke-dasharray="5 3"/>')
        parts.append(f'<text x="{side * PIXEL // 2}" y="{side * PIXEL + 30}">is {label}</text>')
    parts.append(f'<text x="{side * PIXEL // 2}" y="{side * PIXEL + 16}">{text}</text></g>\n')
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("images", help=".npy of images")
    parser.add_argument("logits", help=".npy of ten real numbers for each")
    parser.add_argument("labels", help=".npy of the right digits")
    parser.add_argument("-o", "--output", default="digits.svg")
    options = parser.parse_args()
    count, size, images = read_npy(options.images)
    _, classes, logits = read_npy(options.logits)
    labels = read_npy(options.labels)[2]

    answers = []
    for i in range(count):
        scores = logits[i * classes:(i + 1) * classes]
        answers.append((scores.index(max(scores)), 100 * probability(scores)))
    wrong = [i for i in range(count) if answers[i][0] != labels[i]]
    order = (wrong + [i for i in range(count) if i not in set(wrong)])[:SHOWN]
    rows = -(-len(order) // COLUMNS)
    width, height = COLUMNS * CELL_WIDTH + 20, rows * CELL_HEIGHT + 20
    with open(options.output, "w", encoding="utf-8") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" font-family="sans-serif" font-size="13" '
                'text-anchor="middle">\n<rect width="100%" height="100%" fill="#fff"/>\n')
        for place, i in enumerate(order):
            x, y = place % COLUMNS * CELL_WIDTH + 20, place // COLUMNS * CELL_HEIGHT + 15
            f.write(cell(x, y, images[i * size:(i + 1) * size], *answers[i], labels[i]))
        f.write("</svg>\n")
    print(f"{count - len(wrong)} of {count} images read right, {len(wrong)} wrong")
    print(f"wrote {options.output}: {len(order)} of them")


if __name__ == "__main__":
    main()
