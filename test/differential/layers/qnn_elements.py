"""Builders of QNN's operators that compute element by element, and along axes."""
import math

import numpy
from drawing import Unfit, builder
from drawing import fits as spreads
from formulas import (ARITHMETIC, COMPARE, LOGIC, REDUCE, UNARY, arg_extreme, as_int, cumulate, elu,
                      group_norm, leaky, log_softmax, lrn, normalised, rms_norm, softmax, top_k)
from qnn_form import kept

NAMES = {"ElementWiseAbs": "abs", "ElementWiseAsin": "asin", "ElementWiseAtan": "atan",
         "ElementWiseCeil": "ceil", "ElementWiseCos": "cos", "ElementWiseExp": "exp",
         "ElementWiseFloor": "floor", "ElementWiseLog": "log", "ElementWiseNeg": "neg",
         "ElementWiseRound": "round", "ElementWiseRsqrt": "rsqrt", "ElementWiseSign": "sign",
         "ElementWiseSin": "sin", "ElementWiseSquareRoot": "sqrt", "Gelu": "gelu",
         "HardSwish": "hardswish", "Relu": "relu", "Relu1": "relu1", "Relu6": "relu6",
         "Sigmoid": "sigmoid", "Tanh": "tanh"}
FLOATS = {"ElementWiseCos", "ElementWiseLog", "ElementWiseRsqrt", "ElementWiseSin"}
UNARY_NUMBERS = ("abs", "asin", "atan", "ceil", "cos", "exp", "floor", "log", "neg", None,
                 "reciprocal", "round", "rsqrt", "sign", "sin", "sqrt")


@builder("qnn", *NAMES)
def unary(d):
    if d.form.kind and d.op in FLOATS:
        raise Unfit
    lo, hi, f = UNARY[NAMES[d.op]]
    return d.layer(d.op, [d.within(lo, hi)], f)


@builder("qnn", "ElementWiseUnary")
def any_unary(d):
    number = d.rng.choice([i for i, n in enumerate(UNARY_NUMBERS) if n])
    lo, hi, f = UNARY[UNARY_NUMBERS[number]]
    return d.layer(d.op, [d.within(lo, hi)], f, operation=number)


@builder("qnn", "Elu", "ElementWiseSoftplus", "ReluMinMax", "ElementWiseNeuron")
def with_numbers(d):
    x = d.within(-8, 8)
    a = d.rng.choice((0.25, 0.5, 1.0, 1.5))
    if d.op == "Elu":
        return d.layer("Elu", [x], lambda v: elu(v, a), alpha=a)
    if d.op == "ElementWiseSoftplus":
        return d.layer(d.op, [x], lambda v: UNARY["softplus"][2](a * v) / a, beta=a)
    if d.op == "ReluMinMax":
        lo, hi = d.rng.choice(((0.0, 6.0), (-1.0, 1.0), (-0.5, 4.0)))
        return d.layer(d.op, [x], lambda v: numpy.clip(v, lo, hi), min_value=lo, max_value=hi)
    way = d.rng.randrange(9)
    keys = {}
    f = {1: "gelu", 3: "hardswish", 4: "relu", 6: "sigmoid", 7: "softplus", 8: "tanh"}.get(way)
    f = UNARY[f][2] if f else None
    if way == 0:
        keys, f = {"alpha": a}, lambda v: elu(v, a)
    elif way == 2:
        keys, f = {"alpha": 0.25, "beta": 0.5}, lambda v: numpy.clip(0.25 * v + 0.5, 0, 1)
    elif way == 5:
        keys, f = {"min_value": -1.0, "max_value": 2.0}, lambda v: numpy.clip(v, -1, 2)
    return d.layer(d.op, [x], f, operation=way, **keys)


@builder("qnn", "Prelu")
def prelu(d):
    x = d.pick(rank=range(2, 5))
    slope = d.form.operand(d, x, d.numbers_of(d.rng.choice(([x.shape[-1]], x.shape)), -1, 1))
    return d.layer("Prelu", [x, slope], leaky)


BINARY = {"Add": "add", "Subtract": "sub", "Multiply": "mul", "Maximum": "max", "Minimum": "min",
          "SquaredDifference": "squared_difference"}


@builder("qnn", *("ElementWise" + n for n in BINARY))
def binary(d):
    x = d.within(-30, 30)
    y = d.partner(x)
    f = ARITHMETIC[BINARY[d.op[11:]]]
    return d.layer(d.op, [x, y] if d.chance(0.6) else [y, x], f)


@builder("qnn", "ElementWiseBinary")
def any_binary(d):
    x = d.within(-30, 30)
    number, name = d.rng.choice(((0, "add"), (10, "max"), (11, "min"), (13, "mul"), (18, "sub"),
                                 (17, "squared_difference")))
    return d.layer(d.op, [x, d.partner(x)], ARITHMETIC[name], operation=number)


@builder("qnn", "ElementWiseDivide", "ElementWiseFloorDiv", "ElementWiseFmod", "ElementWisePower")
def quotients(d):
    x = d.within(-30, 30)
    if d.op == "ElementWisePower":
        x = d.within(0.25, 6)
        y = d.form.operand(d, x, numpy.array([d.rng.choice((2.0, 0.5, -1.0, 3.0))]))
        return d.layer(d.op, [x, y], numpy.power)
    y = d.partner(x, 0.5, 4)
    if y.lo <= 0:
        raise Unfit
    f = {"Divide": numpy.divide, "FloorDiv": numpy.floor_divide, "Fmod": numpy.fmod}[d.op[11:]]
    return d.layer(d.op, [x, y], f)


@builder("qnn", "ElementWiseEqual", "ElementWiseNotEqual", "ElementWiseGreater",
         "ElementWiseGreaterEqual", "ElementWiseLess", "ElementWiseLessEqual")
def compare(d):
    x = d.pick()
    name = {"Equal": "equal", "NotEqual": "not_equal", "Greater": "greater", "Less": "less",
            "GreaterEqual": "greater_equal", "LessEqual": "less_equal"}[d.op[11:]]
    return d.layer(d.op, [x, d.partner(x)], as_int(COMPARE[name]), ["bool"])


@builder("qnn", "ElementWiseAnd", "ElementWiseOr", "ElementWiseXor", "ElementWiseNot")
def logical(d):
    x = d.pick("bool")
    if d.op == "ElementWiseNot":
        return d.layer(d.op, [x], as_int(numpy.logical_not), ["bool"])
    y = d.pick("bool", fits=lambda t: t.shape == x.shape)
    return d.layer(d.op, [x, y], as_int(LOGIC[d.op[11:].lower()]), ["bool"])


@builder("qnn", "ElementWiseSelect")
def select(d):
    c = d.pick("bool")
    x = d.pick(fits=lambda t: spreads(t.shape, c.shape))
    return d.layer(d.op, [c, x, d.partner(x)], lambda k, a, b: numpy.where(k != 0, a, b))


@builder("qnn", "IsInf", "IsNan")
def special(d):
    if d.form.kind:
        raise Unfit
    return d.layer(d.op, [d.pick()], as_int(numpy.isinf if d.op == "IsInf" else numpy.isnan),
                   ["bool"])


@builder("qnn", "Convert")
def convert(d):
    x = d.pick()
    if not d.form.kind:
        raise Unfit
    return d.layer("Convert", [x], lambda v: v)


@builder("qnn", "Cast")
def cast(d):
    x = d.pick("bool" if d.form.kind or d.chance(0.5) else "i32")
    if d.form.kind:
        return d.layer("Cast", [x], lambda v: v, ["i32"])
    return d.layer("Cast", [x], lambda v: v.astype(float))


@builder("qnn", "Softmax", "LogSoftmax")
def softmaxes(d):
    x = d.pick()
    _, at = d.axis(x)
    beta = d.rng.choice((1.0, 1.0, 0.5, 2.0))
    f = softmax if d.op == "Softmax" else log_softmax
    return d.layer(d.op, [x], lambda v: f(beta * v, at), axis=at, beta=beta)


@builder("qnn", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
         "ReduceSumSquare")
def reduce(d):
    name = {"ReduceSumSquare": "sum_square"}.get(d.op, d.op[6:].lower())
    x = d.within(-3, 3) if name == "prod" else d.pick()
    axes = d.axes(x)
    keeps = d.chance(0.5) or len(axes) == x.rank

    def f(v):
        y = REDUCE[name](v, tuple(axes))
        return y if keeps else y.squeeze(tuple(axes))
    return d.layer(d.op, [x], f, axes=axes, keep_dims=keeps)


@builder("qnn", "Argmax", "Argmin")
def arg(d):
    x = d.pick(rank=range(2, 6))
    _, at = d.axis(x)
    keeps, largest = d.chance(0.5), d.op == "Argmax"

    def f(v):
        y = arg_extreme(v, at, largest)
        return numpy.expand_dims(y, at) if keeps else y
    return d.layer(d.op, [x], f, ["i32"], axis=at, keep_dims=keeps)


@builder("qnn", "TopK")
def topk(d):
    x = d.pick()
    k = d.rng.randint(1, x.shape[-1])
    largest = d.chance(0.7)
    return d.layer(d.op, [x], lambda v: top_k(v, k, v.ndim - 1, largest, True), ["f32", "i32"],
                   like=kept(x), k=k, largest=largest)


@builder("qnn", "CumulativeSum")
def cumsum(d):
    x = d.pick()
    _, at = d.axis(x)
    exclusive, reverse = d.chance(0.4), d.chance(0.4)
    return d.layer(d.op, [x], lambda v: cumulate(v, at, exclusive, reverse), axis=at,
                   exclusive=exclusive, reverse=reverse)


@builder("qnn", "Batchnorm")
def batch_norm(d):
    x = d.pick(rank=range(2, 5))
    n = x.shape[-1]
    w = d.form.operand(d, x, d.numbers_of([n], 0.2, 2))
    b = d.form.operand(d, x, d.numbers_of([n], -1, 1))
    return d.layer(d.op, [x, w, b], lambda v, k, c: v * k + c)


@builder("qnn", "LayerNorm", "RmsNorm")
def layer_norm(d):
    x = d.pick(rank=range(2, 5), fits=lambda t: t.shape[-1] > 1)
    first = x.rank - 1 if d.chance(0.7) else d.rng.randrange(1, x.rank)
    axes = tuple(range(first, x.rank))
    g = d.form.operand(d, x, d.numbers_of(x.shape[first:], 0.2, 2))
    b = d.form.operand(d, x, d.numbers_of(x.shape[first:], -1, 1))
    epsilon = d.rng.choice((1e-5, 1e-3, 0.01))
    norm = normalised if d.op == "LayerNorm" else rms_norm
    return d.layer(d.op, [x, g, b], lambda v, k, c: norm(v, axes, epsilon) * k + c,
                   axes=list(axes), epsilon=epsilon)


@builder("qnn", "InstanceNorm", "GroupNorm")
def instance_norm(d):
    x = d.pick(rank=(3, 4), fits=lambda t: math.prod(t.shape[1:-1]) > 1)
    n = x.shape[-1]
    g = d.form.operand(d, x, d.numbers_of([n], 0.2, 2))
    b = d.form.operand(d, x, d.numbers_of([n], -1, 1))
    epsilon = d.rng.choice((1e-5, 1e-3, 0.01))
    if d.op == "GroupNorm":
        groups = d.rng.choice([k for k in range(1, n + 1) if n % k == 0])
        return d.layer(d.op, [x, g, b], lambda v, k, c: group_norm(v, groups, epsilon) * k + c,
                       group=groups, epsilon=epsilon)
    axes = tuple(range(1, x.rank - 1))
    return d.layer(d.op, [x, g, b], lambda v, k, c: normalised(v, axes, epsilon) * k + c,
                   epsilon=epsilon)


@builder("qnn", "L2Norm")
def l2_norm(d):
    x = d.pick()
    _, at = d.axis(x)
    if min(float(REDUCE["l1"](v, at).min()) for v in x.values) < 0.1:
        raise Unfit
    return d.layer(d.op, [x], lambda v: v / REDUCE["l2"](v, at), axis=at)


@builder("qnn", "Lrn")
def local_norm(d):
    x = d.pick(rank=4)
    radius, alpha = d.rng.randint(0, 2), d.rng.choice((0.1, 1.0))
    beta = d.rng.choice((0.5, 0.75, 1.0))
    return d.layer(d.op, [x], lambda v: lrn(v, radius, radius, alpha, beta, 1.0, 1), radius=radius,
                   alpha=alpha, beta=beta, bias=1.0)


@builder("qnn", "Moments")
def moments(d):
    x = d.pick(rank=range(2, 5))
    axes = d.axes(x)
    keeps = d.chance(0.6) or len(axes) == x.rank
    return d.layer(d.op, [x], lambda v: (v.mean(tuple(axes), keepdims=keeps),
                                         v.var(tuple(axes), keepdims=keeps)), ["f32", "f32"],
                   axes=axes, keep_dims=keeps)


@builder("qnn", "OneHot")
def one_hot(d):
    x = d.pick("i32", rank=range(1, 4), fits=lambda t: t.lo >= 0)
    depth = int(x.hi) + d.rng.randint(1, 3)
    if d.form.kind or depth > 20:
        raise Unfit
    return d.layer(d.op, [x], lambda v: numpy.where(v[..., None] == numpy.arange(depth), 2.5, -1.0),
                   depth=depth, axis=x.rank, on_value=2.5, off_value=-1.0)
