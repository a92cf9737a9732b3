"""Executables with one flipped bit: each is refused, or has no effect on outputs.

Compiles the example network, flips single bits of the executable (seeded; the
header's and the checksums' among them) and runs what comes of it. Without
checksums, 125 of 400 such files gave other outputs without a word.

Example:
    python3 damage.py --yarrow build/bin/yarrow
"""
import collections
import os
import random
import re
import subprocess

import common

FLIPS = 400
# "error E0704: the executable was changed in part 'note weight'"
REFUSAL = re.compile(r"error (E07\d\d): ([^\n]*)")


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    digits = os.path.join(tools.root, "examples", "digits")
    inputs = os.path.join(digits, "heldout.npy")
    executable = tools.path("aipu.bin")
    tools.yarrow("quantize", "--recipe", "compass", os.path.join(digits, "digits.txt"), "-c",
                 os.path.join(digits, "calibration.npy"), "-o", tools.path("out"))
    tools.yarrow("compile", tools.path("out", "digits_o.txt"), "-o", executable)
    tools.yarrow("run", executable, "-i", inputs, "-o", tools.path("good.npy"))
    with open(tools.path("good.npy"), "rb") as f:
        good = f.read()
    with open(executable, "rb") as f:
        whole = f.read()
    source = random.Random(4)
    changed, output = tools.path("changed.bin"), tools.path("changed.npy")
    outcomes = collections.Counter()
    for k in range(FLIPS):
        # A tenth in the header, a tenth in the checksums: small parts.
        begin, end = ((0, 52) if k % 10 == 0 else (len(whole) - 600, len(whole))
                      if k % 10 == 1 else (0, len(whole)))
        at, bit = source.randrange(begin, end), source.randrange(8)
        data = bytearray(whole)
        data[at] ^= 1 << bit
        with open(changed, "wb") as f:
            f.write(data)
        done = subprocess.run([tools.program, "run", changed, "-i", inputs, "-o", output],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        what = "bit %d of byte %d" % (bit, at)
        if done.returncode == 0:
            with open(output, "rb") as f:
                tools.check(f.read() == good, what + " gives other outputs")
            outcomes["no effect"] += 1
            continue
        refusal = REFUSAL.search(done.stderr)
        tools.check(refusal and done.returncode > 0 and not os.path.exists(output),
                    "%s: code %d\n%s" % (what, done.returncode, done.stderr))
        outcomes[refusal.group(1) if refusal else "?"] += 1
    print(", ".join("%s: %d" % item for item in sorted(outcomes.items())))
    tools.finish()


if __name__ == "__main__":
    main()
