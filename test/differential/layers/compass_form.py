"""Compass IR: text and weights of a network, and what its builders need to know.

Example:
    write(network, "folder", "m", random.Random(3))     # m.txt and m.bin
"""
import os

import numpy
from drawing import BUILDERS, Draw, Unfit  # noqa: F401
from graph import Constant
from network import DTYPES

WORDS = {"f32": "float32", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16",
         "i32": "int32", "u32": "uint32", "bool": "bool", "i64": "int64"}


COMMON = ("Convolution", "DepthwiseConv", "FullyConnected", "Eltwise", "Add", "Mul", "Activation",
          "Pooling", "Concat", "MatMul", "Reduce", "BatchNorm", "Transpose")


class Compass:
    """The form of a float network."""
    NAME = "compass"
    KEY = "compass"
    HAS_NEGATIVE_AXES = True
    HAS_SHORT_OPERANDS = True

    @classmethod
    def style(cls, rng):
        return cls()

    def operators(self):
        names = sorted(BUILDERS[self.KEY])
        return names + [n for n in names if n in COMMON] * 4

    def other_input(self, d):
        """Indices, sometimes."""
        if d.chance(0.15):
            d.input([1, d.rng.randint(1, 5)], "i32", -5, 5)

    def quantized(self, d, tensor, like=None):
        return tensor

    def input_kind(self, d):
        """Type, least and greatest value of an input."""
        return "f32", -4, 4

    def described(self, d, tensor):
        """What a format says of an input besides."""

    def can_meet(self, x, y):
        return True

    def reshape(self, d, x, shape):
        written = list(shape)
        if d.chance(0.2):
            written[d.rng.randrange(len(shape))] = -1
        return d.layer("Reshape", [x], lambda v: v.reshape(shape), [x.kind], shape=written)

    def clip(self, d, x, lo, hi):
        return d.layer("Activation", [x], lambda v: numpy.clip(v, lo, hi), method="CLIP",
                       clip_min=float(lo), clip_max=float(hi))

    def operand(self, d, x, array):
        return d.constant(array)


def blob(array, kind="f32"):
    """A constant of a layer, in the weights file."""
    return Constant(kind, list(numpy.shape(array)), numpy.ravel(array).tolist())


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(text_of(v) for v in value) + "]"
    if isinstance(value, float):
        return repr(value)
    return str(value)


class Weights:
    def __init__(self, rng):
        self.rng = rng
        self.data = bytearray()

    def keys(self, name, constant):
        """The keys of a constant; its bytes are added to the file."""
        raw = numpy.array(constant.values).astype(DTYPES[constant.kind]).tobytes()
        self.data += bytes(-len(self.data) % 4)
        lines = ["%s_type=%s" % (name, WORDS[constant.kind]),
                 "%s_offset=%d" % (name, len(self.data)), "%s_size=%d" % (name, len(raw)),
                 "%s_shape=%s" % (name, text_of(constant.shape))]
        self.data += raw
        return lines


def column(network, names, what):
    return text_of([what(network.known[n]) for n in names])


def layer_lines(network, number, name, kind, bottoms, tops, keys, weights, stores):
    lines = ["layer_id=%d" % number, "layer_name=" + name, "layer_type=" + kind]
    for side, names in (("bottom", bottoms), ("top", tops)):
        lines += ["layer_%s=%s" % (side, text_of(names)),
                  "layer_%s_shape=%s" % (side, column(network, names, lambda t: t.shape)),
                  "layer_%s_type=%s" % (side, column(network, names, lambda t: WORDS[t.kind]))]
    if stores:
        lines += ["layer_top_scale=" + column(network, tops, lambda t: t.ir[0]),
                  "layer_top_zp=" + column(network, tops, lambda t: t.ir[1])]
    items = list(keys.items())
    weights.rng.shuffle(items)
    for key, value in items:
        if isinstance(value, Constant):
            lines += weights.keys(key, value)
        else:
            lines.append("%s=%s" % (key, text_of(value)))
    return lines


def write(network, folder, name, rng):
    """The files of the network; \\p rng decides what has no meaning, as the order of keys."""
    stores = all(t.ir for t in network.known.values())
    weights = Weights(rng)
    layers = []

    def add(layer_name, kind, bottoms, tops, keys):
        layers.append(layer_lines(network, len(layers), layer_name, kind, bottoms, tops, keys,
                                  weights, stores))

    for value in network.inputs:
        add("in_" + value.name, "Input", [], [value.name], {})
    for key, constant in network.constants.items():
        add("of_" + key, "Constant", [], [key], {"weights": constant})
    for i, layer in enumerate(network.nodes):
        add("layer_%s" % layer.outputs[0], layer.op, [n for n in layer.inputs if n], layer.outputs,
            layer.attributes)
    header = ["model_name=" + name, "layer_number=%d" % len(layers),
              "precision=" + ("int8" if stores else "float32"), "model_bin=./%s.bin" % name,
              "input_tensors=" + text_of([v.name for v in network.inputs]),
              "output_tensors=" + text_of([v.name for v in network.outputs])]
    with open(os.path.join(folder, name + ".txt"), "w", encoding="ascii") as file:
        file.write("\n\n".join("\n".join(lines) for lines in [header, *layers]) + "\n\n")
    with open(os.path.join(folder, name + ".bin"), "wb") as file:
        file.write(weights.data)
