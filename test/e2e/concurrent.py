#!/usr/bin/env python3
"""Runs that write into one folder at the same time never mix their files.

    test/e2e/concurrent.py --yarrow build/bin/yarrow --pairs 150

Each time two settings of the quantizer write the same files at once, while a
third program reads them. Both writers must succeed; the reader must compile one
setting's network or the other's, byte for byte, or refuse the pair (E0221); and
the pair that remains is one writer's.
"""
import os
import random
import subprocess
import time

import common


def add_options(parser):
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)


SETTINGS = {"eight": [], "four": ["--weight-bits", "4"]}


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    tools = common.arguments("Check runs into one folder", add_options)
    options = tools.options
    digits = os.path.join(tools.root, "examples", "digits")
    folder = tools.path("out", "")
    text, weights = folder + "digits_o.txt", folder + "digits_o.bin"

    def quantize(setting):
        return [tools.program, "-j", "1", "quantize", "--recipe", "compass",
                os.path.join(digits, "digits.txt"), "-c",
                os.path.join(digits, "calibration.npy"), "-o", folder,
                "--brief"] + SETTINGS[setting]

    executable = tools.path("aipu.bin")
    compile_it = [tools.program, "compile", text, "-o", executable]

    def start(command):
        return subprocess.Popen(command, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    wanted = {}
    for setting in SETTINGS:
        begin = time.monotonic()
        subprocess.run(quantize(setting), check=True, stdout=subprocess.PIPE)
        whole = time.monotonic() - begin
        subprocess.run(compile_it, check=True, stdout=subprocess.PIPE)
        wanted[setting] = (contents(text), contents(weights),
                           contents(executable))
    generator = random.Random(options.seed)
    refused = 0
    last = {setting: 0 for setting in SETTINGS}
    for i in range(options.pairs):
        writers = [start(quantize(s)) for s in SETTINGS]
        time.sleep(whole * generator.uniform(0.5, 2.2))
        reader = start(compile_it)
        for writer in writers:
            said = writer.communicate()[0]
            tools.check(writer.returncode == 0, "pair %d: a writer failed: %s"
                        % (i, said))
        said = reader.communicate()[0]
        if reader.returncode == 0:
            tools.check(contents(executable) in [w[2] for w in wanted.values()],
                        "pair %d: a mixed pair was compiled" % i)
        else:
            refused += tools.check("error E0221" in said,
                                   "pair %d: the reader says %s" % (i, said))
        found = contents(text), contents(weights)
        winners = [s for s in SETTINGS if wanted[s][:2] == found]
        if tools.check(winners, "pair %d: a mixed pair remains" % i):
            last[winners[0]] += 1
        left = sorted(os.listdir(folder))
        tools.check(left == ["digits_o.bin", "digits_o.txt",
                             "digits_opt_template.json"],
                    "pair %d: left %s" % (i, left))
    print("%d pairs of runs: last were %s; %d readers refused" % (
        options.pairs, last, refused))
    tools.finish()


main()
