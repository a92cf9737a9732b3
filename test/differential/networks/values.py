"""Inputs that are drawn, and results that are compared.

Example:
    files = write_inputs(graph, 7, "folder")
    problem = difference(expected, found, tolerance=1e-4)
"""
import array
import math
import os
import random
import zipfile

from graph import count
from npy import parse, write_npy

SAMPLES = 4


def drawn(value, known, seed):
    """All samples of an input: multiples of 1/8, some at the ends and at zero."""
    rng = random.Random("%d:%s" % (seed, value.name))
    n = SAMPLES * count(value.shape)
    if value.kind != "f32":
        lo, hi = (0, 1) if value.kind == "bool" else (known.lo, known.hi) if known else (-5, 5)
        lo, hi = max(int(lo), -100), min(int(hi), 100)
        kind = {"bool": "B", "i64": "i", "u8": "B", "i8": "b"}.get(value.kind, "i")
        return array.array(kind, (rng.randint(lo, hi) for _ in range(n)))
    lo, hi = (known.lo, known.hi) if known else (-4, 4)
    if hi - lo > 8:
        lo, hi = (max(lo, -4), min(hi, 4)) if lo < 4 and hi > -4 else (lo, lo + 8)
    step = 8 if hi - lo >= 1 else 64
    first, last = math.ceil(lo * step), math.floor(hi * step)
    if first > last:
        return array.array("f", (rng.uniform(lo, hi) for _ in range(n)))
    return array.array("f", (rng.randint(first, last) / step for _ in range(n)))


def write_inputs(graph, seed, folder):
    """A .npy for each input: their paths, and the values by name."""
    paths, values = [], {}
    for i, value in enumerate(graph.inputs):
        data = drawn(value, graph.known.get(value.name), seed)
        paths.append(os.path.join(folder, "x%d.npy" % i))
        write_npy(paths[-1], [SAMPLES * value.shape[0], *value.shape[1:]], data)
        values[value.name] = data
    return paths, values


def sample(graph, values, number):
    """One sample as the oracle takes it."""
    inputs = []
    for value in graph.inputs:
        n = count(value.shape)
        data = values[value.name][number * n:(number + 1) * n]
        if value.kind == "i64":
            data = array.array("q", data)
        inputs.append((value.name, value.kind, value.shape, data))
    return inputs


def read_npz(path):
    """[(name, shape, values)] in the order of the file."""
    arrays = []
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            shape, _, values = parse(archive.read(name))
            arrays.append((name[:-4], shape, values))
    return arrays


def difference(expected, found, tolerance, least=1e-2):
    """A text that says which values are wrong, relative to the largest expected one, or nothing.

    Ranges below \p least count as that.
    """
    if len(expected) != len(found):
        return "%d values in place of %d" % (len(found), len(expected))
    finite = [abs(v) for v in expected if math.isfinite(v)]
    limit = tolerance * max(max(finite, default=0), least)
    wrong = []
    for at, (a, b) in enumerate(zip(expected, found)):
        if math.isfinite(a) and math.isfinite(b):
            if abs(a - b) > limit:
                wrong.append((abs(a - b), at, a, b))
        elif not (a == b or math.isnan(a) and math.isnan(b)):
            wrong.append((math.inf, at, a, b))
    if not wrong:
        return ""
    _, at, a, b = max(wrong)
    return "%d of %d values differ, [%d] is %.7g and not %.7g" % (len(wrong), len(expected), at, b, a)


def mean_error(expected, found):
    """The mean difference by the largest expected value; infinite for other lengths."""
    if len(expected) != len(found):
        return math.inf
    pairs = [(a, b) for a, b in zip(expected, found) if math.isfinite(a) and math.isfinite(b)]
    most = max((abs(a) for a, _ in pairs), default=0)
    return sum(abs(a - b) for a, b in pairs) / len(pairs) / max(most, 1e-2) if pairs else 0
