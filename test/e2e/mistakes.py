"""Mistakes that a newcomer makes, each as the command that he types: what it says must lead on.

    test/e2e/mistakes.py --show     # prints what each says

"before" is what the program said when the mistake was first made (mistakes_cases.py).
"""
import array
import os
import re
import shutil
import subprocess
import sys
import zipfile

import common
from mistakes_cases import MISTAKES, MODELS, SETUP
from silence import run


def make_files(tools):
    example = os.path.join(tools.root, "examples/digits")
    for name in os.listdir(example):
        if name.endswith((".txt", ".bin", ".npy", ".cfg")):
            shutil.copy(os.path.join(example, name), tools.path(name))
    shutil.copy(tools.path("net.cfg"), tools.path("digits.cfg"))
    for name, arguments in MODELS.items():
        subprocess.run([sys.executable, os.path.join(tools.root, "test/lit/onnx.py"), *arguments,
                        "-o", tools.path(name)], check=True)

    def save(name, shape):
        count = 1
        for length in shape:
            count *= length
        values = array.array("f", ((i * 37 % 101 - 50) / 50 for i in range(count)))
        if name == "nan.npy":
            values[70] = float("nan")
        common.write_npy(tools.path(name), shape, values)
    save("one.npy", (1, 8, 8, 1))
    save("nan.npy", (4, 8, 8, 1))
    save("nchw.npy", (4, 1, 8, 8))
    save("nobatch.npy", (8, 8))
    save("wide.npy", (3, 2, 4, 8))
    save("x.npy", (6, 2, 6, 6))
    save("half.npy", (1, 3, 4, 4))
    subprocess.run([sys.executable, os.path.join(example, "pngs.py"), tools.path("calibration.npy"), tools.path("scans")],
                   check=True)
    with zipfile.ZipFile(tools.path("names.npz"), "w") as archive:
        for name in ("x", "v"):
            archive.write(tools.path("half.npy"), name + ".npy")


def main():
    shows = "--show" in sys.argv
    if shows:
        sys.argv.remove("--show")
    tools = common.arguments(__doc__.split("\n", maxsplit=1)[0])
    make_files(tools)
    for command in SETUP:
        code, said = run(tools, command)
        if code != 0:
            sys.exit(f"{command}: exit code {code}\n{said}")
    for mistake in MISTAKES:
        code, said = run(tools, mistake.command)
        if shows:
            print(f"$ {mistake.command}\n{said}[exit code {code}]\n")
        missing = [words for words in mistake.says if not re.search(words, said, re.MULTILINE)]
        tools.check(code == mistake.code and not missing,
                    f"{mistake.command}: exit code {code}, lacks {missing}\n{said[-1500:]}")
    print(f"{len(MISTAKES)} mistakes lead on")
    tools.finish()


if __name__ == "__main__":
    main()
