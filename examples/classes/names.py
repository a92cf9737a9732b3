#!/usr/bin/env python3
"""Names what a classifier sees in pictures, with only the standard library.

    names.py scores.npy labels.txt [pictures/]

`yarrow run -o scores.npy` writes scores.npy: a row of scores for each picture, in the order
of the pictures' names. labels.txt has the name of one class in each line. Scores that are
not probabilities go through a softmax.
"""
import argparse
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vision"))
import npy

PICTURES = ".png", ".jpg", ".jpeg"
SHOWN = 3


def probabilities(scores):
    if min(scores) >= 0 and abs(sum(scores) - 1) < 0.05:
        return list(scores)
    most = max(scores)
    powers = [math.exp(score - most) for score in scores]
    return [power / sum(powers) for power in powers]


def rows(path, classes):
    """The probabilities of each picture."""
    values = npy.read_npy(path)[2]
    if not values or len(values) % classes:
        sys.exit(f"names: {path} has {len(values)} scores; expected rows of {classes}, one for "
                 "each label")
    return [probabilities(values[i:i + classes]) for i in range(0, len(values), classes)]


def names_of(folder, count):
    """The names of the pictures, in the order in which yarrow reads a folder."""
    if not folder:
        return [f"picture {i}" for i in range(count)]
    if not os.path.isdir(folder):
        return [folder]
    return sorted(name for name in os.listdir(folder) if name.lower().endswith(PICTURES))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scores")
    parser.add_argument("labels")
    parser.add_argument("pictures", nargs="?", help="the folder, or the one picture")
    args = parser.parse_args()
    with open(args.labels, encoding="utf-8") as file:
        labels = file.read().rstrip("\n").split("\n")
    found = rows(args.scores, len(labels))
    names = names_of(args.pictures, len(found))
    if len(names) != len(found):
        sys.exit(f"names: {len(found)} rows of scores, but {len(names)} pictures")
    for name, shares in zip(names, found):
        best = sorted(range(len(labels)), key=lambda i: (-shares[i], i))[:SHOWN]
        print(f"{name}: " + ", ".join(f"{labels[i]} {100 * shares[i]:.0f} %" for i in best))


if __name__ == "__main__":
    main()
