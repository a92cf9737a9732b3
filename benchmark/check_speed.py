#!/usr/bin/env python3
"""Measures `yarrow check`, and how much of it is the start of the program.

    benchmark/check_speed.py --bin build/bin

Networks of 200 and 5,000 layers (the second with 100 MB of weights) against
`yarrow targets`, which only starts, in turns within one run; the best of each.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "e2e"))
import chain  # noqa: E402

ROUNDS = 10


def seconds(command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default="build/bin", help="folder with the built programs")
    args = parser.parse_args()
    yarrow = os.path.join(args.bin, "yarrow")
    with tempfile.TemporaryDirectory() as folder:
        commands = {"start": [yarrow, "targets"]}
        for layers, weights in ((200, 0), (5000, 100 * 10**6)):
            txt, data = chain.write_chain(os.path.join(folder, f"n{layers}"), layers, weights)
            commands[f"check {layers}"] = [yarrow, "check", txt, "-w", data]
        best = {name: min(seconds(c) for _ in range(ROUNDS)) for name, c in commands.items()}
    for name, time_taken in best.items():
        print(f"{name:12} {1000 * time_taken:8.1f} ms  {time_taken / best['start']:6.2f} x start")


if __name__ == "__main__":
    main()
