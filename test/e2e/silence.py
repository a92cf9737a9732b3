"""What was once accepted in silence, each as the command that a user would type.

Every case is a command in a folder with the example's files, the exit code that
it must have, and words that it must say. "before" is what the program did when
the case was found. docs/promises.md has the same as a table:

    test/e2e/silence.py --table      # prints it
    test/e2e/silence.py --only 6     # the cases of one point, with what they say
"""
import array
import collections
import math
import os
import re
import shutil
import subprocess
import sys

import common
from silence_cases import CASES, SETUP

DOCUMENT = "docs/promises.md"


def make_arrays(tools):
    """Samples of the right shape and of wrong ones, next to the example's."""
    shape, _, values = common.read_npy(tools.path("heldout.npy"))
    count = shape[0]
    assert tuple(shape[1:]) == (8, 8, 1), shape
    floats = array.array("f", values)

    def save(name, new_shape, new_values=floats):
        common.write_npy(tools.path(name), new_shape,
                         array.array("f", new_values[:math.prod(new_shape)]))
    save("spatial.npy", (2, 16, 16, 1))
    save("nchw.npy", (4, 1, 8, 8))
    save("flat.npy", (4, 64))
    save("one.npy", (1, 8, 8, 1))
    save("four.npy", (4, 8, 8, 1))
    for name, value in (("nan.npy", math.nan), ("inf.npy", math.inf)):
        broken = array.array("f", floats[:256])
        broken[70] = value  # sample 1, element 6
        save(name, (4, 8, 8, 1), broken)
    with open(tools.path("digits.bin"), "rb") as f:
        weights = bytearray(f.read())
    weights[4:8] = b"\x00\x00\xc0\x7f"  # a quiet NaN
    with open(tools.path("nan.bin"), "wb") as f:
        f.write(weights)
    return count


def run(tools, command):
    """(exit code, everything printed) of a command for the shell."""
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(tools.program)) + ":" +
                       os.environ["PATH"], COLUMNS="80")
    done = subprocess.run(["bash", "-c", command], cwd=tools.path("."), env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def problem(case, code, said):
    if code != case.code:
        return f"exit code {code}, not {case.code}"
    missing = [words for words in case.says if not re.search(words, said)]
    return f"does not say {missing}" if missing else ""


def table():
    lines = ["| point | command | before | now |", "|---|---|---|---|"]
    for case in CASES:
        now = "exit code %d" % case.code + "".join(
            ", " + code for words in case.says for code in re.findall(r"[EWN]\d{4}", words))
        command = case.command.replace("|", "\\|")
        lines.append(f"| {case.point} | `{command}` | {case.before} | {now} |")
    return "\n".join(lines) + "\n"


def main():
    if "--table" in sys.argv:
        print(table(), end="")
        return
    only = None
    if "--only" in sys.argv:
        at = sys.argv.index("--only")
        only = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    tools = common.arguments(__doc__.split("\n")[0])
    example = os.path.join(tools.root, "examples/digits")
    for name in os.listdir(example):
        if name.endswith((".txt", ".bin", ".npy", ".cfg")):
            shutil.copy(os.path.join(example, name), tools.path(name))
    make_arrays(tools)
    for command in SETUP:
        code, said = run(tools, command)
        if code != 0:
            sys.exit(f"{command}: exit code {code}\n{said}")
    points = collections.Counter()
    for case in CASES:
        if only and case.point.split()[0] != only:
            continue
        code, said = run(tools, case.command)
        wrong = problem(case, code, said)
        points[case.point] += 1
        if only:
            print(f"$ {case.command}\n{said}[exit code {code}]\n")
        tools.check(not wrong, f"{case.point}: {case.command}: {wrong}\n{said[-1500:]}")
    with open(os.path.join(tools.root, DOCUMENT), encoding="utf-8") as f:
        tools.check(table() in f.read(),
                    f"{DOCUMENT} lacks the table that silence.py --table prints")
    print(f"{sum(points.values())} cases of {len(points)} points")
    tools.finish()


if __name__ == "__main__":
    main()
