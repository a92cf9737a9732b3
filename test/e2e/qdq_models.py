"""Small QDQ models drawn by chance, and what ONNX defines of them.

A model is a few networks side by side, each DequantizeLinear, one operator or two, and
QuantizeLinear. The definition is followed in fractions: the exact numbers of the stored
integers, the exact result of the operator, rounded once, half to even, within the type.
Functions are computed in double precision.
"""
import itertools
import math
import os
import struct
import sys
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lit"))
import onnx

RANGES = {"b": (-128, 127), "B": (0, 255)}
ELEMENTS = {"b": 3, "B": 2}
# Where a multiplier of 31 bits, or a function in double precision, may decide otherwise.
SLACK = 1e-6


def single(x):
    """The float32 next to x."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def is_power(x):
    return x & (x - 1) == 0


class Form:
    """How a tensor is stored."""

    def __init__(self, kind, scale, zero):
        self.kind, self.scale, self.zero = kind, single(scale), zero

    def real(self, q):
        return Fraction(self.scale) * (q - self.zero)

    def nearest(self, real, is_exact):
        """The integers that are right, least and greatest."""
        steps = (real if isinstance(real, float) else Fraction(real)) / (
            self.scale if isinstance(real, float) else Fraction(self.scale))
        if isinstance(steps, float) and not math.isfinite(steps):
            steps = math.copysign(1e9, steps)
        lo, hi = RANGES[self.kind]
        slack = 0 if is_exact else SLACK * max(1, abs(float(steps)))
        if slack:
            ends = float(steps) - slack, float(steps) + slack
        else:
            ends = steps, steps
        return tuple(min(max(round(e) + self.zero, lo), hi) for e in ends)


def draw_form(rng, kind=None, scale=None):
    kind = kind or rng.choice("bB")
    lo, hi = RANGES[kind]
    zero = rng.choice((lo, hi, 0, (lo + hi + 1) // 2, rng.randint(lo, hi)))
    scale = scale or rng.choice((0.25, 0.5, 0.125, 1 / 3, 0.0235, rng.uniform(0.004, 0.3)))
    return Form(kind, scale, zero)


class Net:
    """A network of one model; names begin with its number."""

    def __init__(self, number, rng):
        self.prefix, self.rng = "n%d_" % number, rng
        self.nodes, self.constants = b"", b""
        self.inputs, self.outputs = [], []
        self.expected = []  # of each output, by element: least and greatest
        self.text, self.count = "", itertools.count()
        self.is_dyadic = True  # all scales are powers of two

    def name(self, what):
        return "%s%s%d" % (self.prefix, what, next(self.count))

    def form(self, form):
        name = self.name("form")
        self.is_dyadic &= math.frexp(form.scale)[0] == 0.5
        self.constants += onnx.scaled(name, form.kind, form.scale, form.zero)
        return name

    def input(self, shape, form):
        """A stored input behind a DequantizeLinear: its name, and its numbers."""
        stored, real = self.name("x"), self.name("d")
        values = [self.rng.randint(*RANGES[form.kind]) for _ in range(math.prod(shape))]
        self.inputs.append((stored, form.kind, shape, values))
        self.nodes += onnx.dequantize(stored, self.form(form), real)
        self.text += " %s%s scale %r zero %d" % (form.kind, shape, form.scale, form.zero)
        return real, [form.real(q) for q in values]

    def node(self, op, inputs, outputs=1, **attributes):
        names = [self.name("t") for _ in range(outputs)]
        self.nodes += onnx.node(op, inputs, names, **attributes)
        self.text += " %s %s" % (op, {k: v for k, v in attributes.items()})
        return names[0] if outputs == 1 else names

    def stored(self, real, shape, values, form, slack=0, is_exact=False):
        """A QuantizeLinear; so many steps more are right."""
        name = self.name("y")
        self.nodes += onnx.quantize(real, self.form(form), name)
        # What has such fractions has exact multipliers.
        is_exact |= self.is_dyadic and all(
            not isinstance(v, float) and is_power(Fraction(v).denominator) for v in values)
        self.outputs.append((name, ELEMENTS[form.kind], shape))
        lo, hi = RANGES[form.kind]
        pairs = (form.nearest(v, is_exact) for v in values)
        self.expected.append([(max(a - slack, lo), min(b + slack, hi)) for a, b in pairs])
        self.text += " -> %s scale %r zero %d" % (form.kind, form.scale, form.zero)
        return name

    def again(self, real, values, form):
        """Stored within: what it is from there on."""
        stored, loaded, name = self.name("q"), self.name("d"), self.form(form)
        self.nodes += onnx.quantize(real, name, stored) + onnx.dequantize(stored, name, loaded)
        self.text += " [%s scale %r zero %d]" % (form.kind, form.scale, form.zero)
        return loaded, [form.real(form.nearest(v, True)[0]) for v in values]

    def places(self, name, shape, values):
        self.outputs.append((name, 7, shape))
        self.expected.append([(v, v) for v in values])

    def numbers(self, values):
        name = self.name("c")
        self.constants += onnx.floats(name, [len(values)] if len(values) != 1 else [], values)
        return name

    def integers(self, values):
        name = self.name("i")
        self.constants += onnx.integers(name, values)
        return name


# Operators on single numbers -------------------------------------------------------------

def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def elu(x):
    return x if x >= 0 else math.expm1(x)


FUNCTIONS = {
    "Sigmoid": sigmoid, "Tanh": math.tanh, "Elu": elu,
    "Softplus": lambda x: math.log1p(math.exp(-abs(x))) + max(x, 0.0),
    "HardSwish": lambda x: x * min(max(x + 3, 0.0), 6.0) / 6,
    "HardSigmoid": lambda x: min(max(single(0.2) * x + 0.5, 0.0), 1.0),
    "Exp": lambda x: math.exp(min(x, 700)),
    "Softsign": lambda x: x / (1 + abs(x)), "Abs": abs, "Sin": math.sin, "Erf": math.erf,
}


def clipped(net, real, values):
    """A Relu or a Clip, whose bounds may lie anywhere."""
    if net.rng.random() < 0.4:
        return net.node("Relu", [real]), [max(v, 0) for v in values]
    lo, hi = (single(net.rng.choice((0, -1, 1, 6, -20, 20, 1e5, -1e5, net.rng.uniform(-9, 9))))
              for _ in range(2))
    if lo > hi and net.rng.random() < 0.8:
        lo, hi = hi, lo
    name = net.node("Clip", [real, net.numbers([lo]), net.numbers([hi])])
    net.text += " %r %r" % (lo, hi)
    return name, [min(max(v, Fraction(lo)), Fraction(hi)) for v in values]


def make_clip(net):
    real, values = net.input([1, 64], draw_form(net.rng))
    real, values = clipped(net, real, values)
    net.stored(real, [1, 64], values, draw_form(net.rng))


def make_function(net):
    real, values = net.input([2, 64], draw_form(net.rng))
    if net.rng.random() < 0.6:
        real, values = clipped(net, real, values)
        form = draw_form(net.rng, scale=0.25)
        values = [Fraction(v) for v in values]
        real, values = net.again(real, values, form)
    op = net.rng.choice(sorted(FUNCTIONS))
    net.stored(net.node(op, [real]), [2, 64], [FUNCTIONS[op](float(v)) for v in values],
               draw_form(net.rng))


def make_leaky(net):
    form = draw_form(net.rng)
    real, values = net.input([1, 256], form)
    alpha = single(net.rng.choice((0.1, 0.01, 0.25, -0.5, 1.5)))
    net.stored(net.node("LeakyRelu", [real], alpha=alpha), [1, 256],
               [v if v >= 0 else v * Fraction(alpha) for v in values], draw_form(net.rng),
               is_exact=True)


# Windows ---------------------------------------------------------------------------------

def windows(size, kernel, stride, pads):
    """Of each place of the result: the indices that a window has, and those in the input."""
    count = (size + sum(pads) - kernel) // stride + 1
    for i in range(count):
        first = i * stride - pads[0]
        yield [k for k in range(first, first + kernel) if 0 <= k < size]


def pooled(values, shape, kernel, stride, pads, choose):
    n, c, h, w = shape
    rows = list(windows(h, kernel[0], stride[0], (pads[0], pads[2])))
    columns = list(windows(w, kernel[1], stride[1], (pads[1], pads[3])))
    result = []
    for plane in range(n * c):
        for r in rows:
            for k in columns:
                result.append(choose([values[(plane * h + y) * w + x] for y in r for x in k]))
    return result, [n, c, len(rows), len(columns)]


def make_pool(net):
    rng, shape = net.rng, [1, 3, 7, 6]
    same = draw_form(rng)
    real, values = net.input(shape, same)
    form = same if rng.random() < 0.4 else draw_form(rng)
    is_max, slack = rng.random() < 0.4, 0
    if rng.random() < 0.3:
        name = net.node("GlobalMaxPool" if is_max else "GlobalAveragePool", [real])
        plane = 7 * 6
        planes = [values[i:i + plane] for i in range(0, len(values), plane)]
        values = [max(p) if is_max else sum(p) / plane for p in planes]
        shape = [1, 3, 1, 1]
    else:
        kernel, stride = [rng.choice((2, 3))] * 2, [rng.choice((1, 2))] * 2
        pads = [rng.choice((0, 0, 1)) for _ in range(4)]
        keys = {"kernel_shape": kernel, "strides": stride, "pads": pads}
        counts = not is_max and rng.random() < 0.5
        if counts:
            keys["count_include_pad"] = 1
        # Means over windows of different sizes have two roundings.
        slack = 1 if not is_max and not counts and any(pads) else 0
        area = kernel[0] * kernel[1]
        name = net.node("MaxPool" if is_max else "AveragePool", [real], **keys)
        values, shape = pooled(values, shape, kernel, stride, pads,
                               max if is_max else
                               lambda v: sum(v) / (area if counts else len(v)))
    if rng.random() < 0.3:
        name, values = clipped(net, name, values)
    net.stored(name, shape, values, form, slack)


def weights_of(net, shape):
    form = Form("b", net.rng.choice((0.0625, 0.013)), 0)
    values = [net.rng.randint(-20, 20) for _ in range(math.prod(shape))]
    stored, real = net.name("w"), net.name("v")
    net.constants += onnx.stored(stored, "b", shape, values)
    net.nodes += onnx.dequantize(stored, net.form(form), real)
    return real, [form.real(q) for q in values]


def make_conv(net):
    """A convolution of one axis or two, or a transposed one, and a clamp behind it."""
    rng = net.rng
    is_line, is_transposed = rng.random() < 0.5, rng.random() < 0.4
    c, o, h, w = 3, 4, 1 if is_line else 5, 6
    kh, kw = (1 if is_line else 3), rng.choice((2, 3))
    stride = rng.choice((1, 2))
    real, values = net.input([1, c, w] if is_line else [1, c, h, w], draw_form(rng))
    order = [c, o] if is_transposed else [o, c]
    weights, numbers = weights_of(net, order + ([kw] if is_line else [kh, kw]))
    strides = (1 if is_line else stride, stride)
    keys = {"strides": list(strides[1:] if is_line else strides)}
    pads = (0 if is_line else 1, 1)
    keys["pads"] = [pads[1]] * 2 if is_line else [pads[0], pads[1]] * 2

    def weight(ci, co, y, x):
        first = (ci * o + co) if is_transposed else (co * c + ci)
        return numbers[(first * kh + y) * kw + x]

    if is_transposed:
        oh, ow = (h - 1) * strides[0] + kh - 2 * pads[0], (w - 1) * strides[1] + kw - 2 * pads[1]
    else:
        oh = (h + 2 * pads[0] - kh) // strides[0] + 1
        ow = (w + 2 * pads[1] - kw) // strides[1] + 1
    sums = [Fraction(0)] * (o * oh * ow)
    for ci, y, x, ky, kx in itertools.product(range(c), range(h), range(w), range(kh), range(kw)):
        at_y, at_x = (y * strides[0] + ky - pads[0], x * strides[1] + kx - pads[1]) \
            if is_transposed else (y + pads[0] - ky, x + pads[1] - kx)
        if not is_transposed:
            if at_y % strides[0] or at_x % strides[1]:
                continue
            at_y, at_x = at_y // strides[0], at_x // strides[1]
        if not (0 <= at_y < oh and 0 <= at_x < ow):
            continue
        for co in range(o):
            sums[(co * oh + at_y) * ow + at_x] += \
                values[(ci * h + y) * w + x] * weight(ci, co, ky, kx)
    name = net.node("ConvTranspose" if is_transposed else "Conv", [real, weights], **keys)
    if rng.random() < 0.7:
        name, sums = clipped(net, name, sums)
    net.stored(name, [1, o, ow] if is_line else [1, o, oh, ow], sums,
               draw_form(rng, scale=rng.choice((0.25, 0.11))))


# Moves, choices and pairs ----------------------------------------------------------------

def make_move(net):
    rng, shape = net.rng, [1, 2, 3, 4]
    same = draw_form(rng)
    real, values = net.input(shape, same)
    form = same if rng.random() < 0.4 else draw_form(rng)
    kind = rng.choice(("resize", "pad", "reshape", "slice"))
    planes = [values[i:i + 12] for i in (0, 12)]
    if kind == "resize":
        name = net.node("Resize", [real, "", net.numbers([1.0, 1.0, 2.0, 2.0])], mode="nearest",
                        coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        values = [p[(y // 2) * 4 + x // 2] for p in planes for y in range(6) for x in range(8)]
        shape = [1, 2, 6, 8]
    elif kind == "pad":
        mode = rng.choice(("constant", "edge", "reflect", "wrap"))
        border = single(rng.choice((0.0, 0.0, 1.5, -1e4)))
        inputs = [real, net.integers([0, 0, 1, 2, 0, 0, 0, 1])]
        name = net.node("Pad", inputs + ([net.numbers([border])] if mode == "constant" else []),
                        mode=mode)

        def at(index, length):
            if 0 <= index < length or mode == "constant":
                return index
            if mode == "edge":
                return min(max(index, 0), length - 1)
            if mode == "wrap":
                return index % length
            return -index if index < 0 else 2 * (length - 1) - index

        def cell(plane, y, x):
            y, x = at(y, 3), at(x, 4)
            return plane[y * 4 + x] if 0 <= y < 3 and 0 <= x < 4 else Fraction(border)

        values = [cell(p, y, x) for p in planes for y in range(-1, 3) for x in range(-2, 5)]
        shape = [1, 2, 4, 7]
    elif kind == "reshape":
        name, shape = net.node("Reshape", [real, net.integers([4, 6])]), [4, 6]
    else:
        name = net.node("Slice", [real, net.integers([1]), net.integers([4]),
                                  net.integers([3])])
        values, shape = [v for i, v in enumerate(values) if i % 4], [1, 2, 3, 3]
    if rng.random() < 0.4:
        name, values = clipped(net, name, values)
    net.stored(name, shape, values, form)


def make_choice(net):
    """Places are those of the operand, whatever its values become."""
    rng = net.rng
    form = draw_form(rng)
    real, values = net.input([3, 10], form)
    coarse = draw_form(rng, scale=form.scale * rng.choice((1, 9)))
    rows = [values[i:i + 10] for i in range(0, 30, 10)]
    if rng.random() < 0.5:
        largest = rng.random() < 0.5
        best, where = net.node("TopK", [real, net.integers([4])], outputs=2,
                               largest=int(largest))
        order = [sorted(range(10), key=lambda i: (-r[i] if largest else r[i], i))[:4]
                 for r in rows]
        net.stored(best, [3, 4], [r[i] for r, o in zip(rows, order) for i in o], coarse)
        net.places(where, [3, 4], [i for o in order for i in o])
        return
    op = rng.choice(("ArgMax", "ArgMin"))
    name = net.node(op, [real], axis=1, keepdims=0)
    choose = max if op == "ArgMax" else min
    net.places(name, [3], [r.index(choose(r)) for r in rows])


def make_concat(net):
    rng = net.rng
    forms = [draw_form(rng) for _ in range(2)]
    parts = [net.input([1, 2, 3], f) for f in forms]
    form = rng.choice(forms + [draw_form(rng)])
    values = parts[0][1] + parts[1][1]
    names = [p[0] for p in parts]
    if rng.random() < 0.6:  # one that is not stored
        added = [single(rng.uniform(-5, 5)) for _ in range(6)]
        name = net.name("f")
        net.inputs.append((name, "f", [1, 2, 3], added))
        names.append(name)
        values = values + [Fraction(v) for v in added]
    net.stored(net.node("Concat", names, axis=1), [1, 2 * len(names), 3], values, form)


def make_pair(net):
    rng = net.rng
    a, x = net.input([2, 32], draw_form(rng))
    b, y = net.input([2, 32], draw_form(rng))
    op = rng.choice(("Add", "Sub", "Mul", "Max", "Min"))
    compute = {"Add": lambda p, q: p + q, "Sub": lambda p, q: p - q, "Mul": lambda p, q: p * q,
               "Max": max, "Min": min}[op]
    name, values = net.node(op, [a, b]), [compute(p, q) for p, q in zip(x, y)]
    if rng.random() < 0.4:
        name, values = clipped(net, name, values)
    net.stored(name, [2, 32], values, draw_form(rng))


MAKERS = (make_clip, make_function, make_leaky, make_pool, make_conv, make_move, make_choice,
          make_concat, make_pair)


def draw(rng, number):
    """One network, of every kind in turn."""
    net = Net(number, rng)
    MAKERS[number % len(MAKERS)](net)
    return net


def write(path, nets):
    """The networks side by side, as a model."""
    graph = b"".join(net.nodes + net.constants for net in nets)
    for net in nets:
        for name, kind, shape, _ in net.inputs:
            graph += onnx.value(11, name, shape, {"b": 3, "B": 2, "f": 1}[kind])
        for name, element, shape in net.outputs:
            graph += onnx.value(12, name, shape, element)
    with open(path, "wb") as file:
        file.write(onnx.model(graph))
