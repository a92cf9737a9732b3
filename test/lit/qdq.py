#!/usr/bin/env python3
"""Writes small quantized ONNX models for tests.

    qdq.py topk -o net.onnx

Models (the functions below) have a stored input x and what DequantizeLinear, one operator
or two, and QuantizeLinear make of it; `functions` is one of floats.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from onnx import dequantize, floats, integers, model, node, quantize, scaled, stored, value

ELEMENTS = {"b": 3, "B": 2, "f": 1, "i64": 7}


def stored_model(body, x, y, shape, result, more=b""):
    """Nodes from xd to yr; \p x and \p y are a struct code, a scale and a zero point."""
    return model(scaled("x", *x) + scaled("y", *y) + dequantize("xq", "x", "xd") + body +
                 quantize("yr", "y", "yq") + value(11, "xq", shape, ELEMENTS[x[0]]) +
                 value(12, "yq", result, ELEMENTS[y[0]]) + more)


def relu_sigmoid():
    """The table's operand has no negative values."""
    return stored_model(
        node("Relu", ["xd"], ["r"]) + scaled("m", "b", 0.25, 0) + quantize("r", "m", "mq") +
        dequantize("mq", "m", "md") + node("Sigmoid", ["md"], ["yr"]),
        ("b", 0.25, 0), ("B", 0.00390625, 0), [1, 64], [1, 64])


def relu_of_negative():
    """No stored integer is above 0."""
    form = ("b", 0.25, 127)
    return stored_model(node("Relu", ["xd"], ["yr"]), form, form, [1, 8], [1, 8])


def clip(least, most):
    return stored_model(
        floats("least", [], [least]) + floats("most", [], [most]) +
        node("Clip", ["xd", "least", "most"], ["yr"], "/clip"),
        ("b", 0.25, 0), ("B", 0.25, 3), [1, 8], [1, 8])


def clip_beyond():
    return clip(1000.0, 2000.0)


def clip_reversed():
    """All values are the upper bound."""
    return clip(5.0, 2.0)


def clip_tie():
    """The bound lies between two integers: 2.5 steps and the zero point are 5, 3.5 steps 7."""
    return clip(0.625, 0.875)


def conv_relu_constant():
    """A convolution's results are clamped to one integer."""
    return stored_model(
        stored("w", "b", [2, 1, 1, 1], [3, -3]) + scaled("w", "b", 0.5, 0) +
        dequantize("w", "w", "wd") + node("Conv", ["xd", "wd"], ["c"]) +
        node("Relu", ["c"], ["yr"]),
        ("b", 0.25, 0), ("B", 0.5, 255), [1, 1, 2, 2], [1, 2, 2, 2])


def topk():
    """Results of a scale that makes neighbours equal."""
    return stored_model(
        integers("k", [2]) + node("TopK", ["xd", "k"], ["yr", "where"]),
        ("b", 0.25, 0), ("b", 4.0, 0), [1, 4], [1, 2], value(12, "where", [1, 2], 7))


def pool_places():
    return stored_model(
        node("MaxPool", ["xd"], ["yr", "where"], kernel_shape=[1, 4]),
        ("b", 0.25, 0), ("b", 4.0, 0), [1, 1, 1, 4], [1, 1, 1, 1],
        value(12, "where", [1, 1, 1, 1], 7))


def pad_edge():
    form = ("b", 0.25, 5)
    return stored_model(
        integers("pads", [0, 2, 0, 1]) + node("Pad", ["xd", "pads"], ["yr"], mode="edge"),
        form, form, [1, 3], [1, 6])


def concat_float():
    """A branch that is not stored."""
    return stored_model(
        node("Concat", ["xd", "f"], ["yr"], axis=1), ("b", 0.25, 5), ("b", 0.5, 0), [1, 2],
        [1, 4], value(11, "f", [1, 2]))


def leaky():
    """A slope of a quarter: ties go to even."""
    return stored_model(
        node("LeakyRelu", ["xd"], ["yr"], alpha=0.25), ("b", 0.5, 0), ("b", 0.5, 0), [1, 8],
        [1, 8])


def pool_relu():
    """A maximum that is clamped, of a scale of its own."""
    return stored_model(
        node("MaxPool", ["xd"], ["p"], kernel_shape=[1, 2], strides=[1, 2]) +
        node("Relu", ["p"], ["yr"]),
        ("b", 0.25, 0), ("B", 0.5, 4), [1, 1, 1, 8], [1, 1, 1, 4])


def mean():
    """Means of two values, half of which are ties, of another scale than the input."""
    return stored_model(
        node("AveragePool", ["xd"], ["yr"], kernel_shape=[1, 2], strides=[1, 2]),
        ("b", 0.5, 3), ("B", 0.5, 128), [1, 1, 1, 8], [1, 1, 1, 4])


def mean_of_borders():
    """Windows at the border have fewer cells."""
    return stored_model(
        node("AveragePool", ["xd"], ["yr"], kernel_shape=[1, 3], pads=[0, 1, 0, 1]),
        ("b", 0.5, 0), ("b", 0.25, 1), [1, 1, 1, 4], [1, 1, 1, 4])


def resize():
    return stored_model(
        floats("scales", [4], [1, 1, 1, 2]) +
        node("Resize", ["xd", "", "scales"], ["yr"], mode="nearest",
             coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        ("b", 0.25, 0), ("b", 0.5, 1), [1, 1, 1, 4], [1, 1, 1, 8])


def bilinear(zero, coordinates="half_pixel"):
    form = ("b", 0.25, zero)
    return stored_model(
        floats("scales", [4], [1, 1, 1, 2]) +
        node("Resize", ["xd", "", "scales"], ["yr"], "/resize", mode="linear",
             coordinate_transformation_mode=coordinates),
        form, form, [1, 1, 1, 4], [1, 1, 1, 8])


def bilinear_even():
    """Weights of quarters, and halves of stored integers that are even ones of real numbers."""
    return bilinear(2)


def bilinear_odd():
    return bilinear(1)


def bilinear_corners():
    return bilinear(2, "align_corners")


def line_relu():
    """A convolution of one axis, which becomes one of two, and a Relu behind the move."""
    return stored_model(
        stored("w", "b", [1, 1, 2], [1, 2]) + scaled("w", "b", 1.0, 0) +
        dequantize("w", "w", "wd") + node("Conv", ["xd", "wd"], ["c"]) +
        node("Relu", ["c"], ["yr"]),
        ("b", 0.5, 1), ("B", 0.5, 7), [1, 1, 5], [1, 1, 4])


def transposed_relu():
    """Two groups, and a scale for each of a group's outputs."""
    return stored_model(
        floats("w_scale", [2], [1, 2]) + stored("w_zero", "b", [2], [0, 0]) +
        stored("w", "b", [2, 2, 1, 1], [1, 2, -1, 3]) +
        dequantize("w", "w", "wd", axis=1) +
        node("ConvTranspose", ["xd", "wd"], ["c"], group=2) + node("Relu", ["c"], ["yr"]),
        ("b", 0.5, 0), ("b", 0.5, -128), [1, 2, 1, 2], [1, 4, 1, 2])


def recurrent():
    """Two directions of two steps; the last states are stored, the first ones and all are not."""
    return stored_model(
        floats("w", [2, 1, 1], [1, 1]) + floats("r", [2, 1, 1], [-16, 0]) +
        node("RNN", ["xd", "w", "r"], ["all", "yr"], direction="bidirectional", hidden_size=1),
        ("b", 1, 0), ("b", 0.5, 0), [2, 1, 1], [2, 1, 1], value(12, "all", [2, 2, 1, 1]))


FUNCTIONS = "Tanh", "Sigmoid", "Softplus", "Elu", "HardSwish", "Exp", "HardSigmoid", "Softsign"


def functions():
    """Floats: functions of one value, behind a Relu and without."""
    body = node("Relu", ["x"], ["r"])
    for f in FUNCTIONS:
        body += node(f, ["x"], ["y" + f]) + node(f, ["r"], ["z" + f])
        body += value(12, "y" + f, [1, 64]) + value(12, "z" + f, [1, 64])
    return model(body + value(11, "x", [1, 64]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("-o", required=True)
    args = parser.parse_args()
    with open(args.o, "wb") as f:
        f.write(globals()[args.model]())


if __name__ == "__main__":
    main()
