"""Convolutions, pools and resizing from their definitions, for any number of spatial axes.

Example:
    pooled = pool(x, [2, 2], [2, 2], [(0, 0), (0, 1)], [1, 1], "MAX")
"""
import math
from fractions import Fraction

import numpy

HALF = Fraction(1, 2)


def lengths_after(lengths, kernel, strides, pads, dilations):
    return [(n + p[0] + p[1] - ((k - 1) * d + 1)) // s + 1
            for n, k, s, p, d in zip(lengths, kernel, strides, pads, dilations)]


def cells(x, kernel, strides, pads, dilations, fill=0.0):
    """Each cell of the windows, in row-major order: arrays of the result's shape."""
    out = lengths_after(x.shape[1:-1], kernel, strides, pads, dilations)
    padded = numpy.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill)
    for place in numpy.ndindex(*kernel):
        at = [slice(p * d, p * d + (n - 1) * s + 1, s)
              for p, d, s, n in zip(place, dilations, strides, out)]
        yield place, padded[(slice(None), *at, slice(None))]


def conv(x, w, b, strides, pads, dilations, group=1):
    """Weights [output, kernel ..., input / group]."""
    parts = []
    for xs, ws in zip(numpy.split(x, group, -1), numpy.split(w, group, 0)):
        parts.append(sum(cell @ ws[(slice(None), *place)].T for place, cell in
                         cells(xs, w.shape[1:-1], strides, pads, dilations)))
    return numpy.concatenate(parts, -1) + b


def conv_transpose(x, w, b, strides, pads, dilations, extra, group=1):
    """Weights [output, kernel ..., input / group]."""
    kernel = w.shape[1:-1]
    full = [(n - 1) * s + (k - 1) * d + 1 + e
            for n, s, k, d, e in zip(x.shape[1:-1], strides, kernel, dilations, extra)]
    parts = []
    for xs, ws in zip(numpy.split(x, group, -1), numpy.split(w, group, 0)):
        y = numpy.zeros([x.shape[0], *full, ws.shape[0]])
        for place in numpy.ndindex(*kernel):
            at = [slice(p * d, p * d + (n - 1) * s + 1, s)
                  for p, d, s, n in zip(place, dilations, strides, x.shape[1:-1])]
            y[(slice(None), *at, slice(None))] += xs @ ws[(slice(None), *place)].T
        parts.append(y)
    y = numpy.concatenate(parts, -1)
    at = [slice(p[0], n - p[1]) for p, n in zip(pads, full)]
    return y[(slice(None), *at, slice(None))] + b


def pool(x, kernel, strides, pads, dilations, method, counts_pads=False):
    given = [c for _, c in cells(x, kernel, strides, pads, dilations,
                                 -numpy.inf if method == "MAX" else 0.0)]
    if method == "MAX":
        return numpy.max(given, 0)
    if method == "L1":
        return numpy.sum(numpy.abs(given), 0)
    if method == "L2":
        return numpy.sqrt(numpy.sum(numpy.square(given), 0))
    ones = [c for _, c in cells(numpy.ones(x.shape), kernel, strides, pads, dilations,
                                1.0 if counts_pads else 0.0)]
    return numpy.sum(given, 0) / numpy.sum(ones, 0)


def morphology(x, w, strides, pads, dilations, is_dilation):
    """Greatest sums or least differences; weights [channels, rows, columns, 1]."""
    found = []
    for (row, column), cell in cells(x, w.shape[1:3], strides, pads, dilations,
                                     -numpy.inf if is_dilation else numpy.inf):
        found.append(cell + w[:, row, column, 0] if is_dilation else
                     cell - w[:, w.shape[1] - 1 - row, w.shape[2] - 1 - column, 0])
    return numpy.max(found, 0) if is_dilation else numpy.min(found, 0)


def adaptive(x, sizes, f):
    """Cells floor(i * n / m) to ceil((i + 1) * n / m) of each axis."""
    y = numpy.zeros([x.shape[0], *sizes, x.shape[-1]])
    for place in numpy.ndindex(*sizes):
        at = [slice(p * n // m, -(-(p + 1) * n // m))
              for p, n, m in zip(place, x.shape[1:-1], sizes)]
        part = x[(slice(None), *at, slice(None))]
        y[(slice(None), *place, slice(None))] = f(part, tuple(range(1, x.ndim - 1)))
    return y


def arg_pool(x, kernel, strides, pads, dilations):
    """Maxima, and the row and column of the first of each."""
    height, width = x.shape[1:3]
    rows = numpy.broadcast_to(numpy.arange(height)[:, None, None], x.shape[1:])[None]
    columns = numpy.broadcast_to(numpy.arange(width)[None, :, None], x.shape[1:])[None]
    rows, columns = (numpy.broadcast_to(v, x.shape) for v in (rows, columns))
    args = kernel, strides, pads, dilations
    given = numpy.stack([c for _, c in cells(x, *args, -numpy.inf)])
    first = given.argmax(0)[None]
    found = [numpy.take_along_axis(numpy.stack([c for _, c in cells(v, *args, -1)]), first, 0)[0]
             for v in (rows, columns)]
    return given.max(0), found[0], found[1]


def source(i, n, m, mode):
    """Where element i of m comes from among n, exactly."""
    if mode == "ALIGN_CORNERS":
        return Fraction(i * (n - 1), m - 1) if m > 1 else Fraction(0)
    if mode == "ASYMMETRIC":
        return Fraction(i * n, m)
    if mode == "TF_HALF_PIXEL_FOR_NN":
        return Fraction((2 * i + 1) * n, 2 * m)
    if mode == "PYTORCH_HALF_PIXEL" and m <= 1:
        return Fraction(0)
    return Fraction((2 * i + 1) * n, 2 * m) - HALF


def nearest(v, mode):
    return {"ROUND_PREFER_FLOOR": lambda: math.ceil(v - HALF),
            "ROUND_PREFER_CEIL": lambda: math.floor(v + HALF),
            "FLOOR": lambda: math.floor(v), "CEIL": lambda: math.ceil(v)}[mode]()


def resize(x, size, mode, nearest_mode=None):
    """Rows and columns resized, BILINEAR unless there is a nearest_mode."""
    for axis, m in ((1, size[0]), (2, size[1])):
        n = x.shape[axis]
        weights = numpy.zeros([m, n])
        for i in range(m):
            v = source(i, n, m, mode)
            if nearest_mode:
                weights[i, min(max(nearest(v, nearest_mode), 0), n - 1)] = 1
                continue
            low = math.floor(v)
            for at, part in ((low, 1 - (v - low)), (low + 1, v - low)):
                weights[i, min(max(at, 0), n - 1)] += float(part)
        x = numpy.moveaxis(numpy.tensordot(weights, x, (1, axis)), 0, axis)
    return x


def depth_to_space(x, by, bx, mode="DCR"):
    n, h, w, c = x.shape
    c //= by * bx
    if mode == "DCR":
        y = x.reshape(n, h, w, by, bx, c).transpose(0, 1, 3, 2, 4, 5)
    else:
        y = x.reshape(n, h, w, c, by, bx).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, h * by, w * bx, c)


def space_to_depth(x, by, bx, mode="DCR"):
    n, h, w, c = x.shape
    y = x.reshape(n, h // by, by, w // bx, bx, c)
    order = (0, 1, 3, 2, 4, 5) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return y.transpose(order).reshape(n, h // by, w // bx, c * by * bx)


def space_to_batch(x, by, bx, pads):
    x = numpy.pad(x, [(0, 0), *pads, (0, 0)])
    n, h, w, c = x.shape
    y = x.reshape(n, h // by, by, w // bx, bx, c).transpose(2, 4, 0, 1, 3, 5)
    return y.reshape(n * by * bx, h // by, w // bx, c)


def batch_to_space(x, by, bx, crops):
    n, h, w, c = x.shape
    y = x.reshape(by, bx, n // (by * bx), h, w, c).transpose(2, 3, 0, 4, 1, 5)
    y = y.reshape(n // (by * bx), h * by, w * bx, c)
    (top, bottom), (left, right) = crops
    return y[:, top:h * by - bottom, left:w * bx - right]
