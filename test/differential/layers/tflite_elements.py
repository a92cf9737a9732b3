"""Builders of TFLite's operators that compute element by element, and along axes."""
import numpy
from drawing import Unfit, builder
from drawing import fits as spreads
from formulas import (ARITHMETIC, COMPARE, LOGIC, REDUCE, UNARY, arg_extreme, as_int, cumulate, elu,
                      leaky, log_softmax, lrn, softmax, top_k)
from tflite_form import of

NAMES = {"ABS": "abs", "CEIL": "ceil", "COS": "cos", "EXP": "exp", "FLOOR": "floor", "LOG": "log",
         "NEG": "neg", "ROUND": "round", "RSQRT": "rsqrt", "SIGN": "sign", "SIN": "sin",
         "SQRT": "sqrt", "SQUARE": "square", "RELU": "relu", "RELU6": "relu6",
         "RELU_N1_TO_1": "relu1", "RELU_0_TO_1": "relu01", "HARD_SWISH": "hardswish",
         "LOGISTIC": "sigmoid", "TANH": "tanh"}
FUSED = {0: lambda y: y, 1: lambda y: numpy.maximum(y, 0), 2: lambda y: numpy.clip(y, -1, 1),
         3: lambda y: numpy.clip(y, 0, 6)}


def fused(d, f):
    """The number of an activation, and the function with it."""
    way = d.rng.choice((0, 0, 0, 1, 2, 3))
    return lambda *v: FUSED[way](f(*v)), {"fused_activation_function": way}


@builder("tflite", *NAMES)
def unary(d):
    lo, hi, f = UNARY[NAMES[d.op]]
    return d.layer(d.op, [d.within(lo, hi)], f)


@builder("tflite", "ELU", "GELU", "LEAKY_RELU")
def with_numbers(d):
    x = d.within(-8, 8)
    if d.op == "ELU":
        return d.layer("ELU", [x], lambda v: elu(v, 1.0))
    if d.op == "GELU":
        way = d.rng.randint(0, 1)
        return d.layer("GELU", [x], UNARY["gelu_tanh" if way else "gelu"][2], approximate=way)
    a = d.rng.choice((0.1, 0.25, 0.3, 1.5))
    return d.layer("LEAKY_RELU", [x], lambda v: leaky(v, a), alpha=a)


@builder("tflite", "PRELU")
def prelu(d):
    x = d.pick(rank=range(2, 5))
    slope = d.form.operand(d, x, d.numbers_of(d.rng.choice((
        [1] * (x.rank - 2) + x.shape[-1:], x.shape[1:])), -1, 1))
    return d.layer("PRELU", [x, slope], leaky)


@builder("tflite", "ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "POW")
def binary(d):
    x = d.within(-30, 30)
    if d.op == "DIV":
        y = d.partner(x, 0.25, 8)
        if y.lo <= 0:
            raise Unfit
        f, keys = fused(d, numpy.divide)
        return d.layer("DIV", [x, y], f, **keys)
    if d.op == "POW":
        x = d.within(0.25, 6)
        y = d.form.operand(d, x, numpy.array([d.rng.choice((2.0, 0.5, -1.0))]))
        return d.layer("POW", [x, y], numpy.power)
    y = d.partner(x)
    operands = [x, y] if d.chance(0.6) else [y, x]
    name = {"MAXIMUM": "max", "MINIMUM": "min"}.get(d.op, d.op.lower())
    f, keys = ARITHMETIC[name], {}
    if d.op in ("ADD", "SUB", "MUL"):
        f, keys = fused(d, f)
    return d.layer(d.op, operands, f, **keys)


@builder("tflite", "FLOOR_DIV", "FLOOR_MOD")
def floor_div(d):
    x = d.within(-30, 30)
    y = d.partner(x, 0.5, 3)
    if y.lo <= 0:
        raise Unfit
    return d.layer(d.op, [x, y], numpy.floor_divide if d.op == "FLOOR_DIV" else numpy.mod)


@builder("tflite", "ADD_N")
def add_n(d):
    x = d.pick()
    others = [t for t in d.tensors if t.shape == x.shape and t.kind == x.kind]
    return d.layer("ADD_N", [x] + [d.rng.choice(others) for _ in range(d.rng.randint(1, 3))],
                   lambda *v: sum(v))


@builder("tflite", "EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
def compare(d):
    x = d.pick()
    return d.layer(d.op, [x, d.partner(x)], as_int(COMPARE[d.op.lower()]), ["bool"])


@builder("tflite", "LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT")
def logical(d):
    x = d.pick("bool")
    if d.op == "LOGICAL_NOT":
        return d.layer(d.op, [x], as_int(numpy.logical_not), ["bool"])
    y = d.pick("bool", fits=lambda t: t.shape == x.shape)
    return d.layer(d.op, [x, y], as_int(LOGIC[d.op[8:].lower()]), ["bool"])


@builder("tflite", "SELECT_V2", "SELECT")
def select(d):
    c = d.pick("bool")
    if d.op == "SELECT":
        x = d.pick(fits=lambda t: t.shape == c.shape)
        y = d.pick(fits=lambda t: t.shape == c.shape and d.form.can_meet(x, t))
    else:
        x = d.pick(fits=lambda t: spreads(t.shape, c.shape))
        y = d.partner(x)
    return d.layer(d.op, [c, x, y], lambda k, a, b: numpy.where(k != 0, a, b))


@builder("tflite", "BITWISE_XOR", "RIGHT_SHIFT")
def bits(d):
    x = d.pick("i32")
    y = d.ints([d.rng.randint(0, 6) for _ in range(x.shape[-1])])
    f = numpy.bitwise_xor if d.op == "BITWISE_XOR" else numpy.right_shift
    return d.layer(d.op, [x, y], f, ["i32"])


@builder("tflite", "CAST")
def cast(d):
    source, target = d.rng.choice((("i32", "f32"), ("bool", "f32"), ("f32", "i32"),
                                   ("bool", "i32")))
    if d.form.kind:
        raise Unfit
    x = d.pick(source)
    return d.layer("CAST", [x], lambda v: numpy.trunc(v).astype(float if target == "f32" else int),
                   [target])


@builder("tflite", "FAKE_QUANT")
def fake_quant(d):
    if d.form.kind:
        raise Unfit
    lo, hi = d.rng.choice(((-1.0, 1.0), (0.0, 6.0)))
    step = (hi - lo) / 255
    zero = numpy.floor(-lo / step + 0.5)
    low, high = -zero * step, (255 - zero) * step
    return d.layer(d.op, [d.pick()], lambda v: numpy.floor(
        (numpy.clip(v, low, high) - low) / step + 0.5) * step + low, min=lo, max=hi, num_bits=8,
        narrow_range=0)


@builder("tflite", "SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION")
def over_last(d):
    x = d.pick(rank=range(1, 5))
    if d.op == "SOFTMAX":
        beta = d.rng.choice((1.0, 1.0, 0.5, 2.0))
        return d.layer(d.op, [x], lambda v: softmax(beta * v, -1), beta=beta)
    if d.op == "LOG_SOFTMAX":
        return d.layer(d.op, [x], lambda v: log_softmax(v, -1))
    if min(float(REDUCE["l1"](v, -1).min()) for v in x.values) < 0.1:
        raise Unfit
    return d.layer(d.op, [x], lambda v: v / REDUCE["l2"](v, -1))


@builder("tflite", "LOCAL_RESPONSE_NORMALIZATION")
def local_norm(d):
    radius, alpha = d.rng.randint(0, 2), d.rng.choice((0.1, 1.0))
    beta = d.rng.choice((0.5, 0.75, 1.0))
    return d.layer(d.op, [d.pick(rank=4)], lambda v: lrn(v, radius, radius, alpha, beta, 1.0, 1),
                   radius=radius, bias=1.0, alpha=alpha, beta=beta)


@builder("tflite", "MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY",
         "REDUCE_ALL")
def reduce(d):
    name = d.op.lower().replace("reduce_", "")
    x = d.within(-3, 3) if name == "prod" else d.pick("bool" if name in ("any", "all") else "f32")
    axes = tuple(d.axes(x))
    keeps = d.chance(0.5)
    written = [a - x.rank if d.chance(0.2) else a for a in axes]

    def f(v, _):
        y = REDUCE[name](v, axes)
        return y if keeps else y.squeeze(axes)
    return d.layer(d.op, [x, d.ints(written)], f, ["bool" if name in ("any", "all") else "f32"],
                   like=x if name in ("max", "min") else None, keep_dims=int(keeps))


@builder("tflite", "ARG_MAX", "ARG_MIN")
def arg(d):
    x = d.pick(rank=range(2, 6))
    written, at = d.axis(x)
    largest = d.op == "ARG_MAX"
    return d.layer(d.op, [x, d.ints(written)], lambda v, _: arg_extreme(v, at, largest), ["i32"])


@builder("tflite", "TOPK_V2")
def topk(d):
    x = d.pick()
    k = d.rng.randint(1, x.shape[-1])
    return d.layer(d.op, [x, d.ints(k)], lambda v, _: top_k(v, k, v.ndim - 1, True, False),
                   ["f32", "i32"], like=x)


@builder("tflite", "CUMSUM")
def cumsum(d):
    x = d.pick()
    written, at = d.axis(x)
    exclusive, reverse = d.chance(0.4), d.chance(0.4)
    return d.layer(d.op, [x, d.ints(written)], lambda v, _: cumulate(v, at, exclusive, reverse),
                   exclusive=int(exclusive), reverse=int(reverse))


@builder("tflite", "SEGMENT_SUM")
def segment_sum(d):
    x = d.pick(fits=lambda t: t.shape[0] > 1)
    n = x.shape[0]
    rows = [0] * (n // 2) + [1] * (n - n // 2)
    return d.layer(d.op, [x, d.ints(rows)], lambda v, s: numpy.stack(
        [v[s == i].sum(0) for i in range(2)]))


@builder("tflite", "ONE_HOT")
def one_hot(d):
    x = d.pick("i32", rank=range(1, 4))
    if d.form.kind:
        raise Unfit
    depth = d.rng.randint(1, 6)
    return d.layer(d.op, [x, d.ints(depth), d.constant(2.5), d.constant(-1.0)],
                   lambda v, *_: numpy.where(v[..., None] == numpy.arange(depth), 2.5, -1.0),
                   axis=-1)


@builder("tflite", "QUANTIZE", "DEQUANTIZE")
def requantize(d):
    x = d.pick()
    if not d.form.kind:
        raise Unfit
    return d.layer("QUANTIZE", [x], lambda v: v, [of(x)])
