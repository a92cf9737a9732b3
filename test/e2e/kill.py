#!/usr/bin/env python3
"""A program that is killed never leaves a result that is accepted and wrong.

    test/e2e/kill.py --yarrow build/bin/yarrow --kills 200

Two settings of the quantizer write the same files in turn and are killed: at
random moments, and before each of their renames. Whatever is left must be one
setting's pair of text and weights, byte for byte, or must be refused by every
command (E0221). The same for an executable with its reports, and for a build.
The next run must clean up what the dead have left.
"""
import os
import random
import signal
import subprocess
import time

import common


def add_options(parser):
    parser.add_argument("--kills", type=int, default=20,
                        help="how many at random moments")
    parser.add_argument("--renames", default="",
                        help="librenames.so, which kills at a rename")
    parser.add_argument("--seed", type=int, default=1)


def contents(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


class Pair:
    """The files of an integer IR that two settings write in turn."""

    SETTINGS = {"eight": [], "four": ["--weight-bits", "4"]}

    def __init__(self, tools):
        self.tools = tools
        self.folder = tools.path("pair", "")
        self.text = tools.path("pair", "digits_o.txt")
        self.weights = tools.path("pair", "digits_o.bin")
        self.wanted = {}
        for setting in self.SETTINGS:
            tools.yarrow(*self.command(setting))
            self.wanted[setting] = self.read()

    def command(self, setting):
        digits = os.path.join(self.tools.root, "examples", "digits")
        return ["quantize", "--recipe", "compass", os.path.join(digits, "digits.txt"), "-c",
                os.path.join(digits, "calibration.npy"), "-o", self.folder,
                "--brief"] + self.SETTINGS[setting]

    def read(self):
        return contents(self.text), contents(self.weights)

    def check(self, what):
        """Good, or refused: True if it was refused."""
        found = self.read()
        known = all(any(part == wanted[i] for wanted in self.wanted.values())
                    for i, part in enumerate(found))
        self.tools.check(known, what + " left a torn file")
        done = subprocess.run([self.tools.program, "check", self.text],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        if found in self.wanted.values():
            self.tools.check(done.returncode == 0, "%s: a good pair is refused"
                             ": %s" % (what, done.stderr))
            return False
        self.tools.check(done.returncode == 1 and "error E0221" in done.stderr,
                         "%s left a mixed pair, which is accepted" % what)
        return True


def temporaries(folder):
    return [name for _, _, names in os.walk(folder) for name in names
            if ".tmp" in name]


def kill_at_random(tools, pair, kills, seed):
    """(how many were killed, pairs refused)"""
    generator = random.Random(seed)
    settings = list(pair.SETTINGS)
    begin = time.monotonic()
    tools.yarrow(*pair.command(settings[0]))
    whole = time.monotonic() - begin
    killed = refused = 0
    for i in range(kills):
        setting = settings[i % len(settings)]
        process = subprocess.Popen(
            [tools.program] + pair.command(setting),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Most of what can go wrong is near the end.
        time.sleep(whole * generator.choice([generator.random(),
                                             generator.uniform(0.7, 1.1)]))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        refused += pair.check("kill %d (seed %d)" % (i, seed))
    return killed, refused


def kill_at_renames(tools, library, command, check):
    """Kills before the first rename, the second and so on to the end; how
    many there were."""
    number = 0
    while True:
        number += 1
        environment = dict(os.environ, LD_PRELOAD=library,
                           KILL_AT_RENAME=str(number))
        done = subprocess.run([tools.program] + [str(a) for a in command],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, text=True)
        what = "%s killed at rename %d" % (command[0], number)
        check(what)
        if done.returncode == 0:
            return number - 1
        if not tools.check(done.returncode == -signal.SIGKILL,
                           "%s: %s" % (what, done.stdout)):
            return number


def check_pair_at_renames(tools, library, pair):
    total = refused = 0
    for before, after in (("eight", "four"), ("four", "eight")):
        tools.yarrow(*pair.command(before))

        def check(what):
            nonlocal refused
            refused += pair.check(what)
            tools.yarrow(*pair.command(before))  # over what is left
            tools.check(not temporaries(pair.folder),
                        what + ": the next run did not clean up")
            tools.check(pair.read() == pair.wanted[before],
                        what + ": the next run wrote something else")

        total += kill_at_renames(tools, library, pair.command(after), check)
    tools.check(total == 6, "a pair and its template have three renames, "
                "not %d / 2" % total)
    tools.check(refused == 2, "between two renames a pair is mixed")
    return total, refused


def check_others_at_renames(tools, library, pair):
    """Each file that is there is whole."""
    digits = os.path.join(tools.root, "examples", "digits")
    folder = tools.path("others", "")
    data = os.path.join(digits, "heldout.npy")
    tools.yarrow(*pair.command("eight"))
    executable = os.path.join(folder, "aipu.bin")
    commands = [
        ["compile", pair.text, "-o", executable, "--dump-npu",
         folder + "npu.mlir"],
        ["run", executable, "-i", data, "-o", folder + "o.npy", "--report",
         folder + "r.json", "--trace", folder + "t.json", "--tec-trace",
         folder + "tec.txt"],
        ["eval", "--exe", executable, "--int", pair.text, "--data", data,
         "--samples", "8", "--json", folder + "e.json"],
        ["build", os.path.join(digits, "net.cfg"), "-o", folder, "--samples",
         "8", "--brief"],
    ]
    total = 0
    for command in commands:
        tools.yarrow(*command)
        wanted = {name: contents(folder + name) for name in os.listdir(folder)}

        def check(what):
            for name, bytes_before in wanted.items():
                if not tools.check(contents(folder + name) == bytes_before,
                                   "%s: %s is not whole" % (what, name)):
                    break

        total += kill_at_renames(tools, library, command, check)
        tools.check(not temporaries(folder), "%s did not clean up: %s" % (
            command[0], temporaries(folder)))
    return total


def main():
    tools = common.arguments("Check killed runs", add_options)
    options = tools.options
    pair = Pair(tools)
    killed, refused = kill_at_random(tools, pair, options.kills, options.seed)
    print("%d kills at random moments: %d hit, %d mixed pairs" % (
        options.kills, killed, refused))
    tools.yarrow(*pair.command("eight"))
    tools.check(not temporaries(pair.folder), "left after the next run: %s" %
                temporaries(pair.folder))
    if options.renames:
        total, refused = check_pair_at_renames(tools, options.renames, pair)
        total += check_others_at_renames(tools, options.renames, pair)
        print("%d kills at renames: %d mixed pairs" % (total, refused))
    tools.finish()


main()
