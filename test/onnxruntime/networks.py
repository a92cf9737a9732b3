"""Small networks for the checks of the provider: bytes of ONNX models."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lit"))
import onnx


def determinants():
    """Three operators that Yarrow does not have, with layers before, between and after them."""
    weights = [((i * 7) % 13 - 6) / 16 for i in range(4 * 4 * 9)]
    graph = (onnx.node("Conv", ["x", "w1"], ["c0"], "/stem/Conv", pads=[1, 1, 1, 1]) +
             onnx.node("Tanh", ["c0"], ["t0"], "/stem/Tanh"))
    for i in range(3):
        graph += (onnx.node("Det", [f"t{i}"], [f"d{i}"], f"/det{i}") +
                  onnx.node("Reshape", [f"d{i}", "shape"], [f"r{i}"], f"/reshape{i}") +
                  onnx.node("Add", [f"r{i}", f"t{i}"], [f"a{i}"], f"/add{i}") +
                  onnx.node("Tanh", [f"a{i}"], [f"t{i + 1}"], f"/tanh{i}"))
    graph += onnx.node("Conv", ["t3", "w2"], ["y"], "/last/Conv", pads=[1, 1, 1, 1])
    graph += onnx.floats("w1", [4, 2, 3, 3], weights[:72]) + onnx.floats("w2", [4, 4, 3, 3], weights)
    graph += onnx.integers("shape", [1, 4, 1, 1])
    for i in range(3):
        graph += onnx.value(13, f"d{i}", [1, 4])
    return onnx.model(graph + onnx.value(11, "x", [1, 2, 6, 6]) + onnx.value(12, "y", [1, 4, 6, 6]))


def between():
    """An operator that Yarrow does not have between two convolutions; it decides little."""
    weights = [((i * 7) % 13 - 6) / 16 for i in range(4 * 4 * 9)]
    return onnx.model(
        onnx.node("Conv", ["x", "w1"], ["c"], "/stem/Conv", pads=[1, 1, 1, 1]) +
        onnx.node("Tanh", ["c"], ["t"], "/tanh") + onnx.node("Det", ["t"], ["d"], "/det") +
        onnx.node("Mul", ["d", "little"], ["m"], "/mul") +
        onnx.node("Reshape", ["m", "shape"], ["r"], "/reshape") +
        onnx.node("Add", ["r", "t"], ["a"], "/add") +
        onnx.node("Conv", ["a", "w2"], ["y"], "/last/Conv", pads=[1, 1, 1, 1]) +
        onnx.floats("w1", [4, 2, 3, 3], weights[:72]) + onnx.floats("w2", [4, 4, 3, 3], weights) +
        onnx.floats("little", [], [0.01]) + onnx.integers("shape", [1, 4, 1, 1]) +
        onnx.value(13, "d", [1, 4]) + onnx.value(11, "x", [1, 2, 6, 6]) +
        onnx.value(12, "y", [1, 4, 6, 6]))


def qdq_around():
    """A quantized network with an operator in the middle that Yarrow does not have."""
    weights = [(i * 7) % 251 - 125 for i in range(36)]
    return onnx.model(
        onnx.scaled("a", "b", 0.0078125, 0) + onnx.scaled("b", "b", 0.0625, 3) +
        onnx.scaled("c", "B", 0.03125, 128) +
        onnx.quantize("x", "a", "xq", "/in/Q") + onnx.dequantize("xq", "a", "xd", "/in/DQ") +
        onnx.scaled("w", "b", 0.0078125, 0) + onnx.stored("wq", "b", [2, 2, 3, 3], weights) +
        onnx.dequantize("wq", "w", "wd", "/w/DQ") +
        onnx.node("Conv", ["xd", "wd"], ["y1"], "/conv/Conv", pads=[1, 1, 1, 1]) +
        onnx.quantize("y1", "b", "y1q", "/conv/Q") + onnx.dequantize("y1q", "b", "y1d", "/conv/DQ") +
        onnx.node("Det", ["y1d"], ["d"], "/det") + onnx.node("Tanh", ["d"], ["t"], "/tanh") +
        onnx.quantize("t", "c", "tq", "/t/Q") + onnx.dequantize("tq", "c", "td", "/t/DQ") +
        onnx.node("Add", ["td", "td"], ["s"], "/add") + onnx.quantize("s", "c", "sq", "/s/Q") +
        onnx.dequantize("sq", "c", "y", "/out/DQ") + onnx.value(13, "d", [1, 2]) +
        onnx.value(11, "x", [1, 2, 4, 4]) + onnx.value(12, "y", [1, 2]))


def branches():
    """A branch and a loop, which read tensors from outside of them."""
    then = (onnx.node("Mul", ["x", "two"], ["t"]) + onnx.floats("two", [], [2]) +
            onnx.value(12, "t", [1, 4]) + onnx.field(2, "then"))
    other = (onnx.node("Sub", ["x", "zero"], ["e"]) + onnx.value(12, "e", [1, 4]) +
             onnx.field(2, "other"))
    body = (onnx.node("Add", ["v", "x"], ["w"]) + onnx.node("Identity", ["c"], ["d"]) +
            onnx.value(11, "i", [], 7) + onnx.value(11, "c", [], 9) + onnx.value(11, "v", [1, 4]) +
            onnx.value(12, "d", [], 9) + onnx.value(12, "w", [1, 4]) + onnx.field(2, "body"))
    return onnx.model(
        onnx.node("ReduceMax", ["x"], ["m"], keepdims=0) + onnx.node("Greater", ["m", "zero"], ["k"]) +
        onnx.node("If", ["k"], ["a"], then_branch=then, else_branch=other) +
        onnx.node("Loop", ["n", "", "a"], ["y"], body=body) + onnx.floats("zero", [], [0]) +
        onnx.integers("n", [3]) + onnx.field(2, "branches") + onnx.value(11, "x", [1, 4]) +
        onnx.value(12, "y", [1, 4]))


def rounds():
    """A loop whose result has a shape that nobody states, and layers after it."""
    body = (onnx.node("Mul", ["v", "x"], ["p"]) + onnx.node("Add", ["p", "x"], ["w"]) +
            onnx.node("Identity", ["c"], ["d"]) + onnx.value(11, "i", [], 7) + onnx.value(11, "c", [], 9) +
            onnx.value(11, "v", ["a", "b"]) + onnx.value(12, "d", [], 9) + onnx.value(12, "w", ["a", "b"]) +
            onnx.field(2, "round"))
    return onnx.model(
        onnx.node("Loop", ["n", "", "x"], ["l"], "/loop", body=body) +
        onnx.node("Tanh", ["l"], ["t"], "/tanh") + onnx.node("Add", ["t", "x"], ["y"], "/add") +
        onnx.integers("n", [5]) + onnx.field(2, "rounds") + onnx.value(11, "x", [2, 4]) +
        onnx.value(12, "y", ["p", "q"]))


def suppression(least=0.5):
    """As many boxes as are kept, of up to 15; none has a score of 1 or more."""
    return onnx.model(
        onnx.node("Relu", ["s"], ["r"], "/relu") +
        onnx.node("NonMaxSuppression", ["b", "r", "m", "iou", "st"], ["i"], "/nms") +
        onnx.node("Cast", ["i"], ["f"], "/cast", to=1) + onnx.node("Tanh", ["f"], ["y"], "/tanh") +
        onnx.integers("m", [15]) + onnx.floats("iou", [1], [0.1]) + onnx.floats("st", [1], [least]) +
        onnx.value(11, "b", [1, 20, 4]) + onnx.value(11, "s", [1, 1, 20]) +
        onnx.value(12, "y", ["n", 3]))


def overridable():
    """A constant that a run may replace: it is among the inputs."""
    return onnx.model(onnx.node("Mul", ["x", "k"], ["y"], "/mul") + onnx.floats("k", [1, 4], [1, 2, 3, 4]) +
                      onnx.value(11, "x", [1, 4]) + onnx.value(11, "k", [1, 4]) +
                      onnx.value(12, "y", [1, 4]))
