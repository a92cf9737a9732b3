#!/usr/bin/env python3
"""Names what a classifier sees in pictures, with the standard library alone.

    names.py scores.npy labels.txt [pictures/]

scores.npy is what `yarrow run -o scores.npy` writes: a row of scores for each picture, in
the order of the pictures' names. labels.txt has the name of a class in each line. Scores
that are no probabilities go through a softmax.
"""
import argparse
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vision"))
import npy

PICTURES = ".png", ".jpg", ".jpeg"
TOLD = 3


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
        sys.exit(f"names: {path} has {len(values)} scores, which are no rows of {classes} labels")
    return [probabilities(values[i:i + classes]) for i in range(0, len(values), classes)]


def names_of(folder, count):
    """Of the pictures, in the order in which yarrow reads a folder."""
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
        sys.exit(f"names: {len(found)} rows of scores, and {len(names)} pictures")
    for name, shares in zip(names, found):
        best = sorted(range(len(labels)), key=lambda i: (-shares[i], i))[:TOLD]
        print(f"{name}: " + ", ".join(f"{labels[i]} {100 * shares[i]:.0f} %" for i in best))


if __name__ == "__main__":
    main()
