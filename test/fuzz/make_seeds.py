#!/usr/bin/env python3
"""Makes what fuzzing starts from and what would be out of date if it were kept.

    make_seeds.py executables --yarrow build/bin/yarrow -o FOLDER
    make_seeds.py dictionary --yarrow build/bin/yarrow -o compass.dict

Executables are those of the networks of corpus/irmodel, for the smallest target
and for one with every feature of the tensor engine; networks that the compiler
refuses have none. The dictionary for libFuzzer has
the names of operators and keys as the program lists them, and every word of
the seeds.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SEPARATOR = b"====\n"
TARGETS = ("Z1_0701", "X2_1204")


def networks():
    """(name, text, weights) of every seed."""
    for path in sorted(glob.glob(os.path.join(HERE, "corpus/irmodel/*"))):
        with open(path, "rb") as f:
            text, _, weights = f.read().partition(SEPARATOR)
        yield os.path.basename(path), text, weights


def executables(yarrow, folder):
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, "*.bin")):
        os.remove(old)
    count = 0
    with tempfile.TemporaryDirectory() as work:
        txt, weights_path = os.path.join(work, "net.txt"), os.path.join(work, "net.bin")
        for name, text, weights in networks():
            for path, data in ((txt, text), (weights_path, weights)):
                with open(path, "wb") as f:
                    f.write(data)
            for target in TARGETS:
                output = os.path.join(folder, f"{name}.{target}.bin")
                done = subprocess.run([yarrow, "compile", txt, "-w", weights_path, "-q",
                                       "--target", target, "-o", output],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                count += done.returncode == 0
    print(f"make_seeds: {count} executables")
    return 0 if count else 1


def dictionary(yarrow, path):
    words = set()
    listed = subprocess.run([yarrow, "ops", "--format", "json"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    for operator in json.loads(listed):
        words.add(operator["layer_type"])
        words.update(method["name"] for method in operator["methods"])
        words.update(key["name"] for key in operator["keys"])
    for _, text, _ in networks():
        words.update(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text.decode("ascii")))
    with open(path, "w", encoding="ascii") as f:
        f.writelines(f'"{word}"\n' for word in sorted(words) if len(word) > 1)
    print(f"make_seeds: {len(words)} words")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["executables", "dictionary"])
    parser.add_argument("--yarrow", required=True)
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    make = executables if args.what == "executables" else dictionary
    return make(args.yarrow, args.output)


if __name__ == "__main__":
    sys.exit(main())
