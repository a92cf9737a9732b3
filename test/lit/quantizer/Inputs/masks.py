#!/usr/bin/env python3
"""Writes small ONNX models with masked scores, integers that count and peaks, and data for them.

    masks.py add -1e4 FOLDER      # FOLDER/net.onnx, FOLDER/x.npy ...
    masks.py where -inf FOLDER

All numbers come from one linear congruence: the same on every machine.
"""
import array
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../.."), os.path.join(HERE, "../../../e2e"),
                os.path.join(HERE, "../..")]
sys.dont_write_bytecode = True
import common
import onnx
from onnx import floats, integers, model, node, value

BOOL, INT32 = 9, 6
ROWS, LENGTH, WIDTH, SAMPLES = 6, 6, 8, 16
state = 1


def noise(count, scale=1.0):
    """Sums of four uniform numbers: nearly normal."""
    global state
    values = []
    for _ in range(count):
        total = 0
        for _ in range(4):
            state = (state * 1103515245 + 12345) % (1 << 31)
            total += state / (1 << 31) - 0.5
        values.append(scale * total * 1.7)
    return values


def data(folder, name, code, shape, values):
    common.write_npy(os.path.join(folder, name + ".npy"), shape, array.array(code, values))


def scores(folder):
    """q k / sqrt(width), from two inputs, and the values v."""
    for name, shape in (("q", [ROWS, WIDTH]), ("k", [WIDTH, LENGTH]), ("v", [LENGTH, WIDTH])):
        data(folder, name, "f", [SAMPLES] + shape, noise(SAMPLES * shape[0] * shape[1]))
    return (node("MatMul", ["q", "k"], ["s0"]) + node("Mul", ["s0", "root"], ["s"]) +
            floats("root", [], [WIDTH ** -0.5]) + value(11, "q", [1, ROWS, WIDTH]) +
            value(11, "k", [1, WIDTH, LENGTH]) + value(11, "v", [1, LENGTH, WIDTH]))


def product():
    return (node("Softmax", ["t"], ["p"], axis=-1) + node("MatMul", ["p", "v"], ["y"]) +
            value(12, "y", [1, ROWS, WIDTH]))


def add(masked, folder):
    """A causal mask as a constant that is added."""
    mask = [masked if j > i else 0.0 for i in range(ROWS) for j in range(LENGTH)]
    return (scores(folder) + node("Add", ["s", "mask"], ["t"]) + product() +
            floats("mask", [1, ROWS, LENGTH], mask))


def multiplied(masked, folder):
    """(1 - mask) * masked of a mask of integers, as encoders of text have it."""
    bits = [int(j < 3 + i % 4) for i in range(SAMPLES) for j in range(LENGTH)]
    data(folder, "m", "i", [SAMPLES, LENGTH], bits)
    return (scores(folder) + node("Cast", ["m"], ["f"], to=1) +
            node("Sub", ["one", "f"], ["n"]) + node("Mul", ["n", "masked"], ["b"]) +
            node("Unsqueeze", ["b", "axes"], ["c"]) + node("Add", ["s", "c"], ["t"]) + product() +
            floats("one", [], [1.0]) + floats("masked", [], [masked]) + integers("axes", [1]) +
            value(11, "m", [1, LENGTH], INT32))


def where(masked, folder):
    """Where chooses the masked number; a row of one sample has nothing else."""
    bits = [int(n == 0 and i != 2 or n and (i * 5 + j * 3 + n) % 4 != 0)
            for n in range(SAMPLES) for i in range(ROWS) for j in range(LENGTH)]
    data(folder, "m", "B", [SAMPLES, ROWS, LENGTH], bits)
    return (scores(folder) + node("Where", ["m", "s", "masked"], ["t"]) +
            node("Softmax", ["t"], ["p0"], axis=-1) + node("IsNaN", ["p0"], ["isnan"]) +
            node("Where", ["isnan", "zero", "p0"], ["p"]) + node("MatMul", ["p", "v"], ["y"]) +
            floats("masked", [], [masked]) + floats("zero", [], [0.0]) +
            value(11, "m", [1, ROWS, LENGTH], BOOL) + value(12, "y", [1, ROWS, WIDTH]))


def given(masked, folder):
    """The mask is an input of floats."""
    mask = [masked if j > (n + i) % 5 else 0.0
            for n in range(SAMPLES) for i in range(ROWS) for j in range(LENGTH)]
    data(folder, "m", "f", [SAMPLES, ROWS, LENGTH], mask)
    return (scores(folder) + node("Add", ["s", "m"], ["t"]) + product() +
            value(11, "m", [1, ROWS, LENGTH]))


def maximum(masked, folder):
    """The greatest of what is chosen, and a maximum with a number that changes nothing."""
    x = noise(SAMPLES * ROWS * LENGTH)
    data(folder, "x", "f", [SAMPLES, ROWS, LENGTH], x)
    data(folder, "m", "B", [SAMPLES, ROWS, LENGTH],
         [int((i * 7 + i // 5) % 3 != 0 or i % LENGTH == 2) for i in range(len(x))])
    return (
        node("Where", ["m", "x", "masked"], ["t"]) +
        node("ReduceMax", ["t"], ["y"], axes=[2], keepdims=1) +
        node("Max", ["masked", "x"], ["z0"]) + node("Relu", ["z0"], ["z"]) +
        floats("masked", [], [masked]) +
        value(11, "x", [1, ROWS, LENGTH]) + value(11, "m", [1, ROWS, LENGTH], BOOL) +
        value(12, "y", [1, ROWS, 1]) + value(12, "z", [1, ROWS, LENGTH]))


def read(masked, folder):
    """What is masked is read as it is."""
    data(folder, "x", "f", [SAMPLES, 4], noise(SAMPLES * 4))
    return (node("Min", ["x", "masked"], ["t"]) + node("Exp", ["t"], ["y"]) +
            floats("masked", [], [masked]) + value(11, "x", [1, 4]) + value(12, "y", [1, 4]))


def counts(_, folder):
    """Powers, sums of squares and running sums of integers, beside a real number."""
    data(folder, "a", "i", [SAMPLES, 12], [int(v * 2000) % 1200 - 600 for v in noise(SAMPLES * 12)])
    data(folder, "f", "f", [SAMPLES, 12], noise(SAMPLES * 12))
    return (node("Pow", ["a", "three"], ["p"]) + node("Mul", ["a", "a"], ["q"]) +
            node("ReduceSum", ["q", "axes"], ["s"], keepdims=1) +
            node("CumSum", ["a", "axis"], ["c"]) + node("Relu", ["f"], ["g"]) +
            onnx.stored("three", "i", [1], [3]) + integers("axes", [1]) +
            onnx.stored("axis", "i", [], [1]) + value(11, "a", [1, 12], INT32) + value(11, "f", [1, 12]) +
            value(12, "p", [1, 12], INT32) + value(12, "s", [1, 1], INT32) +
            value(12, "c", [1, 12], INT32) + value(12, "g", [1, 12]))


def peaks(_, folder):
    """x where it is the greatest of its neighbours."""
    size = 16
    blobs = []
    for n in range(SAMPLES):
        centres = [(3 + n % 5, 4 + n % 3), (11 - n % 4, 12 - n % 5), (12, 3 + n % 4)]
        for i in range(size):
            for j in range(size):
                near = min((i - a) ** 2 + (j - b) ** 2 + 0.13 * ((i + 2 * j + n) % 3)
                           for a, b in centres)
                blobs.append(6 - 0.12 * near)
    data(folder, "x", "f", [SAMPLES, 1, size, size], blobs)
    weights = [0.02] * 9
    weights[4] = 0.6
    return (node("Conv", ["x", "w"], ["h"], pads=[1, 1, 1, 1]) + node("Sigmoid", ["h"], ["x1"]) +
            node("MaxPool", ["x1"], ["m"], kernel_shape=[3, 3], pads=[1, 1, 1, 1],
                 strides=[1, 1]) +
            node("Equal", ["x1", "m"], ["e"]) + node("Cast", ["e"], ["k"], to=1) +
            node("Mul", ["x1", "k"], ["y"]) + floats("w", [1, 1, 3, 3], weights) +
            value(11, "x", [1, 1, size, size]) + value(12, "y", [1, 1, size, size]))


def main():
    name, masked, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    graph = globals()[name](float(masked), folder)
    with open(os.path.join(folder, "net.onnx"), "wb") as file:
        file.write(model(graph))


main()
