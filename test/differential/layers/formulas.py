"""What layers compute, written from their definitions with numpy, in double precision.

Images and volumes have their batch first and their channels last.

Example:
    y = conv(x, w, b, strides=[1, 1], pads=[(1, 1), (1, 1)], dilations=[1, 1])
"""
import math

import numpy

erf = numpy.vectorize(math.erf)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def softplus(x):
    return numpy.log1p(numpy.exp(-numpy.abs(x))) + numpy.maximum(x, 0)


# Functions of one tensor that need no keys: (least, greatest input, function).
UNARY = {
    "abs": (-99, 99, numpy.abs), "neg": (-99, 99, numpy.negative),
    "acos": (-0.9, 0.9, numpy.arccos), "acosh": (1.1, 8, numpy.arccosh),
    "asin": (-0.9, 0.9, numpy.arcsin), "asinh": (-8, 8, numpy.arcsinh),
    "atan": (-8, 8, numpy.arctan), "atanh": (-0.9, 0.9, numpy.arctanh),
    "cos": (-8, 8, numpy.cos), "cosh": (-4, 4, numpy.cosh), "erf": (-4, 4, erf),
    "exp": (-6, 4, numpy.exp), "log": (0.1, 64, numpy.log),
    "reciprocal": (0.1, 64, lambda x: 1 / x), "sin": (-8, 8, numpy.sin),
    "sinh": (-4, 4, numpy.sinh), "sqrt": (0.0625, 64, numpy.sqrt),
    "rsqrt": (0.0625, 64, lambda x: 1 / numpy.sqrt(x)), "square": (-9, 9, numpy.square),
    "tan": (-1.2, 1.2, numpy.tan), "ceil": (-99, 99, numpy.ceil),
    "floor": (-99, 99, numpy.floor), "round": (-99, 99, numpy.rint),
    "trunc": (-99, 99, numpy.trunc), "sign": (-99, 99, numpy.sign),
    "relu": (-99, 99, lambda x: numpy.maximum(x, 0)),
    "relu6": (-99, 99, lambda x: numpy.clip(x, 0, 6)),
    "relu1": (-99, 99, lambda x: numpy.clip(x, -1, 1)),
    "relu01": (-99, 99, lambda x: numpy.clip(x, 0, 1)),
    "sigmoid": (-12, 12, sigmoid), "tanh": (-9, 9, numpy.tanh),
    "gelu": (-8, 8, lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))),
    "gelu_tanh": (-8, 8, lambda x: x / 2 * (1 + numpy.tanh(
        math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    "hardswish": (-12, 12, lambda x: x * numpy.clip(x + 3, 0, 6) / 6),
    "softplus": (-12, 12, softplus), "softsign": (-30, 30, lambda x: x / (1 + numpy.abs(x))),
    "silu": (-12, 12, lambda x: x * sigmoid(x)),
    "mish": (-12, 12, lambda x: x * numpy.tanh(softplus(x))),
}

ARITHMETIC = {"add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply,
              "max": numpy.maximum, "min": numpy.minimum,
              "squared_difference": lambda a, b: (a - b)**2}
COMPARE = {"equal": numpy.equal, "not_equal": numpy.not_equal, "greater": numpy.greater,
           "greater_equal": numpy.greater_equal, "less": numpy.less,
           "less_equal": numpy.less_equal}
LOGIC = {"and": numpy.logical_and, "or": numpy.logical_or, "xor": numpy.logical_xor}


def as_int(f):
    """The function with results 0 and 1."""
    return lambda *arrays: numpy.asarray(f(*arrays)).astype(int)


def elu(x, alpha):
    return numpy.where(x >= 0, x, alpha * numpy.expm1(numpy.minimum(x, 0)))


def leaky(x, slope):
    return numpy.where(x >= 0, x, slope * x)


def softmax(x, axis):
    e = numpy.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x, axis):
    d = x - x.max(axis, keepdims=True)
    return d - numpy.log(numpy.exp(d).sum(axis, keepdims=True))


# Reductions of numpy arrays over axes, which stay with length 1.
REDUCE = {
    "mean": lambda x, a: x.mean(a, keepdims=True), "sum": lambda x, a: x.sum(a, keepdims=True),
    "min": lambda x, a: x.min(a, keepdims=True), "max": lambda x, a: x.max(a, keepdims=True),
    "prod": lambda x, a: x.prod(a, keepdims=True),
    "l1": lambda x, a: numpy.abs(x).sum(a, keepdims=True),
    "l2": lambda x, a: numpy.sqrt((x * x).sum(a, keepdims=True)),
    "variance": lambda x, a: x.var(a, keepdims=True),
    "unbiased_variance": lambda x, a: x.var(a, keepdims=True, ddof=1),
    "all": as_int(lambda x, a: (x != 0).all(a, keepdims=True)),
    "any": as_int(lambda x, a: (x != 0).any(a, keepdims=True)),
    "sum_square": lambda x, a: (x * x).sum(a, keepdims=True),
}


def normalised(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / numpy.sqrt(x.var(axes, keepdims=True) + epsilon)


def group_norm(x, groups, epsilon):
    parts = x.reshape([x.shape[0], -1, groups, x.shape[-1] // groups])
    return normalised(parts, (1, 3), epsilon).reshape(x.shape)


def rms_norm(x, axes, epsilon):
    return x / numpy.sqrt((x * x).mean(axes, keepdims=True) + epsilon)


def lrn(x, before, after, alpha, beta, bias, divisor):
    """Over channels: so many before and after each; the sum of squares is divided."""
    square = numpy.zeros(x.shape)
    channels = x.shape[-1]
    for c in range(channels):
        square[..., c] = (x[..., max(0, c - before):c + after + 1]**2).sum(-1)
    return x / (bias + alpha * square / divisor)**beta


def cumulate(x, axis, exclusive, reverse, product=False):
    if reverse:
        x = numpy.flip(x, axis)
    y = numpy.cumprod(x, axis) if product else numpy.cumsum(x, axis)
    if exclusive:
        first = numpy.take(x, [0], axis) * 0 + (1 if product else 0)
        y = numpy.concatenate([first, numpy.delete(y, -1, axis)], axis)
    return numpy.flip(y, axis) if reverse else y


def top_k(x, k, axis, largest, takes_last):
    """Values and indices, sorted; of equal ones the first or last."""
    keys = -x if largest else x
    if takes_last:
        order = numpy.flip(keys, axis)
        order = x.shape[axis] - 1 - numpy.argsort(order, axis, kind="stable")
    else:
        order = numpy.argsort(keys, axis, kind="stable")
    order = numpy.take(order, range(k), axis)
    return numpy.take_along_axis(x, order, axis), order


def arg_extreme(x, axis, largest, takes_last=False):
    keys = x if largest else -x
    if takes_last:
        return x.shape[axis] - 1 - numpy.flip(keys, axis).argmax(axis)
    return keys.argmax(axis)


def reverse_sequence(x, lengths, batch_axis, time_axis):
    y = x.copy()
    for n, length in enumerate(numpy.ravel(lengths)):
        at = [slice(None)] * x.ndim
        at[batch_axis], at[time_axis] = n, slice(0, int(length))
        inner = time_axis - (batch_axis < time_axis)
        y[tuple(at)] = numpy.flip(x[tuple(at)], inner)
    return y


def scatter_elements(data, index, updates, axis, reduction):
    y = data.copy()
    for at in numpy.ndindex(*index.shape):
        place = list(at)
        place[axis] = int(index[at])
        combine(y, tuple(place), updates[at], reduction)
    return y


def scatter_nd(data, index, updates, reduction):
    y = data.copy()
    for at in numpy.ndindex(*index.shape[:-1]):
        combine(y, tuple(int(i) for i in index[at]), updates[at], reduction)
    return y


def combine(y, place, value, reduction):
    functions = {"NONE": lambda a, b: b, "ADD": numpy.add, "MUL": numpy.multiply,
                 "MAX": numpy.maximum, "MIN": numpy.minimum}
    y[place] = functions[reduction](y[place], value)


def gather_nd(x, index, batch_dims=0):
    if batch_dims:
        return numpy.stack([gather_nd(a, i, batch_dims - 1) for a, i in zip(x, index)])
    return x[tuple(numpy.moveaxis(index, -1, 0))]


def gather(x, index, axis, batch_dims=0):
    if batch_dims:
        return numpy.stack([gather(a, i, axis - 1, batch_dims - 1) for a, i in zip(x, index)])
    return numpy.take(x, index, axis)


def lstm(x, h, c, w, b, clip=None):
    """Gates in the order i, c, f, o; rows of w are [input | state]. All states, last state, cell."""
    steps = []
    for t in range(x.shape[1]):
        i, g, f, o = numpy.split(numpy.concatenate([x[:, t], h], 1) @ w.T + b, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
        if clip:
            c = numpy.clip(c, -clip, clip)
        h = sigmoid(o) * numpy.tanh(c)
        steps.append(h)
    return numpy.stack(steps, 1), h, c


def gru(x, h, w, b, resets_after):
    """Gates in the order r, z, c. All states, last state."""
    n, inputs = h.shape[1], x.shape[2]
    steps = []
    wx, wh = w[:, :inputs], w[:, inputs:]
    for t in range(x.shape[1]):
        gx = x[:, t] @ wx.T + b[:3 * n]
        r = sigmoid(gx[:, :n] + h @ wh[:n].T)
        z = sigmoid(gx[:, n:2 * n] + h @ wh[n:2 * n].T)
        inner = r * (h @ wh[2 * n:].T + b[3 * n:]) if resets_after else (r * h) @ wh[2 * n:].T
        h = z * h + (1 - z) * numpy.tanh(gx[:, 2 * n:] + inner)
        steps.append(h)
    return numpy.stack(steps, 1), h
