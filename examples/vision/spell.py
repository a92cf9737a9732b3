#!/usr/bin/env python3
"""Spells what the network `words` reads in lines of text, with only the standard library.

    spell.py read.npy ppocr_keys_v1.txt

`yarrow run -o read.npy` writes read.npy: for each picture the probabilities of all letters
in each step along the line. The other file has one letter in each line.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import npy


def alphabet(path):
    """The letters by number; the first means no letter, the last is a space."""
    with open(path, encoding="utf-8") as file:
        return ["", *file.read().rstrip("\n").split("\n"), " "]


def spelled(values, letters):
    """The best letter of each step; repetitions count once, and number 0 is not a letter."""
    text, last, count = "", 0, len(letters)
    for begin in range(0, len(values), count):
        step = values[begin:begin + count]
        best = max(range(count), key=step.__getitem__)
        if best not in (0, last):
            text += letters[best]
        last = best
    return " ".join(text.split())


def texts(path, letters):
    """The texts of all pictures."""
    shape, _, values = npy.read_npy(path)
    size = len(values) // shape[0]
    return [spelled(values[i:i + size], letters) for i in range(0, len(values), size)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for text in texts(sys.argv[1], alphabet(sys.argv[2])):
        print(text)


if __name__ == "__main__":
    main()
