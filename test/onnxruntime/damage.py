"""Damaged contexts: what becomes of a session whose compiled part was changed.

Bits flip, bytes change, files are cut, grow, or lose a block. None of them may crash. One is refused
with the code of a damaged executable, whatever it was; one whose checksums were made to fit is
refused, stops with a code, or computes something.
"""
import random
import re
import subprocess

COUNT = 500
SEALED = 200


def damaged(rng, good):
    """A copy of good that is not the same."""
    bad = bytearray(good)
    kind = rng.randrange(6)
    at = rng.randrange(len(bad))
    length = rng.randrange(1, 64)
    if kind == 0:
        bad[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        for _ in range(rng.randrange(2, 9)):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
    elif kind == 2:
        del bad[at:]
    elif kind == 3:
        bad[at:at + length] = bytes(len(bad[at:at + length]))
    elif kind == 4:
        del bad[at:at + length]
    else:
        bad[at:at] = bad[at // 2:at // 2 + length] or b"\0"
    return bytes(bad) if bad != good else damaged(rng, good)


def outcomes(check, context, part, contents):
    """A line of the host for each content in the place of the file part."""
    with open(part, "rb") as file:
        good = file.read()
    for n, content in enumerate(contents):
        check.write(f"{part}.{n}", content)
    printed = check.host("damaged", context, part, 0, len(contents) - 1, "budget=2000000")
    with open(part, "wb") as file:
        file.write(good)
    lines = re.split(r"^(?=\d+: (?:refused|stopped|equal|other))", printed, flags=re.M)
    lines = [line for line in lines if re.match(r"\d+: ", line)]
    check.check(len(lines) == len(contents), f"{len(lines)} of {len(contents)} contexts came to an end")
    return lines


def sealed(seal, check, content):
    """The same with checksums that fit."""
    changed, fits = check.write("changed.bin", content), check.path("sealed.bin")
    subprocess.run([seal, changed, fits], check=True)
    with open(fits, "rb") as file:
        return file.read()


def check_damage(check, context, part, seal=None):
    """Of a context that has its part in a file."""
    rng = random.Random(50)
    with open(part, "rb") as file:
        good = file.read()
    lines = outcomes(check, context, part, [damaged(rng, good) for _ in range(COUNT)])
    for line in lines:
        check.check(re.search(r": refused: .*\berror E070[14]: ", line, re.S), "a damaged context: " + line)
    print(f"{len(lines)} damaged contexts: each refused with a code")
    if not seal:
        return
    lines = outcomes(check, context, part, [sealed(seal, check, damaged(rng, good)) for _ in range(SEALED)])
    for line in lines:
        check.check(re.search(r": (?:equal|other)|\berror E\d{4}: ", line), "a sealed context: " + line)
    ends = [line.split()[1].strip(":") for line in lines]
    print(f"{len(lines)} damaged contexts with checksums that fit: " +
          ", ".join(f"{ends.count(end)} {end}" for end in sorted(set(ends))))
