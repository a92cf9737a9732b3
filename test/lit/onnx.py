#!/usr/bin/env python3
"""Writes small ONNX models for tests.

    onnx.py relu -o net.onnx
    onnx.py conv -o net.onnx --batch N     # an open first axis
    onnx.py conv -o net.onnx --identities  # an Identity behind every node

Models (the functions below): protobuf is written byte by byte, as test/OnnxBytes.h
does it for unit tests.
"""
import argparse
import struct


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, bytes):
        return field(1, name) + field(6, value) + field(20, 5)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    if value and isinstance(value[0], float):
        return field(1, name) + b"".join(field(7, v) for v in value) + field(20, 6)
    return field(1, name) + b"".join(field(8, v) for v in value) + field(20, 7)


def node_body(op, inputs, outputs, name="", **attributes):
    return (b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs) +
            field(3, name) + field(4, op) +
            b"".join(field(5, attribute(k, v)) for k, v in attributes.items()))


# With --identities: what follows a tensor reads its copy.
copies = None


def node(op, inputs, outputs, name="", **attributes):
    if copies is None:
        return field(1, node_body(op, inputs, outputs, name, **attributes))
    data = field(1, node_body(op, [copies.get(i, i) for i in inputs], outputs, name, **attributes))
    for output in outputs:
        copies[output] = output + "_copy"
        data += field(1, node_body("Identity", [output], [output + "_copy"]))
    return data


def value(number, name, shape, element=1):
    if number == 12 and copies is not None:
        name = copies.get(name, name)
    lengths = b"".join(field(1, field(2, n) if isinstance(n, str) else field(1, n))
                       for n in shape)
    return field(number, field(1, name) +
                 field(2, field(1, field(1, element) + field(2, lengths))))


def floats(name, shape, values):
    return field(5, b"".join(field(1, n) for n in shape) + field(2, 1) + field(8, name) +
                 field(9, struct.pack(f"<{len(values)}f", *values)))


def integers(name, values):
    return field(5, field(1, len(values)) + field(2, 7) + field(8, name) +
                 b"".join(field(7, v) for v in values))


def stored(name, kind, shape, values):
    """Integers of the struct code \p kind."""
    element = {"B": 2, "b": 3, "H": 4, "h": 5, "i": 6}[kind]
    return field(5, b"".join(field(1, n) for n in shape) + field(2, element) + field(8, name) +
                 field(9, struct.pack(f"<{len(values)}{kind}", *values)))


def scaled(name, kind, scale, zero):
    """A scale and a zero point, for the nodes that follow."""
    return floats(name + "_scale", [], [scale]) + stored(name + "_zero", kind, [], [zero])


def quantize(x, form, y, name=""):
    return node("QuantizeLinear", [x, form + "_scale", form + "_zero"], [y], name)


def dequantize(x, form, y, name="", **attributes):
    return node("DequantizeLinear", [x, form + "_scale", form + "_zero"], [y], name, **attributes)


def model(graph, opset=17, ir=8):
    return field(1, ir) + field(3, "test") + field(8, field(2, opset)) + field(7, graph)


def relu(batch):
    return model(node("Relu", ["x"], ["y"], "act") + value(11, "x", [batch, 4]) +
                 value(12, "y", [batch, 4]))


def conv(batch):
    """Two convolutions around a residual sum, a global mean and a classifier."""
    weights = [((i * 7) % 13 - 6) / 16 for i in range(4 * 4 * 9)]
    return model(
        node("Conv", ["x", "w1"], ["a"], "/stem/Conv", pads=[1, 1, 1, 1]) +
        node("Relu", ["a"], ["b"], "/stem/Relu") +
        node("Conv", ["b", "w2", "bias"], ["c"], "/block/Conv", pads=[1, 1, 1, 1]) +
        node("Add", ["c", "b"], ["d"], "/block/Add") +
        node("GlobalAveragePool", ["d"], ["e"], "/pool") +
        node("Flatten", ["e"], ["f"], "/flatten") +
        node("Gemm", ["f", "w3"], ["y"], "/classifier", transB=1) +
        floats("w1", [4, 2, 3, 3], weights[:72]) + floats("w2", [4, 4, 3, 3], weights) +
        floats("bias", [4], [0.5, -0.5, 0.25, 0]) + floats("w3", [3, 4], weights[:12]) +
        value(11, "x", [batch, 2, 6, 6]) + value(12, "y", [batch, 3]))


def norm(batch):
    """LayerNorm and GELU by their formulas."""
    return model(
        node("ReduceMean", ["x"], ["m"], axes=[-1]) + node("Sub", ["x", "m"], ["d"]) +
        node("Mul", ["d", "d"], ["p"]) + node("ReduceMean", ["p"], ["v"], axes=[-1]) +
        node("Add", ["v", "eps"], ["e"]) + node("Sqrt", ["e"], ["s"]) +
        node("Div", ["d", "s"], ["n"]) + node("Div", ["n", "root"], ["g"]) +
        node("Erf", ["g"], ["h"]) + node("Add", ["h", "one"], ["i"]) +
        node("Mul", ["n", "i"], ["j"]) + node("Mul", ["j", "half"], ["y"]) +
        floats("eps", [], [1e-5]) + floats("root", [], [2 ** 0.5]) +
        floats("one", [], [1]) + floats("half", [], [0.5]) +
        value(11, "x", [batch, 4]) + value(12, "y", [batch, 4]))


def control(batch):
    """A branch that depends on the input, and a loop."""
    then = node("Exp", ["x"], ["r"]) + value(12, "r", [])
    other = node("Abs", ["x"], ["s"]) + value(12, "s", [])
    body = (node("Add", ["v", "x"], ["w"]) + node("Identity", ["c"], ["d"]) +
            value(11, "i", [], 7) + value(11, "c", [], 9) + value(11, "v", [batch, 4]) +
            value(12, "d", [], 9) + value(12, "w", [batch, 4]))
    return model(
        node("ReduceMax", ["x"], ["m"], keepdims=0) + node("Greater", ["m", "zero"], ["k"]) +
        node("If", ["k"], ["a"], then_branch=then, else_branch=other) +
        node("Loop", ["n", "", "a"], ["y"], body=body) + floats("zero", [], [0]) +
        integers("n", [3]) + value(11, "x", [batch, 4]) + value(12, "y", [batch, 4]))


def until(batch):
    """A loop that its condition alone ends, when the greatest value is 150 or more."""
    body = (node("Add", ["v", "one"], ["w"]) + node("ReduceMax", ["w"], ["m"], keepdims=0) +
            node("Less", ["m", "limit"], ["d"]) + value(11, "i", [], 7) + value(11, "c", [], 9) +
            value(11, "v", [batch, 4]) + value(12, "d", [], 9) + value(12, "w", [batch, 4]))
    true = stored("true", "B", [], [1]).replace(field(2, 2), field(2, 9), 1)
    return model(node("Loop", ["", "true", "x"], ["y"], "/loop", body=body + field(2, "round")) +
                 floats("one", [], [1]) + floats("limit", [], [150]) + true + field(2, "until") +
                 value(11, "x", [batch, 4]) + value(12, "y", [batch, 4]))


def unknown(batch):
    return model(node("StringNormalizer", ["x"], ["a"], "words") +
                 node("Bernoulli", ["a"], ["b"], "coin1") +
                 node("Bernoulli", ["b"], ["y"], "coin2") +
                 value(11, "x", [batch, 4]) + value(12, "y", [batch, 4]))


def open_lengths(batch):
    return model(node("Relu", ["x"], ["y"], "act") +
                 value(11, "x", [batch, 2, "height", "width"]) +
                 value(12, "y", [batch, 2, "height", "width"]))


def form(batch):
    """Lengths that are known when it runs."""
    return model(node("Resize", ["x", "", "s"], ["y"], "up") + value(11, "x", [batch, 1, 4, 4]) +
                 value(11, "s", [4]) + value(12, "y", []), 18)


def bad(batch):
    return model(node("Softmax", ["x"], ["y"], "soft", axis=7) + value(11, "x", [batch, 4]) +
                 value(12, "y", []))


def circle(_):
    return model(node("Relu", ["b"], ["a"], "one") + node("Relu", ["a"], ["b"], "two") +
                 value(12, "a", [4]))


def old(batch):
    return relu(batch).replace(field(8, field(2, 17)), field(8, field(2, 5)))


def newer(batch):
    return b"\x08\x0f" + relu(batch)[2:]


def external(batch):
    data = field(13, field(1, "location") + field(2, "../secret.bin"))
    return model(node("Add", ["x", "w"], ["y"], "sum") +
                 field(5, field(1, 4) + field(2, 1) + field(8, "w") + data + field(14, 1)) +
                 value(11, "x", [batch, 4]) + value(12, "y", []))


def big(batch):
    return model(node("Add", ["x", "w"], ["y"], "sum") + integers("w", [1 << 40]) +
                 value(11, "x", [batch], 7) + value(12, "y", [], 7))


def picture(batch):
    """A picture of three channels, each with its own factor."""
    return model(node("Mul", ["x", "f"], ["y"], "factor") + floats("f", [3, 1, 1], [1, 2, 4]) +
                 value(11, "x", [batch, 3, 4, 4]) + value(12, "y", [batch, 3, 4, 4]))


def picture_last(batch):
    """The same with the channels last."""
    return model(node("Mul", ["x", "f"], ["y"], "factor") + floats("f", [3], [1, 2, 4]) +
                 value(11, "x", [batch, 4, 4, 3]) + value(12, "y", [batch, 4, 4, 3]))


def gray_picture(batch):
    """A picture of one channel."""
    return model(node("Neg", ["x"], ["y"], "minus") + value(11, "x", [batch, 1, 4, 4]) +
                 value(12, "y", [batch, 1, 4, 4]))


def halved_bgr(batch):
    """What RESIZE (bilinear) and RGB2BGR in front of picture compute."""
    return model(node("AveragePool", ["x"], ["a"], kernel_shape=[2, 2], strides=[2, 2]) +
                 node("Gather", ["a", "order"], ["b"], axis=1) +
                 node("Mul", ["b", "f"], ["y"]) + integers("order", [2, 1, 0]) +
                 floats("f", [3, 1, 1], [1, 2, 4]) + value(11, "x", [batch, 3, 8, 8]) +
                 value(12, "y", [batch, 3, 4, 4]))


def gray_last(batch):
    """What RESIZE (nearest) and BGR2GRAY in front of picture_last compute."""
    return model(node("Slice", ["x", "begin", "end", "axes", "steps"], ["a"]) +
                 node("Mul", ["a", "weights"], ["b"]) +
                 node("ReduceSum", ["b", "last"], ["c"]) + node("Mul", ["c", "f"], ["y"]) +
                 integers("begin", [0, 0]) + integers("end", [8, 8]) + integers("axes", [1, 2]) +
                 integers("steps", [2, 2]) + integers("last", [-1]) +
                 floats("weights", [3], [0.11, 0.59, 0.3]) + floats("f", [3], [1, 2, 4]) +
                 value(11, "x", [batch, 8, 8, 3]) + value(12, "y", [batch, 4, 4, 3]))


def gray_one(batch):
    """What RGB2GRAY in front of gray_picture computes."""
    return model(node("Mul", ["x", "weights"], ["b"]) +
                 node("ReduceSum", ["b", "first"], ["c"]) + node("Neg", ["c"], ["y"]) +
                 integers("first", [1]) + floats("weights", [3, 1, 1], [0.3, 0.59, 0.11]) +
                 value(11, "x", [batch, 3, 4, 4]) + value(12, "y", [batch, 1, 4, 4]))


def two_inputs(batch):
    return model(node("Add", ["x", "w"], ["y"], "sum") + value(11, "x", [batch, 3, 4, 4]) +
                 value(11, "w", [batch, 3, 4, 4]) + value(12, "y", [batch, 3, 4, 4]))


def rate(batch):
    """What is computed depends on a second input; the branch of 8 takes shapes of its own."""
    then = node("Identity", ["x"], ["r"]) + value(12, "r", [])
    other = node("Reshape", ["x", "eight"], ["s"]) + value(12, "s", [])
    return model(
        node("Equal", ["rate", "sixteen"], ["k"]) +
        node("If", ["k"], ["y"], then_branch=then, else_branch=other) +
        integers("sixteen", [16]) + integers("eight", [7]) + value(11, "x", [batch, 4]) +
        value(11, "rate", [1], 7) + value(12, "y", []))


def masked(batch):
    """Divided by how many entries of a mask count."""
    return model(
        node("ReduceSum", ["mask", "axes"], ["n"], keepdims=0) +
        node("Cast", ["n"], ["count"], to=1) + node("Div", ["x", "count"], ["y"], "mean") +
        integers("axes", [0, 1]) + value(11, "x", [batch, 4]) +
        value(11, "mask", [batch, "steps"], 7) + value(12, "y", [batch, 4]))


def ssd(batch):
    """Heads on one map of 4 x 4 cells: 3 anchors, 2 classes and the background."""
    def weights(count):
        return [((i * 5) % 11 - 5) / 8 for i in range(count)]
    corners = []
    for cell in range(16):
        y, x = (cell // 4 + 0.5) / 4, (cell % 4 + 0.5) / 4
        for h, w in ((0.1, 0.1), (0.2 / 2 ** 0.5, 0.2 * 2 ** 0.5), (0.2 * 2 ** 0.5, 0.2 / 2 ** 0.5)):
            corners += [y - h / 2, x - w / 2, y + h / 2, x + w / 2]
    return model(
        floats("anchors", [48, 4], corners) +
        node("Conv", ["x", "w1"], ["f"], "stem", strides=[2, 2], pads=[1, 1, 1, 1]) +
        node("Conv", ["f", "w2"], ["c"], "classes") + node("Conv", ["f", "w3"], ["d"], "deltas") +
        node("Transpose", ["c"], ["e"], perm=[0, 2, 3, 1]) +
        node("Transpose", ["d"], ["g"], perm=[0, 2, 3, 1]) +
        node("Reshape", ["e", "by3"], ["scores"], "scores") +
        node("Reshape", ["g", "by4"], ["boxes"], "boxes") + integers("by3", [batch, -1, 3]) +
        integers("by4", [batch, -1, 4]) + floats("w1", [4, 3, 3, 3], weights(108)) +
        floats("w2", [9, 4, 1, 1], weights(36)) + floats("w3", [12, 4, 1, 1], weights(48)) +
        value(11, "x", [batch, 3, 8, 8]) + value(12, "scores", [batch, 48, 3]) +
        value(12, "boxes", [batch, 48, 4]))


def yolo(batch):
    """Heads on two scales, 4 x 4 and 8 x 8 cells, of 3 anchors and 2 classes; a third one of
    16 x 16 cells is no output of the model."""
    def weights(count):
        return [((i * 5) % 11 - 5) / 8 for i in range(count)]
    return model(
        node("Conv", ["x", "w1"], ["f"], "fine", strides=[2, 2], pads=[1, 1, 1, 1]) +
        node("MaxPool", ["f"], ["g"], "coarse", kernel_shape=[2, 2], strides=[2, 2]) +
        node("Conv", ["g", "w2"], ["big"], "big") + node("Conv", ["f", "w3"], ["small"], "small") +
        node("Conv", ["x", "w4"], ["least"], "least") +
        floats("w4", [21, 3, 1, 1], weights(63)) +
        floats("w1", [4, 3, 3, 3], weights(108)) + floats("w2", [21, 4, 1, 1], weights(84)) +
        floats("w3", [21, 4, 1, 1], weights(84)[::-1]) + value(11, "x", [batch, 3, 16, 16]) +
        value(12, "big", [batch, 21, 4, 4]) + value(12, "small", [batch, 21, 8, 8]))


def quantized(batch):
    """A convolution with weights by channels, its activation, a pool, and a product, with
    floats as input and output."""
    weights = [(i * 7) % 251 - 125 for i in range(54)]
    return model(
        scaled("a", "b", 0.0625, -3) + scaled("b", "B", 0.125, 7) + scaled("c", "b", 0.5, 11) +
        scaled("v", "B", 0.03125, 128) +
        quantize("x", "a", "xq", "/in/Q") + dequantize("xq", "a", "xd") +
        floats("w_scale", [3], [0.03125, 0.0625, 0.015625]) + stored("w_zero", "b", [3], [0, 0, 0]) +
        stored("w", "b", [3, 2, 3, 3], weights) + dequantize("w", "w", "wd", axis=0) +
        floats("s_scale", [3], [2 ** -9, 2 ** -8, 2 ** -10]) +
        stored("s", "i", [3], [-1000, 0, 777]) +
        node("DequantizeLinear", ["s", "s_scale"], ["sd"], axis=0) +
        node("Conv", ["xd", "wd", "sd"], ["y1"], "/conv/Conv", pads=[1, 1, 1, 1]) +
        node("Relu", ["y1"], ["y2"], "/conv/Relu") +
        quantize("y2", "b", "bq") + dequantize("bq", "b", "bd") +
        node("MaxPool", ["bd"], ["p"], "/pool", kernel_shape=[2, 2], strides=[2, 2]) +
        node("Flatten", ["p"], ["f"], "/flatten") +
        stored("v", "B", [4, 27], [(i * 11) % 256 for i in range(108)]) +
        dequantize("v", "v", "vd") + node("Gemm", ["f", "vd"], ["g"], "/classifier", transB=1) +
        quantize("g", "c", "gq") + dequantize("gq", "c", "y", "/out/DQ") +
        value(11, "x", [batch, 2, 6, 6]) + value(12, "y", [batch, 4]))


def quantized_cast(batch):
    """A stored tensor whose numbers, not integers, are cast, as it is and after a move."""
    return model(
        scaled("a", "b", 0.0625, 3) + quantize("x", "a", "xq", "/in/Q") +
        dequantize("xq", "a", "xd", "/in/DQ") + node("Cast", ["xd"], ["h"], "/half", to=10) +
        node("Cast", ["h"], ["y"], "/float", to=1) +
        node("Reshape", ["xd", "shape"], ["r"], "/reshape") +
        node("Cast", ["r"], ["i"], "/integer", to=6) + node("Cast", ["i"], ["z"], "/again", to=1) +
        integers("shape", [batch, 2, 4]) + field(2, "cast") + value(11, "x", [batch, 8]) +
        value(12, "y", [batch, 8]) + value(12, "z", [batch, 2, 4]))


def quantized_ends(batch):
    """Integers as input and output."""
    return model(scaled("a", "B", 0.5, 3) + scaled("b", "b", 0.25, -4) +
                 dequantize("x", "a", "d") + node("Relu", ["d"], ["r"], "/act") +
                 quantize("r", "b", "y") + value(11, "x", [batch, 4], 2) +
                 value(12, "y", [batch, 4], 3))


def dynamic(batch):
    """A scale of run time."""
    return model(node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], "/q") +
                 node("DequantizeLinear", ["q", "s", "z"], ["d"], "/dq") +
                 node("Relu", ["d"], ["y"], "/act") + value(11, "x", [batch, 4]) +
                 value(12, "y", [batch, 4]))


def dynamic_conv(batch):
    """A convolution as quantize_dynamic writes it."""
    return model(
        node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], "/q") +
        node("ConvInteger", ["q", "w", "z", "wz"], ["p"], "/conv", pads=[1, 1, 1, 1]) +
        node("Cast", ["p"], ["f"], "/cast", to=1) + node("Mul", ["s", "ws"], ["t"], "/scales") +
        node("Mul", ["f", "t"], ["g"], "/scale") + node("Add", ["g", "b"], ["y"], "/bias") +
        stored("w", "b", [3, 2, 3, 3], [(i * 7) % 251 - 125 for i in range(54)]) +
        stored("wz", "b", [], [0]) + floats("ws", [], [1 / 512]) +
        floats("b", [1, 3, 1, 1], [0.5, -0.5, 0.25]) + value(11, "x", [batch, 2, 6, 6]) +
        value(12, "y", [batch, 3, 6, 6]))


def resized(batch):
    """A convolution, resized in all the ways that no layer of images does at once; and a mean
    that rounds up and counts pads."""
    weights = [((i * 7) % 13 - 6) / 16 for i in range(36)]
    return model(
        node("Conv", ["x", "w"], ["c"], "/conv", pads=[1, 1, 1, 1]) +
        node("Resize", ["c", "", "twice"], ["y"], "/cubic", mode="cubic") +
        node("Resize", ["c", "", "", "sizes"], ["v"], "/aspect", mode="linear", axes=[2, 3],
             keep_aspect_ratio_policy="not_larger") +
        node("Resize", ["c", "", "other"], ["u"], "/nearest") +
        node("Reshape", ["c", "cube"], ["d"], "/slices") +
        node("Resize", ["d", "", "all"], ["t"], "/volume", mode="linear") +
        node("AveragePool", ["c"], ["s"], "/mean", kernel_shape=[3, 3], strides=[2, 2],
             pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1) +
        floats("w", [2, 2, 3, 3], weights) + floats("twice", [4], [1, 1, 2, 2]) +
        floats("other", [4], [1, 1, 0.7, 1.3]) + floats("all", [5], [1, 1, 2, 2, 2]) +
        integers("sizes", [9, 10]) + integers("cube", [1, 2, 2, 4, 6]) +
        value(11, "x", [batch, 2, 8, 6]) +
        b"".join(value(12, name, []) for name in "yvuts"), 18)


def resized_integers(batch):
    """The nearest positions of stored integers, along two axes one after the other."""
    return model(
        scaled("a", "b", 0.0625, -3) + quantize("x", "a", "xq") + dequantize("xq", "a", "xd") +
        node("Resize", ["xd", "", "s"], ["r"], "/up") + quantize("r", "a", "rq") +
        dequantize("rq", "a", "y", "/out") + floats("s", [4], [1, 1, 0.7, 1.3]) +
        value(11, "x", [batch, 2, 8, 6]) + value(12, "y", []), 18)


def functions(batch):
    """A function that calls another: a number by the call, one by default."""
    def function(name, body, more=b""):
        return field(25, field(1, name) + field(4, "a") + field(5, "b") + field(10, "mine") +
                     body + more + field(9, field(2, 17)) +
                     field(9, field(1, "mine") + field(2, 1)))

    def mine(op, inputs, outputs, name, **attributes):
        return node_body(op, inputs, outputs, name, **attributes) + field(7, "mine")

    slope = field(5, field(1, "alpha") + field(21, "slope") + field(20, 1))
    leaky = field(7, node_body("LeakyRelu", ["a"], ["b"], "act") + slope)
    twice = (field(7, mine("Leaky", ["a"], ["m"], "first", slope=0.25)) +
             field(7, mine("Leaky", ["m"], ["b"], "second")))
    graph = (field(1, mine("Twice", ["x"], ["y"], "call")) + value(11, "x", [batch, 4]) +
             value(12, "y", [batch, 4]))
    return (model(graph) + field(8, field(1, "mine") + field(2, 1)) + function("Twice", twice) +
            function("Leaky", leaky, field(11, attribute("slope", 0.5))))


def swish_clip(batch):
    """A convolution and an operator of another domain, which a plugin has."""
    weights = [((i * 7) % 13 - 6) / 16 for i in range(4 * 4 * 9)]
    custom = field(1, node_body("SwishClip", ["a"], ["y"], "/act", alpha=2.0, limit=1.5) +
                   field(7, "com.example"))
    graph = (node("Conv", ["x", "w"], ["a"], "/conv", pads=[1, 1, 1, 1]) + custom +
             floats("w", [4, 4, 3, 3], weights) + value(11, "x", [batch, 4, 8, 8]) +
             value(12, "y", [batch, 4, 8, 8]))
    return (field(1, 8) + field(3, "test") + field(8, field(2, 17)) +
            field(8, field(1, "com.example") + field(2, 1)) + field(7, graph))


def attribute_twice(batch):
    """Softmax along two axes."""
    body = node_body("Softmax", ["x"], ["y"], "soft", axis=1) + field(5, attribute("axis", 0))
    return model(field(1, body) + value(11, "x", [batch, 4]) + value(12, "y", [batch, 4]))


def stated_output(batch):
    return model(node("Relu", ["x"], ["y"], "act") + value(11, "x", [batch, 4]) +
                 value(12, "y", [batch, 5]))


def stated_inside(batch):
    return model(node("Relu", ["x"], ["a"], "act") + node("Abs", ["a"], ["y"], "abs") +
                 value(13, "a", [batch, 1, 4]) + value(11, "x", [batch, 4]) +
                 value(12, "y", [batch, 4]))


def bias(batch):
    """A product of one column, and a bias of ten values."""
    return model(node("Gemm", ["x", "w", "b"], ["y"], "fc") + floats("w", [4, 1], [1] * 4) +
                 floats("b", [10], [1] * 10) + value(11, "x", [10, 4]) + value(12, "y", []))


def weighted(constant, op="MatMul"):
    return model(node(op, ["x", "w"], ["y"], "n") + floats("w", [4, 4], constant + [0] * 14) +
                 value(11, "x", [4, 4]) + value(12, "y", [4, 4]))


def nan_weights(_):
    return weighted([1, float("nan")])


def infinite_weights(_):
    return weighted([1, float("-inf")])


def mask(_):
    return weighted([1, float("-inf")], "Add")


def positive_mask(_):
    return weighted([1, float("inf")], "Add")


def least(_):
    return weighted([1, float("inf")], "Min")


def crop(batch):
    """What is taken of x is said by inputs."""
    return model(node("Slice", ["x", "starts", "ends"], ["y"], "crop") +
                 value(11, "x", [8, 8]) + value(11, "starts", [2], 7) +
                 value(11, "ends", [2], 7) + value(12, "y", ["h", "w"]))


def unknown_inside(batch):
    """Two operators that nobody knows, between nodes, and an output beside."""
    return model(node("Relu", ["x"], ["a"], "first") + node("Bernoulli", ["a"], ["b"], "coin") +
                 node("Abs", ["b"], ["c"], "between") +
                 node("Multinomial", ["c", "a"], ["d"], "dice") +
                 node("Neg", ["d"], ["y"], "last") + node("Exp", ["a"], ["z"], "beside") +
                 value(13, "d", [batch, 4]) + value(11, "x", [batch, 4]) +
                 value(12, "y", [batch, 4]) + value(12, "z", [batch, 4]))


def two_externals(batch):
    """Three constants whose data are in a file beside it."""
    def far(name, at):
        data = (field(13, field(1, "location") + field(2, "data.bin")) +
                field(13, field(1, "offset") + field(2, str(at))))
        return field(5, field(1, 4) + field(2, 1) + field(8, name) + data + field(14, 1))
    return model(node("Add", ["x", "u"], ["a"]) + node("Add", ["a", "v"], ["b"]) +
                 node("Add", ["b", "w"], ["y"]) + far("u", 0) + far("v", 16) + far("w", 32) +
                 value(11, "x", [batch, 4]) + value(12, "y", [batch, 4]))


def wrapping(element):
    """Integers beyond their type's ends."""
    graph = b"".join(node(op, ["a", "b"], [op.lower()]) + value(12, op.lower(), [4], element)
                     for op in ("Add", "Sub", "Mul"))
    return model(graph + value(11, "a", [4], element) + value(11, "b", [4], element))


def wrapping_int8(_):
    return wrapping(3)


def wrapping_uint8(_):
    return wrapping(2)


def wrapping_uint16(_):
    return wrapping(4)


def spread(count, size):
    """Values between -size and size that are the same every time."""
    return [size * ((i * 37 + 11) % 101 - 50) / 50 for i in range(count)]


def window(batch, kept="cache", becomes="new_cache"):
    """A convolution over the last three frames, two of which it keeps."""
    return model(
        node("Concat", [kept, "x"], ["frames"], "/join", axis=2) +
        node("Conv", ["frames", "w", "b"], ["sums"], "/conv", pads=[0, 1, 0, 1]) +
        node("Relu", ["sums"], ["y"], "/act") +
        node("Slice", ["frames", "one", "three", "axis"], [becomes], "/slide") +
        floats("w", [6, 4, 3, 3], spread(216, 0.3)) + floats("b", [6], spread(6, 0.1)) +
        integers("one", [1]) + integers("three", [3]) + integers("axis", [2]) +
        value(11, "x", [batch, 4, 1, 8]) + value(11, kept, [batch, 4, 2, 8]) +
        value(12, "y", [batch, 6, 1, 8]) + value(12, becomes, [batch, 4, 2, 8]))


def frames(batch):
    """The same convolution over frames that are all there."""
    return model(
        node("Conv", ["x", "w", "b"], ["sums"], "/conv", pads=[0, 1, 0, 1]) +
        node("Relu", ["sums"], ["y"], "/act") +
        floats("w", [6, 4, 3, 3], spread(216, 0.3)) + floats("b", [6], spread(6, 0.1)) +
        value(11, "x", [1, 4, batch, 8]) + value(12, "y", []))


CELLS = 12


def cell(batch, kept="h", becomes="h_next"):
    """A gated cell: z = sigmoid(x Wz + h Uz), n = tanh(x Wn + h Un), h' = z h + (1 - z) n."""
    def gate(name, function):
        return (node("MatMul", ["x", "W" + name], [name + "_x"], "/x" + name) +
                node("MatMul", [kept, "U" + name], [name + "_h"], "/h" + name) +
                node("Add", [name + "_x", name + "_h"], [name + "_s"], "/sum" + name) +
                node(function, [name + "_s"], [name], "/" + name) +
                floats("W" + name, [8, CELLS], spread(8 * CELLS, 0.4)) +
                floats("U" + name, [CELLS, CELLS], spread(CELLS * CELLS, 0.3)))
    return model(
        gate("z", "Sigmoid") + gate("n", "Tanh") + node("Mul", ["z", kept], ["zh"], "/keep") +
        node("Sub", ["one", "z"], ["rest"], "/rest") +
        node("Mul", ["rest", "n"], ["rn"], "/renew") +
        node("Add", ["zh", "rn"], [becomes], "/next") +
        node("MatMul", [becomes, "V"], ["y"], "/out") +
        floats("one", [1], [1.0]) + floats("V", [CELLS, 3], spread(3 * CELLS, 0.5)) +
        value(11, "x", [batch, 8]) + value(11, kept, [batch, CELLS]) +
        value(12, "y", [batch, 3]) + value(12, becomes, [batch, CELLS]))


def scaled_cell(batch):
    """A leaky sum between scales, one before the sum and another behind it."""
    return model(
        scaled("a", "b", 0.0625, -3) + scaled("b", "b", 0.125, 5) + scaled("c", "b", 0.2, 7) +
        quantize("x", "a", "xq") + dequantize("xq", "a", "xd") +
        quantize("h", "b", "hq") + dequantize("hq", "b", "hd") +
        node("Mul", ["hd", "half"], ["kept"]) + quantize("kept", "b", "kq") +
        dequantize("kq", "b", "kd") + node("Add", ["xd", "kd"], ["sum"], "/sum") +
        quantize("sum", "c", "sq") + dequantize("sq", "c", "h_next") +
        node("Relu", ["h_next"], ["r"], "/act") + quantize("r", "c", "rq") +
        dequantize("rq", "c", "y") + floats("half", [1], [0.5]) +
        value(11, "x", [batch, 8]) + value(11, "h", [batch, 8]) +
        value(12, "y", [batch, 8]) + value(12, "h_next", [batch, 8]))


def delays(batch):
    """A sum of the last three inputs: each state becomes the one before it."""
    return model(
        node("Add", ["x", "a"], ["t"]) + node("Add", ["t", "b"], ["y"]) +
        node("Identity", ["x"], ["new_a"]) + node("Identity", ["a"], ["new_b"]) +
        b"".join(value(11, name, [batch, 4]) for name in ("x", "a", "b")) +
        b"".join(value(12, name, [batch, 4]) for name in ("y", "new_a", "new_b")))


def caches(batch):
    """Two states whose names differ by a number."""
    return model(
        b"".join(node("Add", ["x", f"past.{i}"], [f"present.{i}"], f"/add{i}") +
                 value(11, f"past.{i}", [batch, 4]) + value(12, f"present.{i}", [batch, 4])
                 for i in range(2)) +
        node("Add", ["present.0", "present.1"], ["y"]) + value(11, "x", [batch, 4]) +
        value(12, "y", [batch, 4]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("-o", required=True)
    parser.add_argument("--batch", default="1")
    parser.add_argument("--truncate", type=int, default=0)
    parser.add_argument("--identities", action="store_true")
    args = parser.parse_args()
    if args.identities:
        global copies
        copies = {}
    batch = int(args.batch) if args.batch.isdigit() else args.batch
    data = globals()[args.model](batch)
    with open(args.o, "wb") as f:
        f.write(data[:len(data) - args.truncate])


if __name__ == "__main__":
    main()
