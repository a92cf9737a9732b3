"""Every builtin operator of TFLite that is imported, once, for tflite.py.

A case is made of the operator's inputs, the shapes of its results, and its
options. An input is a shape, perhaps with a type, or a constant C(values).
"""
import functools

import tflite


class C:
    """A constant: its values, shape and type."""

    def __init__(self, values, shape=None, element=None):
        self.values = values
        self.shape = [len(values)] if shape is None else shape
        isFloat = bool(values) and isinstance(values[0], float)
        self.element = element or ("float32" if isFloat else "int32")


class V:
    """A variable tensor."""

    def __init__(self, *shape):
        self.shape = list(shape)


def one(value):
    return C([value], [])


def floats(*shape):
    count = functools.reduce(lambda a, b: a * b, shape, 1)
    return C([(i % 5 - 2) / 4 for i in range(count)], list(shape), "float32")


def build(name, inputs, outputs, options):
    m = tflite.Model()
    g = m.main
    numbers = []
    for i, value in enumerate(inputs):
        tensor = f"x{i}"
        if value is None:
            numbers.append(-1)
        elif isinstance(value, C):
            numbers.append(g.tensor(tensor, value.shape, value.element, value.values))
        elif isinstance(value, V):
            numbers.append(g.tensor(tensor, value.shape, variable=True))
        elif isinstance(value, tuple):
            numbers.append(g.input(tensor, value[0], value[1]))
        else:
            numbers.append(g.input(tensor, value))
    results = []
    for i, value in enumerate(outputs):
        shape, element = value if isinstance(value, tuple) else (value, "float32")
        results.append(g.tensor(f"y{i}", shape, element))
    g.op(name, numbers, results, **options)
    g.outputs = results
    return m


CASES = {}


def case(name, inputs, outputs, **options):
    if isinstance(outputs, tuple) or not isinstance(outputs[0], (list, tuple)):
        outputs = [outputs]
    CASES[name] = functools.partial(build, name, inputs, outputs, options)


IMAGE = [1, 4, 4, 2]
WINDOW = {"padding": 0, "stride_w": 2, "stride_h": 2}
POOL = {**WINDOW, "filter_width": 3, "filter_height": 3}

case("CONV_2D", [IMAGE, floats(3, 3, 3, 2), floats(3)], [1, 2, 2, 3], **WINDOW)
case("DEPTHWISE_CONV_2D", [IMAGE, floats(1, 3, 3, 4), None], [1, 2, 2, 4], **WINDOW)
case("CONV_3D", [[1, 2, 4, 4, 2], floats(2, 3, 3, 2, 3)], [1, 2, 2, 2, 3], stride_d=1, **WINDOW)
case("TRANSPOSE_CONV", [C([1, 8, 8, 3]), floats(3, 3, 3, 2), IMAGE], [1, 8, 8, 3], **WINDOW)
case("CONV_3D_TRANSPOSE", [C([1, 2, 8, 8, 3]), floats(1, 3, 3, 3, 2), [1, 2, 4, 4, 2]],
     [1, 2, 8, 8, 3], stride_d=1, **WINDOW)
case("AVERAGE_POOL_2D", [IMAGE], [1, 2, 2, 2], **POOL)
case("MAX_POOL_2D", [IMAGE], [1, 2, 2, 2], **POOL)
case("L2_POOL_2D", [IMAGE], [1, 2, 2, 2], **POOL)
case("RESIZE_BILINEAR", [IMAGE, C([6, 8])], [1, 6, 8, 2], half_pixel_centers=1)
case("RESIZE_NEAREST_NEIGHBOR", [IMAGE, C([6, 8])], [1, 6, 8, 2])
case("DEPTH_TO_SPACE", [[1, 2, 2, 8]], [1, 4, 4, 2], block_size=2)
case("SPACE_TO_DEPTH", [IMAGE], [1, 2, 2, 8], block_size=2)
case("BATCH_TO_SPACE_ND", [[4, 2, 2, 1], C([2, 2]), C([0, 0, 0, 1], [2, 2])], [1, 4, 3, 1])
case("SPACE_TO_BATCH_ND", [[1, 4, 3, 1], C([2, 2]), C([0, 0, 0, 1], [2, 2])], [4, 2, 2, 1])
case("LOCAL_RESPONSE_NORMALIZATION", [[1, 2, 2, 5]], [1, 2, 2, 5], radius=1, bias=1.0, alpha=0.5,
     beta=0.5)
case("FULLY_CONNECTED", [[2, 1, 3], floats(4, 3), floats(4)], [2, 1, 4], keep_num_dims=1)
case("BATCH_MATMUL", [[2, 3, 4], [2, 5, 4]], [2, 3, 5], adj_y=1)

for operator in ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "POW", "SQUARED_DIFFERENCE",
                 "FLOOR_DIV", "FLOOR_MOD"):
    case(operator, [[2, 3], [3]], [2, 3])
case("ADD_N", [[2, 3], [2, 3], [2, 3]], [2, 3])
for operator in ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"):
    case(operator, [[2, 3], [3]], ([2, 3], "bool"))
for operator in ("LOGICAL_AND", "LOGICAL_OR"):
    case(operator, [([2], "bool"), ([2], "bool")], ([2], "bool"))
case("LOGICAL_NOT", [([2], "bool")], ([2], "bool"))
case("BITWISE_XOR", [([2], "int32"), ([2], "int32")], ([2], "int32"))
case("RIGHT_SHIFT", [([2], "int32"), ([2], "int32")], ([2], "int32"))
case("SELECT", [([2], "bool"), [2, 3], [2, 3]], [2, 3])
case("SELECT_V2", [([2, 1], "bool"), [2, 3], [3]], [2, 3])
for operator in ("ABS", "CEIL", "COS", "EXP", "FLOOR", "LOG", "NEG", "ROUND", "RSQRT", "SIGN",
                 "SIN", "SQRT", "SQUARE", "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "ELU",
                 "HARD_SWISH", "LOGISTIC", "TANH", "LOG_SOFTMAX", "L2_NORMALIZATION"):
    case(operator, [[2, 3]], [2, 3])
case("LEAKY_RELU", [[2, 3]], [2, 3], alpha=0.25)
case("PRELU", [IMAGE, floats(1, 1, 2)], IMAGE)
case("GELU", [[2, 3]], [2, 3], approximate=1)
case("SOFTMAX", [[2, 3]], [2, 3], beta=2.0)

for operator in ("MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN"):
    case(operator, [IMAGE, C([1, 2])], [1, 2])
for operator in ("REDUCE_ANY", "REDUCE_ALL"):
    case(operator, [([2, 3], "bool"), C([1])], ([2, 1], "bool"), keep_dims=1)
case("ARG_MAX", [[2, 3], one(-1)], ([2], "int32"))
case("ARG_MIN", [[2, 3], one(0)], ([3], "int32"))
case("TOPK_V2", [[2, 5], one(3)], [[2, 3], ([2, 3], "int32")])
case("CUMSUM", [[2, 3], one(1)], [2, 3], exclusive=1)
case("SEGMENT_SUM", [[3, 2], C([0, 0, 1])], [2, 2])

case("RESHAPE", [[2, 6]], [3, 4], new_shape=[3, -1])
case("SQUEEZE", [[2, 1, 3, 1]], [2, 3, 1], squeeze_dims=[1])
case("EXPAND_DIMS", [[2, 3], one(-1)], [2, 3, 1])
case("CONCATENATION", [[2, 3], [2, 1]], [2, 4], axis=-1, fused_activation_function=1)
case("PACK", [[3], [3]], [3, 2], axis=1)
case("UNPACK", [[2, 3]], [[3], [3]], axis=0)
case("SPLIT", [one(1), [2, 4]], [[2, 2], [2, 2]])
case("SPLIT_V", [[2, 5], C([1, -1]), one(1)], [[2, 1], [2, 4]])
case("SLICE", [[4, 5], C([1, 2]), C([2, -1])], [2, 3])
case("STRIDED_SLICE", [[4, 5, 6], C([1, 0, 0]), C([2, 0, 6]), C([1, 1, 2])], [5, 3],
     ellipsis_mask=2, shrink_axis_mask=1)
case("PAD", [[2, 3], C([1, 0, 0, 2], [2, 2])], [3, 5])
case("PADV2", [[2, 3], C([1, 0, 0, 2], [2, 2]), C([1.5], [])], [3, 5])
case("MIRROR_PAD", [[2, 3], C([1, 0, 0, 2], [2, 2])], [3, 5], mode=1)
case("TILE", [[2, 3], C([1, 2])], [2, 6])
case("TRANSPOSE", [[2, 3, 4], C([2, 0, 1])], [4, 2, 3])
case("REVERSE_V2", [[2, 3], C([1])], [2, 3])
case("REVERSE_SEQUENCE", [[4, 2, 3], C([2, 3])], [4, 2, 3], seq_dim=0, batch_dim=1)
case("BROADCAST_TO", [[1, 3], C([2, 3])], [2, 3])
case("DYNAMIC_UPDATE_SLICE", [[3, 4], [1, 2], C([1, 1])], [3, 4])
case("GATHER", [[2, 3, 4], C([0, 2, 2, 1], [2, 2])], [2, 2, 4], axis=1, batch_dims=1)
case("GATHER_ND", [[2, 3], C([0, 1, 1, 2], [2, 2])], [2])
case("SCATTER_ND", [C([1, 1], [2, 1]), [2, 3], C([4, 3])], [4, 3])
case("EMBEDDING_LOOKUP", [C([2, 0]), [3, 4]], [2, 4])
case("ONE_HOT", [([2], "int32"), one(3), C([1.0], []), C([0.0], [])], [2, 3], axis=-1)
case("CAST", [[2]], ([2], "int32"))
case("QUANTIZE", [[2]], [2])
case("DEQUANTIZE", [[2]], [2])
case("FAKE_QUANT", [[2]], [2], min=-1.0, max=1.0, num_bits=8)
case("NON_MAX_SUPPRESSION_V4", [[6, 4], [6], one(3), C([0.5], []), C([0.1], [])],
     [([3], "int32"), ([], "int32")])
case("NON_MAX_SUPPRESSION_V5", [[6, 4], [6], one(3), C([0.5], []), C([0.1], []), C([0.0], [])],
     [([3], "int32"), [3], ([], "int32")])
LSTM = ([floats(3, 2)] * 4 + [floats(3, 3)] * 4 + [None] * 3 + [floats(3)] * 4 + [None] * 2 +
        [V(1, 3), V(1, 3)])
case("UNIDIRECTIONAL_SEQUENCE_LSTM", [[1, 4, 2]] + LSTM, [1, 4, 3], fused_activation_function=4)
case("LSTM", [[1, 2]] + LSTM, [1, 3], fused_activation_function=4)
case("SVDF", [[1, 3], floats(4, 3), floats(4, 5), floats(2), V(1, 20)], [1, 2], rank=2,
     fused_activation_function=1)
# What becomes constants is added to something.
CASES["SHAPE"] = lambda: constant("SHAPE", ["x"])
CASES["RANK"] = lambda: constant("RANK", ["x"])
CASES["FILL"] = lambda: constant("FILL", [C([2, 3]), C([7], [])])
CASES["ZEROS_LIKE"] = lambda: constant("ZEROS_LIKE", ["x"], "float32")
CASES["RANGE"] = lambda: constant("RANGE", [one(0), one(3), one(1)])
CASES["WHERE"] = lambda: constant("WHERE", [C([1, 0, 1], [3], "bool")], "int64")


def constant(name, inputs, element="int32"):
    m = tflite.Model()
    g = m.main
    x = g.input("x", [2, 3])
    numbers = [x if i == "x" else g.tensor(f"c{k}", i.shape, i.element, i.values)
               for k, i in enumerate(inputs)]
    y = g.op(name, numbers, g.tensor("found", [], element))
    if element != "float32":
        y = g.op("CAST", [y], g.tensor("numbers", []))
    sums = g.op("SUM", [y, g.ints("axes", [0])] if name != "RANK" else [y, g.ints("axes", [])],
                g.tensor("sum", []))
    g.outputs = [g.op("ADD", [x, sums], g.tensor("y", [2, 3]))]
    return m
