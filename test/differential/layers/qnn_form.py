"""QNN: the JSON of a graph, and what its builders need to know.

Example:
    write(network, "m.json", random.Random(3))
"""
import json

import numpy
from stored_form import StoredForm

# Numbers of types: plain integers, and those that stand for real numbers.
PLAIN = {"f32": 0x0232, "i32": 0x0032, "u32": 0x0132, "bool": 0x0508, "i8": 0x0008, "u8": 0x0108}
FIXED = {"i8": 0x0308, "i16": 0x0316, "i32": 0x0332, "u8": 0x0408, "u16": 0x0416}
INPUT, OUTPUT, NATIVE, STATIC = 0, 1, 3, 4


class Qnn(StoredForm):
    KEY = "qnn"
    KINDS = (None, None, "u8", "u8", "i8", "u16", "i16")
    COMMON = ("Conv2d", "DepthWiseConv2d", "ElementWiseAdd", "ElementWiseMultiply", "Relu",
              "FullyConnected", "PoolMax2d", "PoolAvg2d", "Concat", "ReduceMean", "MatMul")

    def reshape(self, d, x, shape):
        return d.layer("Reshape", [x], lambda v: v.reshape(shape), [of(x)], like=kept(x))

    def clip(self, d, x, lo, hi):
        return d.layer("ReluMinMax", [x], lambda v: numpy.clip(v, lo, hi), min_value=float(lo),
                       max_value=float(hi))


def of(x):
    return "f32" if x.scale is not None else x.kind


def kept(x):
    return x if x.scale is not None else None


def nested(constant):
    values = [float(v) if constant.kind == "f32" else int(v) for v in constant.values]
    return numpy.array(values, dtype=object).reshape(constant.shape).tolist()


def encoding(tensor):
    scales = numpy.ravel(tensor.scale)
    if len(scales) == 1:
        return {"definition": 1, "encoding": 0, "scale_offset": {
            "scale": float(scales[0]), "offset": -int(tensor.zero)}}
    axis = next(i for i, n in enumerate(numpy.shape(tensor.scale)) if n > 1)
    return {"definition": 1, "encoding": 1, "axis_scale_offset": {
        "axis": axis, "num_scale_offsets": len(scales),
        "scale_offsets": [{"scale": float(s), "offset": -int(tensor.zero)} for s in scales]}}


def tensor_of(tensor, kind, constant):
    fixed = tensor.scale is not None
    result = {"type": kind, "data_type": (FIXED if fixed else PLAIN)[tensor.kind],
              "dims": tensor.shape}
    if fixed:
        result["quant_params"] = encoding(tensor)
    if constant is not None:
        result["data"] = nested(constant)
    return result


def scalar(value):
    if isinstance(value, bool):
        return {"1288": int(value)}
    if isinstance(value, float):
        return {"562": value}
    return {"306" if value >= 0 else "50": value}


def parameter(name, value):
    array = numpy.array(value)
    kind = PLAIN["f32"] if array.dtype.kind == "f" else \
        PLAIN["i32"] if (array < 0).any() else PLAIN["u32"]
    return {name: {"type": STATIC, "data_type": kind, "dims": list(array.shape),
                   "data": array.tolist()}}


def node_of(number, layer):
    scalars, lists = {}, {}
    for key, value in layer.attributes.items():
        if isinstance(value, list):
            lists[key] = parameter("%s_%s" % (layer.outputs[0], key), value)
        else:
            scalars[key] = scalar(value)
    return {"package": "qti.aisw", "type": layer.op, "input_names": [n for n in layer.inputs if n],
            "output_names": layer.outputs, "tensor_params": lists, "scalar_params": scalars}


def write(network, path, rng=None):
    """With \\p rng the nodes are in any order."""
    outputs = [v.name for v in network.outputs]
    inputs = [v.name for v in network.inputs]
    made = [n for layer in network.nodes for n in layer.outputs if n not in outputs]
    tensors = {}
    for names, kind in ((inputs, INPUT), (network.constants, STATIC), (made, NATIVE),
                        (outputs, OUTPUT)):
        for name in names:
            tensors[name] = tensor_of(network.known[name], kind, network.constants.get(name))
    nodes = [("node_" + layer.outputs[0], node_of(i, layer))
             for i, layer in enumerate(network.nodes)]
    if rng:
        rng.shuffle(nodes)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"graph": {"tensors": tensors, "nodes": dict(nodes)}}, file)
