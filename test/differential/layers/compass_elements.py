"""Builders of Compass layers that compute element by element."""
import numpy
from compass_form import blob
from drawing import Unfit, builder
from formulas import (ARITHMETIC, COMPARE, LOGIC, UNARY, as_int, elu, leaky, sigmoid)

TYPES = {"Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh",
         "Atan": "atan", "Atanh": "atanh", "BNLL": "softplus", "Ceil": "ceil", "Cosh": "cosh",
         "Cosine": "cos", "Erf": "erf", "Exp": "exp", "Floor": "floor", "Log": "log",
         "Negative": "neg", "Reciprocal": "reciprocal", "Round": "round", "Rsqrt": "rsqrt",
         "Sign": "sign", "Sine": "sin", "Sinh": "sinh", "Sqrt": "sqrt", "Square": "square",
         "Tan": "tan", "Trunc": "trunc"}


@builder("compass", *TYPES)
def unary(d):
    lo, hi, f = UNARY[TYPES[d.op]]
    return d.layer(d.op, [d.within(lo, hi)], f)


METHODS = ("RELU", "RELU6", "CLIP", "LEAKYRELU", "PRELU", "CRELU", "SIGMOID", "TANH", "GELU", "ELU",
           "SELU", "CELU", "HARDSWISH", "HARDSIGMOID", "SOFTPLUS", "SOFTSIGN", "SILU", "SWISH",
           "MISH", "SHRINK", "THRESHOLDEDRELU")
SIMPLE = {"SIGMOID", "TANH", "HARDSWISH", "SOFTPLUS", "SOFTSIGN", "SILU", "MISH"}


def slope_shape(d, shape):
    return d.rng.choice((list(shape), [shape[-1]], [1] * (len(shape) - 1) + [shape[-1]], [1]))


@builder("compass", "Activation")
def activation(d):
    method = d.rng.choice(METHODS)
    x = d.within(-9, 9)
    a = round(d.rng.uniform(0.1, 1.5), 3)
    keys, f = {}, UNARY.get(method.lower(), (0, 0, None))[2]
    given = d.chance(0.7)
    if method == "CLIP":
        lo, hi = d.rng.choice(((0, 6), (-1, 1), (0, 1), (-2, 2.5), (-0.5, 4)))
        keys, f = {"clip_min": float(lo), "clip_max": float(hi)}, lambda v: numpy.clip(v, lo, hi)
    elif method == "LEAKYRELU":
        keys, f = {"negative_slope_value": a}, lambda v: leaky(v, a)
    elif method == "PRELU":
        slope = d.numbers_of(slope_shape(d, x.shape), -1, 1)
        keys, f = {"negative_slope": blob(slope)}, lambda v: leaky(v, slope)
    elif method == "CRELU":
        written, at = d.axis(x)
        keys = {"axis": written} if given else {}
        at = at if given else -1
        f = lambda v: numpy.concatenate([numpy.maximum(v, 0), numpy.maximum(-v, 0)], at)
    elif method == "GELU":
        way = d.rng.choice((None, "NONE", "TANH"))
        keys, f = {"approximate": way}, UNARY["gelu_tanh" if way == "TANH" else "gelu"][2]
    elif method in ("ELU", "CELU"):
        keys = {"alpha": a} if given else {}
        a = a if given else 1.0
        f = lambda v: elu(v, a) if method == "ELU" else a * elu(v / a, 1.0)
        if method == "CELU":
            f = lambda v: numpy.maximum(v, 0) + numpy.minimum(a * numpy.expm1(v / a), 0)
    elif method == "SELU":
        keys = {"alpha": a, "gamma": 1.25} if given else {}
        alpha, gamma = (a, 1.25) if given else (1.67326324, 1.05070098)
        f = lambda v: gamma * elu(v, alpha)
    elif method == "HARDSIGMOID":
        b = round(d.rng.uniform(0.1, 0.9), 3)
        keys, f = {"alpha": a, "beta": b}, lambda v: numpy.clip(a * v + b, 0, 1)
    elif method == "SWISH":
        keys = {"alpha": a} if given else {}
        a = a if given else 1.0
        f = lambda v: v * sigmoid(a * v)
    elif method == "SHRINK":
        keys = {"lambd": 0.75, "bias": 0.25} if given else {}
        lambd, bias = (0.75, 0.25) if given else (0.5, 0.0)
        f = lambda v: numpy.where(v < -lambd, v + bias, numpy.where(v > lambd, v - bias, 0))
    elif method == "THRESHOLDEDRELU":
        keys = {"alpha": 0.5} if given else {}
        least = 0.5 if given else 1.0
        f = lambda v: numpy.where(v > least, v, 0)
    return d.layer("Activation", [x], f, method=method, **keys)


def fused(d, f, channels):
    """Keys of an activation of the layer, and the function with it."""
    way = d.rng.choice(("NONE", "NONE", "RELU", "RELU6", "CLIP", "LEAKYRELU", "PRELU"))
    keys = {"with_activation": way}
    after = {"RELU": lambda y: numpy.maximum(y, 0), "RELU6": lambda y: numpy.clip(y, 0, 6)}.get(way)
    if way == "CLIP":
        keys.update(clip_min=-1.0, clip_max=1.5)
        after = lambda y: numpy.clip(y, -1.0, 1.5)
    elif way == "LEAKYRELU":
        keys["negative_slope_value"] = 0.125
        after = lambda y: leaky(y, 0.125)
    elif way == "PRELU":
        slope = d.numbers_of([channels], -1, 1)
        keys["negative_slope"] = blob(slope)
        after = lambda y: leaky(y, slope)
    return (lambda *v: after(f(*v))) if after else f, keys


@builder("compass", "Add", "Sub", "Mul", "Eltwise", "SquaredDifference")
def arithmetic(d):
    x = d.within(-30, 30)
    y = d.partner(x)
    if d.op == "SquaredDifference":
        return d.layer(d.op, [x, y], ARITHMETIC["squared_difference"])
    method = d.rng.choice(("ADD", "SUB", "MUL", "MAX", "MIN")) if d.op == "Eltwise" else d.op
    operands = [x, y] if d.chance(0.6) else [y, x]
    f, keys = fused(d, ARITHMETIC[method.lower()], x.shape[-1])
    if d.op == "Eltwise":
        keys["method"] = method
    elif d.chance(0.3):
        f, keys = ARITHMETIC[method.lower()], {}
    return d.layer(d.op, operands, f, **keys)


@builder("compass", "BiasAdd")
def bias_add(d):
    x = d.pick()
    b = d.numbers_of([x.shape[-1]], -2, 2)
    return d.layer("BiasAdd", [x], lambda v: v + b, biases=blob(b))


@builder("compass", "Div")
def div(d):
    x = d.within(-30, 30)
    y = d.partner(x, 0.25, 8)
    if y.lo <= 0:
        raise Unfit
    return d.layer("Div", [x, y], numpy.divide)


@builder("compass", "Mod")
def mod(d):
    x = d.within(-30, 30)
    y = d.partner(x, 0.5, 3)
    fmod = d.chance(0.5)
    if y.lo <= 0:
        raise Unfit
    return d.layer("Mod", [x, y], numpy.fmod if fmod else numpy.mod, fmod=fmod)


@builder("compass", "Pow")
def power(d):
    if d.chance(0.5):
        x, p = d.within(-4, 4), d.rng.choice((2.0, 3.0, 1.0))
    else:
        x, p = d.within(0.25, 6), d.rng.choice((0.5, -1.0, 1.5, 2.0))
    if d.chance(0.3):
        return d.layer("Pow", [x], lambda v: v**p, exponent=p)
    if x.lo > 0 and d.chance(0.5):
        return d.layer("Pow", [x, d.partner(x, -1, 2)], numpy.power)
    return d.layer("Pow", [x, d.constant([p])], numpy.power)


@builder("compass", "Logical")
def logical(d):
    kind = d.rng.choice(("u8", "bool"))
    if d.chance(0.4):
        try:
            x = d.pick(kind)
        except Unfit:
            x = d.pick()
        if d.chance(0.3):
            return d.layer("Logical", [x], as_int(lambda v: v == 0), [kind], method="NOT")
        y = d.pick(None if x.kind != "f32" else "f32", fits=lambda t: t.kind == x.kind and
                   t.shape == x.shape)
        name = d.rng.choice(sorted(LOGIC))
        return d.layer("Logical", [x, y], as_int(LOGIC[name]), [kind], method=name.upper())
    x = d.pick()
    name = d.rng.choice(sorted(COMPARE))
    return d.layer("Logical", [x, d.partner(x)], as_int(COMPARE[name]), [kind],
                   method=name.upper())


@builder("compass", "Where")
def where(d):
    try:
        c = d.pick(d.rng.choice(("u8", "bool")))
    except Unfit:
        x = d.pick()
        c = d.layer("Logical", [x, d.partner(x)], as_int(numpy.greater), ["u8"], method="GREATER")
    from drawing import fits
    found = [t for t in d.tensors if t.kind == "f32" and fits(t.shape, c.shape)]
    x = d.rng.choice(found[-6:])
    operands = [x, d.partner(x)]
    if d.chance(0.5):
        operands.reverse()
    return d.layer("Where", [c, *operands], lambda k, a, b: numpy.where(k != 0, a, b))


@builder("compass", "IsInf", "IsNaN")
def special(d):
    kind = d.rng.choice(("u8", "bool"))
    f = as_int(numpy.isinf if d.op == "IsInf" else numpy.isnan)
    keys = {"detect_negative": d.chance(0.5), "detect_positive": d.chance(0.5)} \
        if d.op == "IsInf" else {}
    return d.layer(d.op, [d.pick()], f, [kind], **keys)


@builder("compass", "Cast")
def cast(d):
    source, target = d.rng.choice((("u8", "f32"), ("i32", "f32"), ("bool", "f32"), ("f32", "i32"),
                                   ("f32", "u8"), ("f32", "i8"), ("i32", "i8"), ("u8", "i32")))
    x = d.pick(source)
    lo, hi = {"u8": (0, 255), "i8": (-128, 127)}.get(target, (-30000, 30000))
    if x.lo < lo or x.hi > hi:
        raise Unfit
    words = {"f32": "float32", "i32": "int32", "u8": "uint8", "i8": "int8"}
    f = (lambda v: v.astype(float)) if target == "f32" else lambda v: numpy.trunc(v).astype(int)
    return d.layer("Cast", [x], f, [target], to_dtype=words[target])


@builder("compass", "DivMod", "Bitwise", "BitShift")
def integers(d):
    x = d.pick("i32")
    y = d.ints([[1, 2, 3, 5, 7, -2][d.rng.randrange(6)] for _ in range(x.shape[-1])])
    if d.op == "DivMod":
        mode = d.rng.choice(("FLOOR", "TRUNC"))

        def f(a, b):
            q = numpy.floor_divide(a, b) if mode == "FLOOR" else \
                numpy.trunc(a / b).astype(int)
            return q, a - q * b
        return d.layer("DivMod", [x, y], f, ["i32", "i32"], mode=mode)
    if d.op == "BitShift":
        if x.lo < 0 or x.hi > 4000:
            raise Unfit
        y = d.ints([d.rng.randint(0, 6) for _ in range(x.shape[-1])])
        way = d.rng.choice(("LEFT", "RIGHT"))
        return d.layer("BitShift", [x, y], numpy.left_shift if way == "LEFT" else numpy.right_shift,
                       ["i32"], direction=way)
    method = d.rng.choice(("AND", "OR", "XOR", "NOT"))
    if method == "NOT":
        return d.layer("Bitwise", [x], numpy.invert, ["i32"], method=method)
    f = {"AND": numpy.bitwise_and, "OR": numpy.bitwise_or, "XOR": numpy.bitwise_xor}[method]
    return d.layer("Bitwise", [x, y], f, ["i32"], method=method)
