#!/usr/bin/env python3
"""Plays somebody with a model, a folder of photographs and no patience.

    test/e2e/stranger.py --yarrow build/bin/yarrow --packs ../shared/packs

Runs the three commands of README.md that draw faces on a photograph, from yunet.onnx and
photographs that it writes as PNG, and compares the cells that say "a face" (above 0.5)
with the float network's: all of those must be found, on every photograph.
"""
import os
import re
import shutil
import subprocess
import sys
import zipfile

import common

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
for example in ("digits", "faces"):
    sys.path.insert(0, os.path.join(ROOT, "examples", example))
import draw
from npy import parse
from pngs import png

CHOSEN = 11, 12, 13, 15, 17, 20, 22  # of the zoo's: faces of all sizes, and none
LEAST = 0.5


def write_photos(source, folder):
    """uint8 [photographs, height, width, 3] as PNG files."""
    os.makedirs(folder)
    with open(source, "rb") as file:
        (_, height, width, channels), _, pixels = parse(file.read())
    size = height * width * channels
    for i in CHOSEN:
        with open(os.path.join(folder, f"{i}.png"), "wb") as file:
            file.write(png(width, height, channels, pixels[i * size:(i + 1) * size].tobytes()))


def commands():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        section = file.read().split("## Faces in three commands", 1)[1]
    return re.search(r"```sh\n(.*?)```", section, re.DOTALL).group(1).splitlines()


def scores(path):
    """Of all cells of all photographs."""
    with zipfile.ZipFile(path) as archive:
        return [[c * o for c, o in zip(*(parse(archive.read(f"{kind}_{step}.npy"))[2]
                                         for kind in ("cls", "obj")))] for step in draw.STEPS]


def main():
    tools = common.arguments("Faces in three commands of the README")
    zoo = os.path.join(tools.packs, "../zoo")
    if not os.path.exists(os.path.join(zoo, "yunet.onnx")):
        print("skipped: no reference packs")
        tools.clean()
        sys.exit(common.SKIPPED)
    folder = tools.path("stranger", "")
    shutil.copy(os.path.join(zoo, "yunet.onnx"), folder)
    write_photos(os.path.join(zoo, "photos.npy"), os.path.join(folder, "photos"))
    os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
    path = os.path.dirname(os.path.abspath(tools.program)) + os.pathsep + os.environ["PATH"]
    environment = dict(os.environ, PATH=path)
    steps = commands()
    tools.check(len(steps) == 3, f"README has {len(steps)} commands for faces")
    for step in steps:
        done = subprocess.run(["bash", "-c", step], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit(f"failed: {step}\n{done.stdout}")
    print(done.stdout, end="")
    tools.check("4 faces" in done.stdout, "the photograph shows four faces")
    picture = draw.png.read(os.path.join(folder, "faces.png"))
    tools.check(any(list(pixel) == list(draw.GREEN) for row in picture for pixel in row),
                "nothing is drawn")
    os.chdir(folder)
    shape = ["--input-shape", "input=1,3,320,320"]
    tools.yarrow("eval", "yunet.onnx", *shape, "-i", "photos", "--channels", "bgr", "-o",
                 "float.npz")
    tools.yarrow("run", "faces/aipu.bin", "-i", "photos", "--channels", "bgr", "-o", "npu.npz")
    pairs = [pair for step in zip(scores("float.npz"), scores("npu.npz")) for pair in zip(*step)]
    wanted = [npu for real, npu in pairs if real > LEAST ** 2]
    found = sum(npu > LEAST ** 2 for npu in wanted)
    print(f"{found} of {len(wanted)} cells above {LEAST} are found")
    tools.check(len(wanted) > 50 and found == len(wanted), "faces are missing")
    tools.finish()


if __name__ == "__main__":
    main()
