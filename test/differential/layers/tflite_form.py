"""TFLite: the flatbuffer of a network, and what its builders need to know.

Example:
    write(network, "m.tflite")
"""
import numpy
from graph import ELEMENTS  # noqa: F401 (it finds test/lit)
import tflite
from stored_form import StoredForm

NAMES = {"f32": "float32", "i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32",
         "i64": "int64", "bool": "bool"}


class Tflite(StoredForm):
    KEY = "tflite"
    KINDS = (None, None, "i8", "i8", "u8", "i16")
    HAS_NEGATIVE_AXES = True
    COMMON = ("CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "MUL", "FULLY_CONNECTED", "MAX_POOL_2D",
              "AVERAGE_POOL_2D", "RELU", "CONCATENATION", "MEAN")

    def reshape(self, d, x, shape):
        return d.layer("RESHAPE", [x, d.ints(shape)], lambda v, _: v.reshape(shape), [of(x)],
                       like=x, new_shape=shape)

    def clip(self, d, x, lo, hi):
        y = d.layer("MAXIMUM", [x, self.operand(d, x, numpy.array([lo], float))], numpy.maximum)
        return d.layer("MINIMUM", [y, self.operand(d, y, numpy.array([hi], float))], numpy.minimum)


def of(x):
    """The type of a result like x: f32 for real numbers, however they are stored."""
    return "f32" if x.scale is not None else x.kind


def write(network, path):
    model = tflite.Model()
    graph = model.main
    numbers = {"": -1}
    inputs = {v.name for v in network.inputs}

    def tensor(name):
        if name not in numbers:
            known = network.known[name]
            constant = network.constants.get(name)
            more = {}
            if known.scale is not None:
                scales = numpy.ravel(known.scale)
                axis = next((i for i, n in enumerate(numpy.shape(known.scale)) if n > 1), 0)
                more = {"scale": [float(s) for s in scales], "zero": int(known.zero), "axis": axis}
            data = None if constant is None else [
                float(v) if constant.kind == "f32" else int(v) for v in constant.values]
            make = graph.input if name in inputs else graph.tensor
            numbers[name] = make(name, known.shape, NAMES[known.kind], data=data, **more) \
                if name not in inputs else make(name, known.shape, NAMES[known.kind], **more)
        return numbers[name]

    for value in network.inputs:
        tensor(value.name)
    for layer in network.nodes:
        options = {k: v for k, v in layer.attributes.items()}
        graph.op(layer.op, [tensor(n) for n in layer.inputs], [tensor(n) for n in layer.outputs],
                 **options)
    graph.outputs = [tensor(v.name) for v in network.outputs]
    with open(path, "wb") as file:
        file.write(model.bytes())
