"""Builders of integer Compass layers, written directly: multipliers, shifts, zero points and tables
are drawn, and the integers follow from the formulas of the records, exactly.

Tensors are plain integers here; \\ref Tensor.ir is what the IR says of them (scale and zero point).
With z = the IR's zero point a stored q stands for (q + z) / scale.
"""
import numpy
from compass_form import Compass, blob
from compass_windows import keys_2d, window
from drawing import Unfit, builder
from network import ENDS
from spatial import cells, conv

KEY = "compass int"


class CompassInt(Compass):
    KEY = NAME = KEY

    def other_input(self, d):
        pass

    def input_kind(self, d):
        """Type, least and greatest value of an input."""
        kind = d.rng.choice(("i8", "u8", "i8", "i16"))
        return (kind, *ENDS[kind]) if kind != "i16" else (kind, -3000, 3000)

    def described(self, d, tensor):
        tensor.ir = round(d.rng.uniform(1, 60), 4), draw_zero(d, tensor.kind)


def pick(d, **more):
    x = d.pick(None, **more)
    if x.ir is None:
        raise Unfit
    return x


def add(d, op, inputs, f, kind, zero, ir_scale=None, **keys):
    """A layer with a result of this type."""
    y = d.layer(op, inputs, f, [kind], **keys)
    y.ir = (ir_scale or round(d.rng.uniform(1, 60), 4), zero)
    return y


def draw_zero(d, kind):
    """A zero point for which the type has an integer."""
    low, high = ENDS[kind]
    if "16" in kind or d.chance(0.4):
        return 0
    return -d.rng.randint(low, high) if d.chance(0.4) else -d.rng.randint(max(low, -9), 9)


def draw_kind(d, x):
    return d.rng.choice(("i8", "u8", "i8", "i16") if x.kind != "i16" else ("i16", "i16", "i8"))


def rounded(acc, scale, shift):
    """acc * scale / 2^shift, halves to the even number."""
    product = numpy.asarray(acc, dtype=object) * scale
    if numpy.ndim(shift) == 0:
        shift = numpy.full(product.shape, shift, dtype=object)
    one = numpy.frompyfunc(nearest_even, 2, 1)
    return one(product, numpy.broadcast_to(shift, product.shape)).astype(object)


def nearest_even(value, shift):
    value, shift = int(value), int(shift)
    if shift <= 0:
        return value << -shift
    low, rest = value >> shift, value & ((1 << shift) - 1)
    half = 1 << shift - 1
    return low + (rest > half or rest == half and low & 1)


def stored(values, zero, kind):
    """Less the zero point, in the range of the type."""
    low, high = ENDS[kind]
    return numpy.clip((values - zero).astype(numpy.int64), low, high)


def ratio(d, most, kind):
    """Multiplier and shift that bring sums of up to \\p most to the type's range."""
    target = (ENDS[kind][1] - ENDS[kind][0]) / 2 * d.rng.choice((0.3, 1.0, 1.0, 1.6))
    wanted = target / max(most, 1)
    bits = d.rng.choice((8, 8, 15))
    shift = 0
    while wanted * 2**shift < 2**(bits - 1) and shift < 31:
        shift += 1
    multiplier = max(1, min(int(wanted * 2**shift), 2**bits - 1))
    return multiplier, shift


def word(multiplier):
    return "uint8" if multiplier < 256 else "uint16"


def scaled(d, f, most, kind, zero, inputs=1):
    """The function requantized, and its keys."""
    m, s = ratio(d, most, kind)
    return (lambda *v: stored(rounded(f(*v), m, s), zero, kind)), {
        "scale_type": word(m), "scale_value": m, "shift_type": "int8", "shift_value": s}


def integers(d, shape, low, high):
    return numpy.array([d.rng.randint(low, high) for _ in range(int(numpy.prod(shape)))]) \
        .reshape(shape)


def reach(f, *tensors):
    """The greatest sum for the samples."""
    return max(int(numpy.abs(f(*v)).max()) for v in zip(*(t.values for t in tensors)))


@builder(KEY, "Convolution", "DepthwiseConv", "FullyConnected")
def products(d):
    dense = d.op == "FullyConnected"
    x = pick(d, rank=2 if dense else 4)
    if dense:
        out, shape = d.rng.choice((1, 3, 8, 16)), None
        w = integers(d, [out, x.shape[1]], -127, 127)
        plain = lambda v: v @ w.T
        keys = {}
    else:
        shape = window(d, x.shape[1:3])
        c = x.shape[3]
        group = c if d.op == "DepthwiseConv" else d.rng.choice([g for g in (1, 1, 2) if c % g == 0])
        out = c * d.rng.choice((1, 2)) if d.op == "DepthwiseConv" else \
            group * d.rng.choice((1, 4, 8))
        w = integers(d, [out, *shape[0], c // group], -127, 127)
        fill = -x.ir[1]
        pads = [(0, 0), *shape[2], (0, 0)]
        plain = lambda v: conv(numpy.pad(v, pads, constant_values=fill), w, 0, shape[1],
                               [(0, 0)] * 2, shape[3], group).astype(numpy.int64)
        keys = dict(keys_2d(*shape), group=group)
        if d.op == "DepthwiseConv":
            keys["multiplier"] = out // c
    low, high = ENDS[x.kind]
    if not dense and not low <= -x.ir[1] <= high:
        raise Unfit
    sums = w.reshape(out, -1).sum(1) * x.ir[1]
    b = sums + integers(d, [out], -2000, 2000)
    f = lambda v: plain(v) + b
    kind, most = draw_kind(d, x), reach(f, x)
    zero = draw_zero(d, kind)
    if d.chance(0.5) and not dense:  # a multiplier for each channel
        pairs = [ratio(d, most, kind) for _ in range(out)]
        m = numpy.array([p[0] for p in pairs], dtype=object)
        s = numpy.array([p[1] for p in pairs], dtype=object)
        g = lambda v: stored(rounded(f(v), m, s), zero, kind)
        more = {"scale": blob(m.astype(int), "u16"), "shift": blob(s.astype(int), "i8")}
    else:
        g, more = scaled(d, f, most, kind, zero)
    return add(d, d.op, [x], g, kind, zero, weights=blob(w, "i8"), biases=blob(b, "i32"),
               num_output=out, with_activation="NONE", **keys, **more)


@builder(KEY, "Eltwise", "Add", "Sub", "Mul")
def sums(d):
    x = pick(d)
    others = [t for t in d.tensors if t.ir and t.shape == x.shape]
    y = d.rng.choice(others)
    method = d.rng.choice(("ADD", "SUB", "MUL", "MAX", "MIN")) if d.op == "Eltwise" else d.op.upper()
    a, b = x.ir[1], y.ir[1]
    kind = draw_kind(d, x)
    zero = draw_zero(d, kind)
    keys = {} if d.op != "Eltwise" else {"method": method, "with_activation": "NONE"}
    if method == "MUL":
        f = lambda v, w: (v + a) * (w + b)
        g, more = scaled(d, f, reach(f, x, y), kind, zero)
        return add(d, d.op, [x, y], g, kind, zero, **keys, **more)
    p, q = (d.rng.randint(1, 255) for _ in range(2))
    of = {"ADD": numpy.add, "SUB": numpy.subtract, "MAX": numpy.maximum, "MIN": numpy.minimum}
    f = lambda v, w: of[method]((v + a) * p, (w + b) * q)
    m, s = ratio(d, reach(f, x, y), kind)
    return add(d, d.op, [x, y], lambda v, w: stored(rounded(f(v, w), m, s), zero, kind), kind, zero,
               scale_type=[word(m), "uint8", "uint8"], scale_value=[m, p, q], shift_type="int8",
               shift_value=s, **keys)


@builder(KEY, "Activation", "Exp")
def activation(d):
    x = pick(d)
    kind = draw_kind(d, x)
    if d.op == "Exp" and x.kind != "i16":
        low, high = ENDS[kind]
        table = integers(d, [256], low, high)
        first = ENDS[x.kind][0]
        op, keys = d.rng.choice((("Activation", {"method": "TANH"}), ("Exp", {}), ("Square", {}),
                                 ("Activation", {"method": "SILU"})))
        return add(d, op, [x], lambda v: table[v - first], kind, draw_zero(d, kind),
                   lut=blob(table, kind), **keys)
    zero, a = draw_zero(d, kind), x.ir[1]
    f = lambda v: numpy.maximum(v + a, 0)
    g, keys = scaled(d, f, reach(f, x), kind, zero)
    return add(d, "Activation", [x], g, kind, zero, method="RELU", **keys)


@builder(KEY, "Pooling")
def pooling(d):
    x = pick(d, rank=4)
    shape = window(d, x.shape[1:3])
    low = ENDS[x.kind][0]
    return add(d, "Pooling", [x], lambda v: numpy.max([c for _, c in cells(
        v, *shape, low)], 0), x.kind, x.ir[1], x.ir[0], method="MAX", ceil_mode=False,
        **keys_2d(*shape))


@builder(KEY, "Reduce")
def reduce(d):
    x = pick(d)
    axes = d.axes(x)
    a = x.ir[1]
    method = d.rng.choice(("SUM", "MEAN", "MAX", "MIN"))
    if method in ("MAX", "MIN"):
        f = numpy.max if method == "MAX" else numpy.min
        return add(d, "Reduce", [x], lambda v: f(v, tuple(axes), keepdims=True), x.kind, a,
                   x.ir[0], method=method, axis=axes, scale_type="uint8", scale_value=1,
                   shift_type="int8", shift_value=0)
    kind = draw_kind(d, x)
    zero = draw_zero(d, kind)
    f = lambda v: (v + a).sum(tuple(axes), keepdims=True)
    g, keys = scaled(d, f, reach(f, x), kind, zero)
    return add(d, "Reduce", [x], g, kind, zero, method=method, axis=axes, **keys)


@builder(KEY, "MatMul")
def matmul(d):
    x = pick(d, rank=(2, 3, 4), fits=lambda t: t.kind != "i16")
    others = [t for t in d.tensors if t.ir and t.kind != "i16" and t.shape[:-2] == x.shape[:-2] and
              t.rank == x.rank and t.shape[-1] == x.shape[-1]]
    y = d.rng.choice(others)
    a, b = x.ir[1], y.ir[1]
    kind = d.rng.choice(("i8", "u8"))
    zero = draw_zero(d, kind)
    f = lambda v, w: (v + a) @ numpy.swapaxes(w + b, -1, -2)
    g, keys = scaled(d, f, reach(f, x, y), kind, zero)
    return add(d, "MatMul", [x, y], g, kind, zero, trans_a=False, trans_b=True, **keys)


@builder(KEY, "Concat")
def concat(d):
    x = pick(d)
    at = d.rng.randrange(x.rank)
    others = [t for t in d.tensors if t.ir and t.rank == x.rank and
              all(i == at or m == n for i, (m, n) in enumerate(zip(t.shape, x.shape)))]
    parts = [x] + [d.rng.choice(others) for _ in range(d.rng.randint(1, 2))]
    kind = draw_kind(d, x)
    zero = draw_zero(d, kind)
    pairs = [ratio(d, max(t.most, 1), kind) for t in parts]
    zeros = [t.ir[1] for t in parts]

    def f(*all_):
        return numpy.concatenate([stored(rounded(v + z, m, s), zero, kind)
                                  for v, z, (m, s) in zip(all_, zeros, pairs)], at)
    return add(d, "Concat", parts, f, kind, zero, axis=at, scale_type=[word(p[0]) for p in pairs],
               scale_value=[p[0] for p in pairs], shift_type=["int8"] * len(pairs),
               shift_value=[p[1] for p in pairs])


@builder(KEY, "BatchNorm")
def batch_norm(d):
    x = pick(d, rank=range(2, 5))
    n = x.shape[-1]
    w = integers(d, [n], -127, 127)
    b = w * x.ir[1] + integers(d, [n], -500, 500)
    kind = draw_kind(d, x)
    zero = draw_zero(d, kind)
    f = lambda v: v * w + b
    g, keys = scaled(d, f, reach(f, x), kind, zero)
    return add(d, "BatchNorm", [x], g, kind, zero, weights=blob(w, "i8"), biases=blob(b, "i32"),
               axis=-1, **keys)


@builder(KEY, "Transpose", "Reshape", "Slice", "Tile", "Pad", "Crop")
def moves(d):
    x = pick(d)
    same = dict(kind=x.kind, zero=x.ir[1], ir_scale=x.ir[0])
    if d.op == "Transpose":
        perm = d.rng.sample(range(x.rank), x.rank)
        return add(d, d.op, [x], lambda v: v.transpose(perm), perm=perm, **same)
    if d.op == "Reshape":
        shape = d.factored(x.size, d.rng.randint(1, 4))
        return add(d, d.op, [x], lambda v: v.reshape(shape), shape=shape, **same)
    if d.op == "Tile":
        repeats = [d.rng.choice((1, 1, 2)) for _ in x.shape]
        return add(d, d.op, [x], lambda v: numpy.tile(v, repeats), repeats=repeats, **same)
    if d.op == "Pad":
        pads = [[d.rng.randint(0, 1), d.rng.randint(0, 2)] for _ in x.shape]
        value = d.rng.randint(*ENDS[x.kind])
        return add(d, d.op, [x], lambda v: numpy.pad(v, pads, constant_values=value), pads=pads,
                   mode="CONSTANT", constant_value=value, **same)
    ends = [(a, d.rng.randint(a + 1, n)) for n in x.shape for a in [d.rng.randrange(n)]]
    at = tuple(slice(a, b) for a, b in ends)
    if d.op == "Slice":
        return add(d, d.op, [x], lambda v: v[at], begin=[a for a, _ in ends],
                   end=[b for _, b in ends], strides=[1] * x.rank, **same)
    return add(d, "Crop", [x], lambda v: v[at], crops=[list(e) for e in ends], **same)
