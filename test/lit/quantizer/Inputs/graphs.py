#!/usr/bin/env python3
"""Writes small ONNX models that the quantizer is tested with.

    graphs.py branches -o net.onnx
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.dont_write_bytecode = True
import onnx
from onnx import (dequantize, floats, integers, model, node, quantize, scaled, stored,
                  value)

INT8, INT32, BOOL = 3, 6, 9
WEIGHTS = [((i * 7) % 13 - 6) / 16 for i in range(16)]


def branches():
    """One of two products, as the sum of the input tells."""
    def branch(sign, name):
        return (node("Mul", ["x", sign], [name + "p"]) + node("Exp", [name + "p"], [name]) +
                value(12, name, [1, 4]))
    return model(
        node("ReduceSum", ["x"], ["m"], keepdims=0) + node("Greater", ["m", "zero"], ["k"]) +
        node("If", ["k"], ["y"], then_branch=branch("plus", "a"),
             else_branch=branch("minus", "b")) +
        floats("zero", [], [0]) + floats("plus", [], [0.5]) + floats("minus", [], [-1]) +
        value(11, "x", [1, 4]) + value(12, "y", [1, 4]))


def least():
    """The least of integers, their sum and difference."""
    return model(
        node("Min", ["a", "b"], ["y"]) + node("Add", ["a", "b"], ["s"]) +
        node("Sub", ["a", "b"], ["d"]) + node("Abs", ["d"], ["z"]) +
        value(11, "a", [2, 4], INT32) + value(11, "b", [2, 4], INT32) +
        value(12, "y", [2, 4], INT32) + value(12, "s", [2, 4], INT32) +
        value(12, "z", [2, 4], INT32))


def cast():
    """Integers of 32 bits that become fractions."""
    return model(
        node("Cast", ["x"], ["f"], to=1) + node("Div", ["f", "most"], ["n"]) +
        node("Sigmoid", ["n"], ["s"]) + node("MatMul", ["f", "w"], ["y"]) +
        floats("most", [], [255.0]) + floats("w", [4, 4], WEIGHTS) +
        value(11, "x", [2, 4], INT32) + value(12, "n", [2, 4]) + value(12, "s", [2, 4]) +
        value(12, "y", [2, 4]))


def padded():
    """Integers of 8 bits as floats, with a border that is beyond them."""
    return model(
        node("Cast", ["x"], ["f"], to=1) + node("Pad", ["f", "pads", "border"], ["y"]) +
        integers("pads", [0, 1, 0, 1]) + floats("border", [], [300.0]) +
        value(11, "x", [2, 4], INT8) + value(12, "y", [2, 6]))


def loop():
    """A sum that goes round, and its products, which a loop collects."""
    body = (node("Mul", ["v", "half"], ["h"]) + node("Add", ["h", "x"], ["w"]) +
            node("Mul", ["w", "w"], ["p"]) + node("Identity", ["c"], ["d"]) +
            value(11, "i", [], 7) + value(11, "c", [], BOOL) + value(11, "v", [1, 4]) +
            value(12, "d", [], BOOL) + value(12, "w", [1, 4]) + value(12, "p", [1, 4]))
    return model(
        node("Loop", ["n", "", "x"], ["y", "z"], body=body) + integers("n", [3]) +
        floats("half", [], [0.5]) + value(11, "x", [1, 4]) + value(12, "y", [1, 4]) +
        value(12, "z", [3, 1, 4]))


def tiny():
    """Values of 1e-9 and less through a product, a sum and a table."""
    return model(
        node("MatMul", ["x", "w"], ["p"]) + node("Mul", ["p", "small"], ["q"]) +
        node("Add", ["q", "p"], ["r"]) + node("Abs", ["r"], ["y"]) +
        floats("w", [4, 4], WEIGHTS) + floats("small", [], [0.5]) +
        value(11, "x", [2, 4]) + value(12, "y", [2, 4]))


def sine():
    """A sine of angles of many turns."""
    return model(
        node("Mul", ["x", "k"], ["a"]) + node("Sin", ["a"], ["b"]) + node("Add", ["b", "k"], ["y"]) +
        floats("k", [1, 8], [1 + i / 2 for i in range(8)]) +
        value(11, "x", [1, 8]) + value(12, "y", [1, 8]))


def log_softmax():
    """Logarithms of shares, from far below 0."""
    return model(
        node("MatMul", ["x", "w"], ["p"]) + node("LogSoftmax", ["p"], ["y"], axis=-1) +
        floats("w", [4, 4], WEIGHTS) + value(11, "x", [8, 4]) + value(12, "y", [8, 4]))


def tokens():
    """Rows of a table, which an input chooses."""
    return model(
        node("Gather", ["rows", "t"], ["r"]) + node("MatMul", ["r", "w"], ["y"]) +
        floats("rows", [8, 4], WEIGHTS + WEIGHTS[::-1]) + floats("w", [4, 4], WEIGHTS) +
        value(11, "t", [6], 7) + value(12, "y", [6, 4]))


def partial():
    """A product of floats, whose result is stored in 8 bits, and another one of that."""
    return model(
        node("MatMul", ["x", "w"], ["p"]) + scaled("s", "b", 0.0625, -28) +
        quantize("p", "s", "q") + dequantize("q", "s", "d") + scaled("t", "b", 0.03125, 0) +
        stored("v", "b", [4, 4], [int(32 * w) for w in WEIGHTS]) + dequantize("v", "t", "r") +
        node("MatMul", ["d", "r"], ["y"]) + floats("w", [4, 4], WEIGHTS) +
        value(11, "x", [1, 4]) + value(12, "y", [1, 4]))


def partial_image():
    """An image that is stored for one convolution, and not for a pool before another."""
    return model(
        scaled("s", "b", 0.0625, -28) + quantize("x", "s", "q") + dequantize("q", "s", "d") +
        node("Conv", ["d", "w"], ["y"]) + node("MaxPool", ["x"], ["p"], kernel_shape=[1, 1]) +
        node("Conv", ["p", "w"], ["z"]) + floats("w", [4, 4, 1, 1], WEIGHTS) +
        value(11, "x", [1, 4, 2, 2]) + value(12, "y", [1, 4, 2, 2]) + value(12, "z", [1, 4, 2, 2]))


def weights_alone():
    """Integer weights with scales, and no other tensor that is stored."""
    return model(
        scaled("s", "b", 0.03125, 0) + stored("w", "b", [4, 4], [int(32 * v) for v in WEIGHTS]) +
        dequantize("w", "s", "d") + node("MatMul", ["x", "d"], ["y"]) +
        value(11, "x", [1, 4]) + value(12, "y", [1, 4]))


def wide():
    """A product of more inputs than second moments are taken of at once."""
    weights = [((i * 37 + i // 8 * 11) % 29 - 14) / 29 for i in range(2500 * 8)]
    return model(
        node("MatMul", ["x", "w"], ["y"]) + floats("w", [2500, 8], weights) +
        value(11, "x", [1, 2500]) + value(12, "y", [1, 8]))


def mixed_columns():
    """Columns of 0 to 640 beside others of 0 to 1."""
    return model(
        node("MatMul", ["x", "w"], ["p"]) + node("Mul", ["p", "large"], ["b"]) +
        node("Sigmoid", ["p"], ["s"]) + node("Concat", ["b", "s"], ["y"], axis=1) +
        floats("w", [4, 4], WEIGHTS) + floats("large", [], [600.0]) +
        value(11, "x", [1, 4]) + value(12, "y", [1, 8]))
def spectrum():
    """A logarithm of powers that two products sum up."""
    return model(
        node("MatMul", ["x", "w"], ["re"]) + node("MatMul", ["x", "v"], ["im"]) +
        node("Mul", ["re", "re"], ["re2"]) + node("Mul", ["im", "im"], ["im2"]) +
        node("Add", ["re2", "im2"], ["p"]) + node("Log", ["p"], ["y"]) +
        floats("w", [4, 4], WEIGHTS) + floats("v", [4, 4], WEIGHTS[5:] + WEIGHTS[:5]) +
        value(11, "x", [8, 4]) + value(12, "y", [8, 4]))


def attention():
    """Softmax between two products, columns too, and a quotient."""
    return model(
        node("MatMul", ["x", "w"], ["q"]) + node("Softmax", ["q"], ["a"], axis=1) +
        node("MatMul", ["a", "w"], ["b"]) + node("Softmax", ["b"], ["c"], axis=0) +
        node("Abs", ["x"], ["m"]) + node("Add", ["m", "one"], ["n"]) + node("Div", ["c", "n"], ["y"]) +
        floats("w", [16, 16], [3 * WEIGHTS[(i * 5 + i // 16) % 16] for i in range(256)]) +
        floats("one", [], [1.0]) +
        value(11, "x", [16, 16]) + value(12, "y", [16, 16]))


def norm():
    """A norm whose epsilon is above most variances."""
    return model(
        node("LayerNormalization", ["x", "ones", "zeros"], ["y"], axis=-1, epsilon=0.01) +
        floats("ones", [16], [1.0] * 16) + floats("zeros", [16], [0.0] * 16) +
        value(11, "x", [4, 16]) + value(12, "y", [4, 16]))


def gated():
    """SiLU of products, joined with what is above 0, and a product of both."""
    return model(
        node("MatMul", ["x", "w"], ["p"]) + node("Sigmoid", ["p"], ["s"]) +
        node("Mul", ["p", "s"], ["g"]) + node("Relu", ["p"], ["r"]) +
        node("Concat", ["g", "r"], ["c"], axis=1) + node("MatMul", ["c", "v"], ["y"]) +
        floats("w", [4, 4], [9 * w for w in WEIGHTS]) +
        floats("v", [8, 4], [1 + w for w in WEIGHTS + WEIGHTS]) +
        value(11, "x", [8, 4]) + value(12, "y", [8, 4]))


def score():
    """A sigmoid, moved, that is an output."""
    return model(
        node("MatMul", ["x", "w"], ["p"]) + node("Add", ["p", "rare"], ["l"]) +
        node("Sigmoid", ["l"], ["s"]) + node("Reshape", ["s", "flat"], ["y"]) +
        floats("w", [4, 4], WEIGHTS) + floats("rare", [], [-3.0]) + integers("flat", [4]) +
        value(11, "x", [1, 4]) + value(12, "y", [4]))


def clipped():
    """A sum between bounds that its samples cross."""
    return model(
        node("Tanh", ["x"], ["t"]) + node("Add", ["x", "t"], ["s"]) +
        node("Clip", ["s", "least", "most"], ["y"]) +
        floats("least", [], [0.1]) + floats("most", [], [0.5]) +
        value(11, "x", [1, 4]) + value(12, "y", [1, 4]))


def scores():
    """Of classes, after a sigmoid; and what they are made of."""
    return model(
        node("MatMul", ["x", "w"], ["logits"]) + node("Sigmoid", ["logits"], ["scores"]) +
        floats("w", [4, 4], WEIGHTS) + value(11, "x", [1, 4]) +
        value(12, "scores", [1, 4]) + value(12, "logits", [1, 4]))


def pair():
    """Two inputs that cannot be mistaken for each other."""
    return model(
        node("Add", ["left", "right"], ["y"]) + node("Relu", ["left"], ["z"]) +
        value(11, "left", [1, 4]) + value(11, "right", [1, 4]) + value(12, "y", [1, 4]) +
        value(12, "z", [1, 4]))


def main():
    name, _, path = sys.argv[1:]
    with open(path, "wb") as file:
        file.write(globals()[name]())


main()
