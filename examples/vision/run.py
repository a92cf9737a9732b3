#!/usr/bin/env python3
"""Reads words in pictures with two networks of PaddleOCR on the simulated NPU.

    python3 examples/vision/run.py --yarrow build/bin/yarrow -o out

Draws lines of text into out/, every second one upside down, and builds the networks with
direction.cfg and words.cfg. The first network finds the lines to turn, the second reads them;
out/read.png shows the result. --pictures reads your own lines of text (PNG) instead. npm
fetches the networks; without npm or a network connection, the exit code is 77.
"""
import argparse
import array
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import letters
import npy
import packages
import png
import spell

HERE = os.path.dirname(os.path.realpath(__file__))
HEIGHT, WIDTH = 48, 192
SKIPPED = 77
NETWORKS = {"direction": ("assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", "491843a3c65de462"),
            "words": ("assets/ch_PP-OCRv4_rec_infer.onnx", "06b3e6af6c59a1ba")}
LETTERS = "assets/ppocr_keys_v1.txt"
WORDS = ("YARROW", "NPU 2026", "HELLO", "WORLD 42", "OPEN", "MILK", "TREE 7", "PAPER", "STONE",
         "QUICK", "JUMP", "CLOUD 9")
CALIBRATION = ("GARDEN", "LAMP 3", "BRIDGE", "FOX", "TEN 10", "SUMMER", "RAIN 58", "DOG", "PLANET",
               "KEY 64", "BOX", "NORTH")


def drawn(text, rng, is_turned):
    """Dark letters of any colour on bright paper of any colour."""
    paper, ink = ([rng.uniform(*limits) for _ in range(3)] for limits in ((0.75, 1), (0, 0.35)))
    picture = [[list(paper) for _ in range(WIDTH)] for _ in range(HEIGHT)]
    rows = letters.line(text, rng.randint(26, 30))
    letters.draw(picture, 9, max((WIDTH - len(rows[0])) // 2, 2), rows, ink)
    for row in picture:
        for pixel in row:
            pixel[:] = [v + rng.uniform(-0.02, 0.02) for v in pixel]
    return turned(picture) if is_turned else picture


def turned(picture):
    return [row[::-1] for row in picture[::-1]]


def fitted(picture):
    """Scaled to the networks' height; wider lines are compressed, others get paper."""
    scale = max(len(picture) / HEIGHT, len(picture[0]) / WIDTH)
    height, width = len(picture), len(picture[0])
    paper = picture[0][0]
    return [[picture[int(y * height / HEIGHT)][int(x * scale)] if x * scale < width else paper
             for x in range(WIDTH)] for y in range(HEIGHT)]


def as_input(pictures):
    """[N,3,H,W] from -1 to 1, red first: the networks convert it to blue first (RGB2BGR)."""
    return array.array("f", (2 * row[x][c] - 1 for p in pictures for c in range(3) for row in p
                             for x in range(WIDTH)))


class Network:
    """One of the networks, built in the folder for results."""

    def __init__(self, name, options):
        self.name, self.options, self.folder = name, options, options.output_dir
        self.decibels = None  # of the integers to the floats

    def build(self, model):
        shutil.copy(model, os.path.join(self.folder, self.name + ".onnx"))
        shutil.copy(os.path.join(HERE, self.name + ".cfg"), self.folder)
        told = self.yarrow("build", os.path.join(self.folder, self.name + ".cfg"), "--brief")
        self.decibels = float(re.search(r"SQNR ([-.\d]+) dB to float", told).group(1))

    def run(self, pictures):
        """A list of numbers for each picture; prints the cycles of one."""
        inputs, outputs, report = (os.path.join(self.folder, self.name + end)
                                   for end in ("_in.npy", "_out.npy", "_run.json"))
        npy.write_npy(inputs, [len(pictures), 3, HEIGHT, WIDTH], as_input(pictures))
        self.yarrow("run", os.path.join(self.folder, self.name + ".bin"), "-i", inputs, "-o",
                    outputs, "--dequantize", "--timed", "--report", report)
        values = list(npy.read_npy(outputs)[2])
        size = len(values) // len(pictures)
        with open(report, encoding="utf-8") as file:
            measured = json.load(file)
        print(f"{self.name}.onnx: {self.decibels} dB to float, "
              f"{measured['performance']['cycles']:,} cycles a picture on {measured['target']}")
        return [values[i:i + size] for i in range(0, len(values), size)]

    def yarrow(self, *arguments):
        done = subprocess.run([self.options.yarrow, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"yarrow {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout


def labelled(picture, text, was_turned):
    """The picture with the text that was read below it."""
    strip = [[[1.0, 1.0, 1.0] for _ in range(WIDTH)] for _ in range(26)]
    shown = "".join(c if c in letters.FONT else " " for c in text.upper()) or " "
    letters.draw(strip, 5, 6, letters.line(shown, 14), (0.0, 0.45, 0.1))
    if was_turned:
        letters.draw(strip, 5, WIDTH - 58, letters.line("TURNED", 10), (0.8, 0.2, 0.0))
    return [*picture, *strip]


def sheet(pictures, columns=3):
    """All of them side by side, with gaps."""
    rows, gap = [], [[0.6, 0.6, 0.6]]
    for first in range(0, len(pictures), columns):
        line = pictures[first:first + columns]
        line += [[[[1.0] * 3] * WIDTH] * len(line[0])] * (columns - len(line))
        rows += [gap * 4 + [p for picture in line for p in [*picture[y], *gap * 4]]
                 for y in range(len(line[0]))] + [gap * (columns * (WIDTH + 4) + 4)] * 4
    return rows


def read_all(options):
    os.makedirs(options.output_dir, exist_ok=True)
    rng = random.Random(2026)
    calibration = [drawn(text, rng, i % 2) for i, text in enumerate(2 * CALIBRATION)]
    npy.write_npy(os.path.join(options.output_dir, "calibration.npy"),
                     [len(calibration), 3, HEIGHT, WIDTH], as_input(calibration))
    networks = {}
    for name, (path, digest) in NETWORKS.items():
        model = packages.model(packages.OCR, path, digest, options.cache)
        networks[name] = Network(name, options)
        networks[name].build(model)
    alphabet = spell.alphabet(
        os.path.join(packages.fetch(packages.OCR, options.cache), LETTERS))
    if options.pictures:
        files = sorted(sum((glob.glob(p) for p in options.pictures), []))
        pictures, wanted = [fitted(png.read(file)) for file in files], [None] * len(files)
    else:
        wanted = list(enumerate(WORDS))
        pictures = [drawn(text, rng, i % 2) for i, text in wanted]
        for i, picture in enumerate(pictures):
            png.write(os.path.join(options.output_dir, f"line_{i:02}.png"), picture)
    sides = networks["direction"].run(pictures)
    is_turned = [upside_down > 0.5 for _, upside_down in sides]
    upright = [turned(p) if t else p for p, t in zip(pictures, is_turned)]
    steps = networks["words"].run(upright)
    texts = [spell.spelled(values, alphabet) for values in steps]
    png.write(os.path.join(options.output_dir, "read.png"), sheet(
        [labelled(p, text, t) for p, text, t in zip(pictures, texts, is_turned)]))
    right = 0
    for text, t, want in zip(texts, is_turned, wanted):
        if want is None:
            print(f"  {'turned' if t else 'upright':10}{text}")
            continue
        good = text == want[1] and t == bool(want[0] % 2)
        right += good
        print(f"  {'turned' if t else 'upright':10}{text:12}" + ("" if good else f" not {want[1]}"))
    print(f"wrote {os.path.join(options.output_dir, 'read.png')}")
    if options.pictures:
        return True
    print(f"{right} of {len(WORDS)} lines read right")
    return right >= len(WORDS) - 1


def main():
    parser = argparse.ArgumentParser(description="Read words in pictures on the simulated NPU")
    built = os.path.normpath(os.path.join(HERE, "../../build/bin/yarrow"))
    parser.add_argument("--yarrow", default=built if os.path.exists(built) else "yarrow")
    parser.add_argument("-o", "--output-dir", default="vision")
    parser.add_argument("--cache", default=packages.default_cache(), help="keep packages in this folder")
    parser.add_argument("--pictures", nargs="+", help="read these lines of text, as PNG")
    try:
        sys.exit(0 if read_all(parser.parse_args()) else 1)
    except packages.Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(SKIPPED)


if __name__ == "__main__":
    main()
