#!/usr/bin/env python3
"""Writes small TFLite models for tests.

    tflite.py conv -o net.tflite                 # one of the models below
    tflite.py conv -o half.tflite --truncate 90
    tflite.py operator ADD -o add.tflite         # one operator (tflite_cases.py)
    tflite.py operators -o FOLDER                # all of them
    tflite.py function TANH -o tanh.tflite       # one of int8

A flatbuffer is written table by table: a table with its vtable before it, what
it points to behind it. Numbers of operators and of options' fields are those of
the reader's records (parser/tflite/*.def); real models are read in
test/conformance.
"""
import argparse
import os
import re
import struct

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TYPES = {"float32": (0, "f"), "float16": (1, "e"), "int32": (2, "i"), "uint8": (3, "B"),
         "int64": (4, "q"), "string": (5, "B"), "bool": (6, "B"), "int16": (7, "h"),
         "int8": (9, "b"), "resource": (13, "B"), "uint32": (15, "I"), "int4": (17, None)}
KINDS = {"Byte": "b", "Int": "i", "Float": "f"}


def records(file, pattern):
    with open(os.path.join(ROOT, "parser/tflite", file), encoding="utf-8") as f:
        return re.findall(pattern, f.read(), re.MULTILINE)


BUILTINS = {name: (int(number), options) for number, name, options in
            records("Operators.def", r"^BUILTIN\((\d+), (\w+), (\w+),")}
BUILTINS.update({name: (int(number), "None") for number, name in
                 records("Operators.def", r"^REFUSED\((\d+), (\w+),")})
UNION = {name: int(number) for name, number in
         records("Options.def", r"^OPTIONS\((\w+), (\d+)\)")}
FIELDS = {}
for table, name, field, kind in records("Options.def", r"^FIELD\((\w+), (\w+), (\d+), (\w+),"):
    FIELDS.setdefault(table, {})[name] = (int(field), kind)


class Number:
    def __init__(self, form, value):
        self.form, self.value = form, value
        self.size = struct.calcsize("<" + form)


class List:
    """Of numbers; bytes and texts are lists, too."""

    def __init__(self, form, values, align=4):
        self.data = values if isinstance(values, bytes) else struct.pack(
            f"<{len(values)}{form}", *values)
        self.count, self.align = len(self.data) // struct.calcsize("<" + form), align


def text(value):
    return List("B", value.encode())


class Writer:
    def __init__(self):
        self.data = bytearray()

    def align(self, size, ahead=0):
        while (len(self.data) + ahead) % size:
            self.data.append(0)

    def patch(self, at, target):
        struct.pack_into("<I", self.data, at, target - at)

    def put(self, value):
        """Where it begins. None, a dict {field: value}, a List or a list of these."""
        if isinstance(value, dict):
            return self.table({k: v for k, v in value.items() if v is not None})
        if isinstance(value, List):
            self.align(value.align, 4)
            at = len(self.data)
            self.data += struct.pack("<I", value.count) + value.data
            return at
        self.align(4)
        at = len(self.data)
        self.data += struct.pack("<I", len(value)) + bytes(4 * len(value))
        for i, item in enumerate(value):
            self.patch(at + 4 + 4 * i, self.put(item))
        return at

    def table(self, fields):
        count = max(fields, default=-1) + 1
        size = 4
        places = [0] * count
        for field, value in sorted(fields.items()):
            width = value.size if isinstance(value, Number) else 4
            size += -size % width
            places[field] = size
            size += width
        self.align(2)
        vtable = len(self.data)
        self.data += struct.pack(f"<{count + 2}H", 4 + 2 * count, size, *places)
        self.align(8)
        at = len(self.data)
        self.data += struct.pack("<i", at - vtable) + bytes(size - 4)
        for field, value in sorted(fields.items()):
            if isinstance(value, Number):
                struct.pack_into("<" + value.form, self.data, at + places[field], value.value)
        for field, value in sorted(fields.items()):
            if not isinstance(value, Number):
                self.patch(at + places[field], self.put(value))
        return at


def flex_map(options):
    """Numbers by their names as FlexBuffers has them: of 4 bytes each, behind their keys."""
    data, places = bytearray(), []
    names = sorted(options)
    for name in names:
        places.append(len(data))
        data += name.encode() + b"\0"
    data += bytes(-len(data) % 4) + struct.pack("<I", len(names))
    keys = len(data)
    for place in places:
        data += struct.pack("<I", len(data) - place)
    data += struct.pack("<III", len(data) - keys, 4, len(names))
    values = len(data)
    kinds = {bool: (26, "I"), int: (1, "i"), float: (3, "f")}
    for name in names:
        data += struct.pack("<" + kinds[type(options[name])][1], options[name])
    data += bytes(kinds[type(options[name])][0] << 2 | 2 for name in names)
    return bytes(data) + struct.pack("<BBB", len(data) - values, 9 << 2 | 2, 1)


class Graph:
    """A sub-graph; tensors are known by their numbers."""

    def __init__(self, model):
        self.model, self.tensors, self.operators = model, [], []
        self.inputs, self.outputs = [], []

    def tensor(self, name, shape, element="float32", data=None, scale=None, zero=0, axis=0,
               signature=None, variable=False, sparsity=None):
        buffer = 0
        if data is not None:
            buffer = self.model.buffer(data, element)
        quantization = None
        if scale is not None:
            scales = scale if isinstance(scale, list) else [scale]
            zeros = zero if isinstance(zero, list) else [zero] * len(scales)
            quantization = {2: List("f", scales), 3: List("q", zeros, 8), 6: Number("i", axis)}
        self.tensors.append({0: List("i", shape), 1: Number("b", TYPES[element][0]),
                             2: Number("I", buffer), 3: text(name), 4: quantization,
                             5: Number("B", 1) if variable else None, 6: sparsity,
                             7: List("i", signature) if signature else None})
        return len(self.tensors) - 1

    def input(self, *args, **more):
        self.inputs.append(self.tensor(*args, **more))
        return self.inputs[-1]

    def ints(self, name, values, shape=None, element="int32"):
        return self.tensor(name, [len(values)] if shape is None else shape, element, values)

    def op(self, name, inputs, outputs, custom=None, custom_options=None, intermediates=None,
           **options):
        number, table = BUILTINS.get(name, (32, "None"))
        outputs = outputs if isinstance(outputs, list) else [outputs]
        fields = {}
        for key, value in options.items():
            field, kind = FIELDS[table][key]
            fields[field] = (text(value) if kind == "Text" else List("i", value)
                             if kind == "Ints" else Number(KINDS[kind], value))
        self.operators.append({
            0: Number("I", self.model.code(number, custom)), 1: List("i", inputs),
            2: List("i", outputs), 3: Number("B", UNION[table]) if table != "None" else None,
            4: fields if table != "None" else None,
            5: List("B", custom_options) if custom_options else None,
            8: List("i", intermediates) if intermediates else None})
        return outputs[0] if outputs else None

    def fields(self):
        return {0: self.tensors, 1: List("i", self.inputs), 2: List("i", self.outputs),
                3: self.operators}


class Model:
    def __init__(self, version=3):
        self.version, self.codes, self.buffers, self.graphs = version, [], [{}], []
        self.main = self.graph()

    def graph(self):
        self.graphs.append(Graph(self))
        return self.graphs[-1]

    def code(self, number, custom):
        self.codes.append({0: Number("b", min(number, 127)), 1: text(custom) if custom else None,
                           3: Number("i", number)})
        return len(self.codes) - 1

    def buffer(self, data, element):
        form = TYPES[element][1]
        self.buffers.append({0: List("B", data if isinstance(data, bytes)
                                     else struct.pack(f"<{len(data)}{form}", *data), 16)})
        return len(self.buffers) - 1

    def bytes(self):
        writer = Writer()
        writer.data += bytes(4) + b"TFL3"
        root = writer.put({0: Number("I", self.version), 1: self.codes,
                           2: [g.fields() for g in self.graphs], 4: self.buffers})
        struct.pack_into("<I", writer.data, 0, root)
        return bytes(writer.data)


def conv():
    """An int8 network: convolution with RELU6, depthwise, mean, product, softmax."""
    m = Model()
    g = m.main
    x = g.input("image", [1, 8, 8, 3], "int8", scale=0.05, zero=-3)
    w = g.tensor("stem/weights", [4, 3, 3, 3], "int8", [i % 11 - 5 for i in range(108)],
                 scale=[0.01, 0.02, 0.03, 0.04], zero=0)
    b = g.tensor("stem/bias", [4], "int32", [10, -20, 30, 0],
                 scale=[0.0005, 0.001, 0.0015, 0.002])
    y = g.op("CONV_2D", [x, w, b], g.tensor("stem/Relu6", [1, 4, 4, 4], "int8", scale=6 / 255,
                                           zero=-128),
             padding=0, stride_w=2, stride_h=2, fused_activation_function=3)
    w = g.tensor("depthwise/weights", [1, 3, 3, 4], "int8", [i % 7 - 3 for i in range(36)],
                 scale=[0.1, 0.2, 0.3, 0.4], axis=3)
    # As converters write it, with the axis of the weights.
    b = g.tensor("depthwise/bias", [4], "int32", [1, 2, 3, 4], scale=[0.002, 0.004, 0.007, 0.009],
                 axis=3)
    y = g.op("DEPTHWISE_CONV_2D", [y, w, b],
             g.tensor("depthwise", [1, 4, 4, 4], "int8", scale=0.04, zero=1),
             padding=0, stride_w=1, stride_h=1)
    y = g.op("MEAN", [y, g.ints("axes", [1, 2])],
             g.tensor("mean", [1, 4], "int8", scale=0.03, zero=2))
    w = g.tensor("head/weights", [5, 4], "int8", list(range(-10, 10)), scale=0.02)
    y = g.op("FULLY_CONNECTED", [y, w, -1], g.tensor("head", [1, 5], "int8", scale=0.02, zero=0))
    y = g.op("SOFTMAX", [y], g.tensor("scores", [1, 5], "int8", scale=1 / 256, zero=-128), beta=1.0)
    g.outputs = [y]
    return m


def boundary():
    """Floats outside, integers inside, which are requantized on the way."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 4])
    y = g.op("QUANTIZE", [x], g.tensor("fine", [1, 4], "int8", scale=0.1, zero=5))
    y = g.op("QUANTIZE", [y], g.tensor("coarse", [1, 4], "int8", scale=0.2, zero=0))
    y = g.op("RELU", [y], g.tensor("positive", [1, 4], "int8", scale=0.2, zero=0))
    g.outputs = [g.op("DEQUANTIZE", [y], g.tensor("y", [1, 4]))]
    return m


def sixths():
    """A product whose ties lie at sixths, which no multiplier has."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 4], "int8", scale=1.0)
    y = g.input("y", [1, 4], "int8", scale=1.0)
    g.outputs = [g.op("MUL", [x, y], g.tensor("product", [1, 4], "int8", scale=6.0))]
    return m


def far_scales():
    """A result in steps that are far too small for the product."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 2], "int8", scale=1e20)
    w = g.tensor("w", [3, 2], "int8", [1] * 6, scale=0.5)
    g.outputs = [g.op("FULLY_CONNECTED", [x, w, -1],
                      g.tensor("y", [1, 3], "int8", scale=1e-20))]
    return m


def apart():
    """Operators whose scales lie too far apart for integers."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 4], "int8", scale=1e20)
    y = g.input("y", [1, 4], "int8", scale=1e20)
    fine = 1e-20
    g.outputs = [
        g.op("ADD", [x, y], g.tensor("sum", [1, 4], "int8", scale=fine)),
        g.op("MUL", [x, y], g.tensor("product", [1, 4], "int8", scale=fine)),
        g.op("MAXIMUM", [x, y], g.tensor("most", [1, 4], "int8", scale=fine)),
        g.op("LEAKY_RELU", [x], g.tensor("leaky", [1, 4], "int8", scale=fine), alpha=0.1)]
    return m


def function(name):
    """One operator of int8."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 16], "int8", scale=0.05, zero=1)
    options = {"alpha": 0.1} if name == "LEAKY_RELU" else {}
    g.outputs = [g.op(name, [x], g.tensor("y", [1, 16], "int8", scale=0.03, zero=-128),
                      **options)]
    return m


def bounded():
    """16 bits, and a bound at 0 that the type does not have."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 4], "int16", scale=0.001)
    w = g.tensor("w", [2, 4], "int8", [50, -50, 20, 10, -70, 3, 90, 0], scale=0.02)
    g.outputs = [g.op("FULLY_CONNECTED", [x, w, -1], g.tensor("y", [1, 2], "int16", scale=0.0002),
                      fused_activation_function=3)]
    return m


def half():
    """Weights in float16 behind DEQUANTIZE."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 2])
    w = g.tensor("w16", [3, 2], "float16", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    w = g.op("DEQUANTIZE", [w], g.tensor("w", [3, 2]))
    g.outputs = [g.op("FULLY_CONNECTED", [x, w, -1], g.tensor("y", [1, 3]))]
    return m


def dynamic():
    """int8 weights, float tensors."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 2], signature=[-1, 2])
    w = g.tensor("w", [3, 2], "int8", [1, 2, 3, -4, -5, 6], scale=0.5)
    g.outputs = [g.op("FULLY_CONNECTED", [x, w, -1], g.tensor("y", [1, 3]))]
    return m


def int4():
    """Weights of 4 bits, two a byte, the low half first."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 3], "int8", scale=0.1)
    w = g.tensor("w", [1, 3], "int4", bytes([0x8f, 0x07]), scale=0.5)
    g.outputs = [g.op("FULLY_CONNECTED", [x, w, -1],
                      g.tensor("y", [1, 1], "int8", scale=0.1))]
    return m


def sparse():
    """[2, 3] of which the second row has two values, in compressed rows."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 3])
    dense = {0: Number("b", 0), 1: Number("i", 2)}
    csr = {0: Number("b", 1), 2: Number("B", 1), 3: {0: List("i", [0, 0, 2])},
           4: Number("B", 3), 5: {0: List("B", [0, 2])}}
    w = g.tensor("w", [2, 3], data=[3.0, 4.0],
                 sparsity={0: List("i", [0, 1]), 2: [dense, csr]})
    w = g.op("DENSIFY", [w], g.tensor("dense", [2, 3]))
    g.outputs = [g.op("FULLY_CONNECTED", [x, w, -1], g.tensor("y", [1, 2]))]
    return m


def branches():
    """IF of two sub-graphs."""
    m = Model()
    g = m.main
    c, x = g.input("c", [], "bool"), g.input("x", [2])
    g.outputs = [g.op("IF", [c, x], g.tensor("y", [2]), then_subgraph_index=1,
                      else_subgraph_index=2)]
    for name in ("NEG", "ABS"):
        branch = m.graph()
        a = branch.input("a", [2])
        branch.outputs = [branch.op(name, [a], branch.tensor(name.lower(), [2]))]
    return m


def loop():
    """WHILE i < 3: i = i + 1, x = x + x."""
    m = Model()
    g = m.main
    i, x = g.input("i", [], "int32"), g.input("x", [2])
    counts, y = g.tensor("counts", [], "int32"), g.tensor("y", [2])
    g.op("WHILE", [i, x], [counts, y], cond_subgraph_index=1, body_subgraph_index=2)
    g.outputs = [y]
    test = m.graph()
    i = test.input("i", [], "int32")
    test.input("x", [2])
    test.outputs = [test.op("LESS", [i, test.ints("three", [3], [])],
                            test.tensor("goes_on", [], "bool"))]
    body = m.graph()
    i, x = body.input("i", [], "int32"), body.input("x", [2])
    body.outputs = [body.op("ADD", [i, body.ints("one", [1], [])],
                            body.tensor("next", [], "int32")),
                    body.op("ADD", [x, x], body.tensor("twice", [2]))]
    return m


def variable():
    """A variable that CALL_ONCE gives its value."""
    m = Model()
    g = m.main
    x = g.input("x", [2])
    g.op("CALL_ONCE", [], [], init_subgraph_index=1)
    handle = g.op("VAR_HANDLE", [], g.tensor("handle", [], "resource"), shared_name="v")
    value = g.op("READ_VARIABLE", [handle], g.tensor("value", [2]))
    g.outputs = [g.op("ADD", [x, value], g.tensor("y", [2]))]
    first = m.graph()
    handle = first.op("VAR_HANDLE", [], first.tensor("handle", [], "resource"), shared_name="v")
    first.op("ASSIGN_VARIABLE", [handle, first.tensor("first", [2], data=[1.0, 2.0])], [])
    return m


def assigned():
    """A variable that a run changes."""
    m = variable()
    g = m.main
    g.op("ASSIGN_VARIABLE", [1, 0], [])
    return m


def assigned_inside():
    """The same by a branch of an IF, which is not imported."""
    m = variable()
    g = m.main
    c = g.input("c", [1], "bool")
    g.op("IF", [c, 0], g.tensor("z", [2]), then_subgraph_index=2, else_subgraph_index=2)
    branch = m.graph()
    x = branch.input("x", [2])
    handle = branch.op("VAR_HANDLE", [], branch.tensor("handle", [], "resource"), shared_name="v")
    branch.op("ASSIGN_VARIABLE", [handle, x], [])
    branch.outputs = [branch.op("ADD", [x, x], branch.tensor("w", [2]))]
    return m


def sliding(assigned=0.05):
    """Of int8: the last three frames, two of which are a variable, through a convolution."""
    m = Model()
    g = m.main

    def stored(name, shape, scale=0.05):
        return g.tensor(name, shape, "int8", scale=scale, zero=-3)
    x = g.input("x", [1, 1, 8, 4], "int8", scale=0.05, zero=-3)
    g.op("CALL_ONCE", [], [], init_subgraph_index=1)
    handle = g.op("VAR_HANDLE", [], g.tensor("handle", [], "resource"), shared_name="frames")
    past = g.op("READ_VARIABLE", [handle], stored("past", [1, 2, 8, 4]))
    both = g.op("CONCATENATION", [past, x], stored("both", [1, 3, 8, 4]), axis=1)
    now = g.op("STRIDED_SLICE",
               [both, g.ints("begin", [0, 1, 0, 0]), g.ints("end", [1, 3, 8, 4]),
                g.ints("strides", [1, 1, 1, 1])], stored("now", [1, 2, 8, 4], assigned))
    g.op("ASSIGN_VARIABLE", [handle, now], [])
    weights = [(i * 37 + 11) % 101 - 50 for i in range(6 * 3 * 1 * 4)]
    w = g.tensor("w", [6, 3, 1, 4], "int8", weights, scale=[0.01] * 6, axis=0)
    b = g.tensor("b", [6], "int32", [7 * i - 20 for i in range(6)], scale=[0.0005] * 6, axis=0)
    y = g.tensor("y", [1, 1, 8, 6], "int8", scale=0.08, zero=4)
    g.outputs = [g.op("CONV_2D", [both, w, b], y, padding=1, stride_h=1, stride_w=1)]
    first = m.graph()
    handle = first.op("VAR_HANDLE", [], first.tensor("handle", [], "resource"),
                      shared_name="frames")
    zeros = first.tensor("zeros", [1, 2, 8, 4], "int8", [-3] * 64)
    first.op("ASSIGN_VARIABLE", [handle, zeros], [])
    return m


def custom():
    m = Model()
    g = m.main
    x = g.input("x", [1, 4])
    y = g.op("ABS", [x], g.tensor("boxes", [1, 4]))
    y = g.op("CUSTOM", [y], g.tensor("detections", [1, 4]), custom="PosenetDecoderOp")
    g.outputs = [g.op("STABLEHLO_ADD", [y, y], g.tensor("y", [1, 4]))]
    return m


def loop_rank():
    """WHILE of a transposition whose order of axes comes of a rank: (1, 0) + range(2, rank)."""
    m = Model()
    g = m.main
    i, x = g.input("i", [], "int32"), g.input("x", [2, 2, 3])
    counts, y = g.tensor("counts", [], "int32"), g.tensor("y", [2, 2, 3])
    g.op("WHILE", [i, x], [counts, y], cond_subgraph_index=1, body_subgraph_index=2)
    g.outputs = [y]
    test = m.graph()
    i = test.input("i", [], "int32")
    test.input("x", [2, 2, 3])
    test.outputs = [test.op("LESS", [i, test.ints("three", [3], [])],
                            test.tensor("goes_on", [], "bool"))]
    body = m.graph()
    i, x = body.input("i", [], "int32"), body.input("x", [2, 2, 3])
    rank = body.op("RANK", [x], body.tensor("rank", [], "int32"))
    rest = body.op("RANGE", [body.ints("two", [2], []), rank, body.ints("step", [1], [])],
                   body.tensor("rest", [1], "int32"))
    perm = body.op("CONCATENATION", [body.ints("swapped", [1, 0]), rest],
                   body.tensor("perm", [3], "int32"), axis=0)
    body.outputs = [body.op("ADD", [i, body.ints("one", [1], [])],
                            body.tensor("next", [], "int32")),
                    body.op("TRANSPOSE", [x, perm], body.tensor("turned", [2, 2, 3]))]
    return m


def transposed_bias():
    """MediaPipe's transposed convolution with a bias, 2 x 2 and strides of 2."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 2, 2, 1])
    w = g.tensor("w", [1, 2, 2, 1], data=[1.0, 2.0, 3.0, 4.0])
    b = g.tensor("b", [1], data=[0.5])
    g.outputs = [g.op("CUSTOM", [x, w, b], g.tensor("y", [1, 4, 4, 1]),
                      custom="Convolution2DTransposeBias",
                      custom_options=struct.pack("<iii", 1, 2, 2))]
    return m


def no_detections():
    """Options that leave out what the operator needs, or have no such value."""
    m = Model()
    g = m.main
    numbers = [g.input("boxes", [1, 2, 4]), g.input("scores", [1, 2, 2]),
               g.tensor("anchors", [2, 4], data=[0.5, 0.5, 1.0, 1.0] * 2)]
    g.outputs = [g.tensor(f"y{i}", s) for i, s in enumerate([[1, 2, 4], [1, 2], [1, 2], [1]])]
    g.op("CUSTOM", numbers, g.outputs, custom="TFLite_Detection_PostProcess",
         custom_options=flex_map({"max_detections": 0, "num_classes": 1, "y_scale": 10.0,
                                  "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
                                  "max_classes_per_detection": 1, "nms_score_threshold": 0.5}))
    return m


def lstm(steps=3):
    """Of int8, the cell of int16 with a step of 2^-11: steps of 2 samples, which may be more."""
    m = Model()
    g = m.main
    x = g.input("x", [2, steps, 4], "int8", signature=[-1, steps, 4], scale=0.02, zero=3)
    inputs, cells = 4, 5

    def weights(name, shape, seed):
        count = shape[0] * shape[1]
        return g.tensor(name, shape, "int8", [(i * 37 + seed * 11) % 255 - 127
                                              for i in range(count)], scale=0.01)
    numbers = [x] + [weights(f"x_{i}", [cells, inputs], i) for i in range(4)]
    numbers += [weights(f"h_{i}", [cells, cells], i + 4) for i in range(4)] + [-1, -1, -1]
    numbers += [g.tensor(f"b_{i}", [cells], "int32", [(i + 1) * 100 * k for k in range(cells)],
                         scale=0.0002) for i in range(4)] + [-1, -1]
    numbers += [g.tensor("h", [2, cells], "int8", scale=1 / 128, zero=-1, variable=True),
                g.tensor("c", [2, cells], "int16", scale=2**-11, variable=True)]
    hidden = [g.tensor(f"between_{i}", [0], "int16", scale=0.1) for i in range(4)]
    hidden.append(g.tensor("between_4", [0], "int8", scale=1 / 128, zero=-1))
    y = g.tensor("y", [2, steps, cells], "int8", signature=[-1, steps, cells], scale=1 / 128,
                 zero=-1)
    g.outputs = [g.op("UNIDIRECTIONAL_SEQUENCE_LSTM", numbers + [-1] * 4, y, intermediates=hidden,
                      fused_activation_function=4, cell_clip=10.0)]
    return m


def lstm_long():
    return lstm(6)


def other_scale():
    """A variable whose integers mean something else when they are read again."""
    return sliding(0.06)


def float_lstm(steps=3, states=("h", "c")):
    """The same in floats, without clips."""
    m = Model()
    g = m.main
    x = g.input("x", [2, steps, 4])
    inputs, cells = 4, 5

    def weights(name, shape, seed):
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        return g.tensor(name, shape, data=[((i * 37 + seed * 11) % 255 - 127) / 150
                                           for i in range(count)])
    numbers = [x] + [weights(f"x_{i}", [cells, inputs], i) for i in range(4)]
    numbers += [weights(f"h_{i}", [cells, cells], i + 4) for i in range(4)] + [-1, -1, -1]
    numbers += [weights(f"b_{i}", [cells], i + 8) for i in range(4)] + [-1, -1]
    numbers += [g.tensor(name, [2, cells], variable=True) if name in states else -1
                for name in ("h", "c")]
    y = g.tensor("y", [2, steps, cells])
    g.outputs = [g.op("UNIDIRECTIONAL_SEQUENCE_LSTM", numbers + [-1] * 4, y,
                      fused_activation_function=4)]
    return m


def float_lstm_long():
    return float_lstm(6)


def half_lstm():
    """One of its two states is left out."""
    return float_lstm(states=("h",))


SVDF_FEATURES = [((i * 37 + 11) % 101 - 50) / 60 for i in range(6 * 4)]
SVDF_TIME = [((i * 29 + 7) % 101 - 50) / 70 for i in range(6 * 5)]


def svdf():
    """Six filters of rank 2, which remember five steps, of a sample of four values."""
    m = Model()
    g = m.main
    x = g.input("x", [1, 4])
    features = g.tensor("features", [6, 4], data=SVDF_FEATURES)
    time = g.tensor("time", [6, 5], data=SVDF_TIME)
    bias = g.tensor("bias", [3], data=[0.1, -0.2, 0.3])
    memory = g.tensor("memory", [1, 30], variable=True)
    g.outputs = [g.op("SVDF", [x, features, time, bias, memory], g.tensor("y", [1, 3]), rank=2)]
    return m


def stored_svdf():
    """The same of int8, its memory and time weights of int16."""
    m = Model()
    g = m.main

    def stored(values, step, most):
        return [max(-most, min(most, round(v / step))) for v in values]
    x = g.input("x", [1, 4], "int8", scale=0.03, zero=4)
    features = g.tensor("features", [6, 4], "int8", stored(SVDF_FEATURES, 0.01, 127), scale=0.01)
    time = g.tensor("time", [6, 5], "int16", stored(SVDF_TIME, 0.0001, 32767), scale=0.0001)
    bias = g.tensor("bias", [3], "int32", [10000, -20000, 30000], scale=0.0002 * 0.0001)
    memory = g.tensor("memory", [1, 30], "int16", scale=0.0002, variable=True)
    y = g.tensor("y", [1, 3], "int8", scale=0.05, zero=-2)
    g.outputs = [g.op("SVDF", [x, features, time, bias, memory], y, rank=2)]
    return m


def state():
    """A variable tensor outside of an LSTM."""
    m = Model()
    g = m.main
    x = g.input("x", [2])
    s = g.tensor("s", [2], variable=True)
    g.outputs = [g.op("ADD", [x, s], g.tensor("y", [2]))]
    return m


def unwritten():
    m = Model()
    g = m.main
    x = g.input("x", [2])
    g.outputs = [g.op("ADD", [x, g.tensor("nobody", [2])], g.tensor("y", [2]))]
    return m


def recursive():
    m = branches()
    branch = m.graphs[1]
    c = branch.tensor("c", [], "bool", [1])
    branch.outputs = [branch.op("IF", [c, branch.inputs[0]], branch.tensor("again", [2]),
                                then_subgraph_index=1, else_subgraph_index=2)]
    return m


def short_data():
    """A constant that lacks an element."""
    m = Model()
    g = m.main
    x = g.input("x", [2])
    g.outputs = [g.op("ADD", [x, g.tensor("c", [2], data=[1.0])], g.tensor("y", [2]))]
    return m


def bad_scales():
    m = Model()
    g = m.main
    x = g.input("x", [1, 2])
    w = g.tensor("w", [3, 2], "int8", [0] * 6, scale=[0.5, 0.25])
    g.outputs = [g.op("FULLY_CONNECTED", [x, w, -1], g.tensor("y", [1, 3]))]
    return m


def old():
    m = conv()
    m.version = 2
    return m


MODELS = {f.__name__: f for f in (conv, boundary, half, dynamic, int4, sparse, branches, loop,
                                  variable, assigned, assigned_inside, sliding,
                                  bounded, other_scale, custom, state, unwritten, recursive,
                                  short_data, bad_scales, old, sixths, far_scales, apart,
                                  loop_rank, transposed_bias, no_detections, lstm, lstm_long,
                                  float_lstm, float_lstm_long, half_lstm, svdf, stored_svdf)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help=", ".join(MODELS) + ", operator, operators, function")
    parser.add_argument("operator", nargs="?")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--truncate", type=int)
    args = parser.parse_args()
    if args.model in MODELS:
        models = {args.output: MODELS[args.model]()}
    elif args.model == "function":
        models = {args.output: function(args.operator)}
    else:
        import tflite_cases
        models = {args.output if args.operator else os.path.join(args.output, name + ".tflite"):
                  case() for name, case in tflite_cases.CASES.items()
                  if not args.operator or name == args.operator}
        os.makedirs(args.output if not args.operator else ".", exist_ok=True)
    for path, model in models.items():
        with open(path, "wb") as f:
            f.write(model.bytes()[:args.truncate])


if __name__ == "__main__":
    main()
