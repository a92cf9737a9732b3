"""Spellings that optimizers look for, and near misses: one part is another one.

Each function draws a pattern from what is there. `miss` is the number of the part that is wrong, 0 for a whole pattern.
"""
import math

from draw import Unfit
from graph import count
from products import conv, product, window

PATTERNS = []


def pattern(function):
    PATTERNS.append(function)
    return function


def mean(d, x, axes):
    if d.opset >= 18:
        return d.node("ReduceMean", [x, d.ints(axes)],
                      [1 if i - x.rank in axes or i in axes else n for i, n in enumerate(x.shape)],
                      lo=x.lo, hi=x.hi)
    return d.node("ReduceMean", [x], [1 if i - x.rank in axes or i in axes else n
                                      for i, n in enumerate(x.shape)], lo=x.lo, hi=x.hi, axes=axes)


@pattern
def layer_norm(d):
    x = d.pick(rank=range(2, 5))
    miss = d.rng.choice((0, 0, 1, 2, 3, 4))
    axes = [-1] if d.opset >= 11 else [x.rank - 1]
    m = mean(d, x, axes)
    c = d.node("Sub", [m, x] if miss == 1 else [x, m], x.shape, lo=x.lo - x.hi, hi=x.hi - x.lo)
    most = c.most() ** 2
    p = d.node("Mul", [c, x if miss == 2 else c], x.shape, lo=0, hi=most) if d.chance(0.5) else \
        d.node("Pow", [c, d.scalar(2.0)], x.shape, lo=0, hi=most)
    if miss == 2:
        p = d.node("Abs", [p], x.shape, lo=0, hi=most)
    v = mean(d, p, axes)
    v.lo = 0
    e = d.node("Add", [v, d.scalar(0.05)], v.shape, lo=0.05, hi=v.hi + 0.05)
    s = d.node("Sqrt", [e], v.shape, lo=0.2, hi=math.sqrt(e.hi))
    y = d.node("Div", [x if miss == 3 else c, s], x.shape, lo=-20, hi=20)
    if d.chance(0.6):
        y = d.node("Mul", [y, d.reals([1] if miss == 4 else x.shape[-1:], -2, 2)], x.shape, lo=-20, hi=20)
        y = d.node("Add", [y, d.reals(x.shape[-1:], -1, 1)], x.shape, lo=-20, hi=20)
    return y


@pattern
def rms_norm(d):
    x = d.pick(rank=range(2, 5))
    axes = [-1] if d.opset >= 11 else [x.rank - 1]
    p = d.node("Mul", [x, x], x.shape, lo=0, hi=x.most() ** 2)
    v = mean(d, p, axes)
    v.lo = 0
    e = d.node("Add", [v, d.scalar(0.05)], v.shape, lo=0.05, hi=v.hi + 0.05)
    r = d.node("Reciprocal", [d.node("Sqrt", [e], v.shape, lo=0.2, hi=math.sqrt(e.hi))], v.shape,
               lo=0, hi=5)
    y = d.node("Mul", [x, r] if d.chance(0.5) else [r, x], x.shape, lo=-20, hi=20)
    return d.node("Mul", [y, d.reals(x.shape[-1:], -2, 2)], x.shape, lo=-20, hi=20)


@pattern
def gelu(d):
    x = d.tame(d.pick(), -8, 8)
    miss = d.rng.choice((0, 0, 1, 2, 3))
    half, one = (0.6 if miss == 1 else 0.5), (1.5 if miss == 2 else 1.0)
    if d.opset < 9 or d.chance(0.4):
        cube = d.node("Pow", [x, d.scalar(3.0)], x.shape, lo=-512, hi=512)
        t = d.node("Add", [x, d.node("Mul", [cube, d.scalar(0.044715)], x.shape, lo=-30, hi=30)],
                   x.shape, lo=-40, hi=40)
        t = d.node("Mul", [t, d.scalar(math.sqrt(2 / math.pi))], x.shape, lo=-40, hi=40)
        f = d.node("Tanh", [t], x.shape, lo=-1, hi=1)
    else:
        t = d.node("Div", [x, d.scalar(2.0 if miss == 3 else math.sqrt(2))], x.shape, lo=-6, hi=6)
        f = d.node("Erf", [t], x.shape, lo=-1, hi=1)
    f = d.node("Add", [f, d.scalar(one)], x.shape, lo=-1, hi=3)
    if d.chance(0.5):
        return d.node("Mul", [d.node("Mul", [x, f], x.shape, lo=-16, hi=24), d.scalar(half)],
                      x.shape, lo=-8, hi=12)
    y = d.node("Mul", [d.node("Mul", [x, d.scalar(half)], x.shape, lo=-5, hi=5), f], x.shape,
               lo=-8, hi=12)
    return y


@pattern
def silu(d):
    x = d.pick()
    inner = d.node("Mul", [x, d.scalar(1.702)], x.shape, lo=2 * x.lo - 1, hi=2 * x.hi + 1) \
        if d.chance(0.3) else x
    s = d.node("Sigmoid", [inner], x.shape, lo=0, hi=1)
    other = d.partner(x) if d.chance(0.2) else x
    return d.node("Mul", [s, other] if d.chance(0.5) else [other, s],
                  d.broadcast(x.shape, other.shape), lo=-x.most() - other.most(),
                  hi=x.most() + other.most())


@pattern
def mish(d):
    x = d.tame(d.pick(), -12, 12)
    p = d.node("Softplus", [x], x.shape, lo=0, hi=13)
    t = d.node("Tanh", [p], x.shape, lo=0, hi=1)
    return d.node("Mul", [x, p if d.chance(0.1) else t], x.shape, lo=-160, hi=160)


@pattern
def hard_swish(d):
    x = d.pick()
    three, six = d.rng.choice(((3.0, 6.0), (3.0, 6.0), (2.0, 6.0), (3.0, 5.0)))
    t = d.node("Add", [x, d.scalar(three)], x.shape, lo=x.lo + three, hi=x.hi + three, bits=x.bits)
    t = d.clip(t, 0, six)
    y = d.node("Mul", [x, t], x.shape, lo=-6 * x.most(), hi=6 * x.most())
    return d.node("Div", [y, d.scalar(6.0)], x.shape, lo=-x.most() - 1, hi=x.most() + 1)


@pattern
def leaky(d):
    x = d.pick()
    factor = d.rng.choice((0.1, 0.25, 1.5, -0.5))
    t = d.node("Mul", [x, d.scalar(factor)], x.shape, lo=-2 * x.most(), hi=2 * x.most())
    return d.node("Max", [x, t] if d.chance(0.5) else [t, x], x.shape, lo=-2 * x.most(), hi=2 * x.most())


@pattern
def squeeze_excite(d):
    x = d.shaped(4)
    c = x.shape[1]
    g = d.node("GlobalAveragePool", [x], [x.shape[0], c, 1, 1], lo=x.lo, hi=x.hi)
    small = max(1, c // 2)
    w = d.weights([small, c, 1, 1], 1.0)
    y = d.node("Conv", [g, w], [x.shape[0], small, 1, 1], **product(g, w, c))
    y = d.node(d.rng.choice(("Relu", "HardSigmoid", "Tanh")), [y], y.shape, lo=min(0, y.lo), hi=max(1, y.hi))
    w = d.weights([c, small, 1, 1], 1.0)
    y = d.node("Conv", [y, w], [x.shape[0], c, 1, 1], **product(y, w, small))
    y = d.node(d.rng.choice(("Sigmoid", "HardSigmoid")), [y], y.shape, lo=0, hi=1)
    return d.node("Mul", [x, y] if d.chance(0.7) else [y, x], x.shape, lo=-x.most(), hi=x.most())


@pattern
def conv_norm_act(d):
    d.op = "Conv"
    y = conv(d)
    if y.rank > 4 or d.opset < 7:
        return y
    n = [y.shape[1]]
    if d.chance(0.7):
        y = d.node("BatchNormalization", [y, d.reals(n, -2, 2), d.reals(n, -1, 1), d.reals(n, -1, 1),
                                          d.reals(n, 0.25, 4)], y.shape, lo=-4 * y.most() - 6,
                   hi=4 * y.most() + 6)
    else:
        shape = [n[0]] + [1] * (y.rank - 2)
        y = d.node("Mul", [y, d.reals(shape, -2, 2)], y.shape, lo=-2 * y.most(), hi=2 * y.most())
        y = d.node("Add", [y, d.reals(shape if d.chance(0.7) else y.shape, -2, 2)], y.shape,
                   lo=-y.most() - 2, hi=y.most() + 2)
    way = d.rng.choice(("Relu", "Clip", "LeakyRelu", "Sigmoid", "none"))
    if way == "Clip":
        return d.clip(y, 0, 6)
    if way == "none":
        return y
    lo, hi = (0, 1) if way == "Sigmoid" else (0 if way == "Relu" else y.lo, max(0, y.hi))
    return d.node(way, [y], y.shape, lo=min(lo, 0), hi=hi)


@pattern
def residual(d):
    x = d.shaped(4)
    c = x.shape[1]
    w = d.weights([c, c, 3, 3], 0.5)
    y = d.node("Conv", [x, w], x.shape, pads=[1, 1, 1, 1], **product(x, w, 9 * c))
    if d.chance(0.5):
        y = d.node("Relu", [y], y.shape, lo=0, hi=y.hi, bits=y.bits)
        w = d.weights([c, 1, 3, 3], 0.5)
        y = d.node("Conv", [y, w], x.shape, pads=[1, 1, 1, 1], group=c, **product(y, w, 9))
    bits = None if None in (x.bits, y.bits) else max(x.bits, y.bits)
    z = d.node(d.rng.choice(("Add", "Add", "Sub")), [y, x] if d.chance(0.5) else [x, y], x.shape,
               lo=-x.most() - y.most(), hi=x.most() + y.most(), bits=bits)
    return d.node("Relu", [z], z.shape, lo=0, hi=max(0, z.hi), bits=z.bits) if d.chance(0.6) else z


@pattern
def channel_shuffle(d):
    x = d.shaped(4)
    n, c, h, w = x.shape
    g = d.rng.choice([g for g in (1, 2, 3, 4) if c % g == 0])
    y = d.node("Reshape", [x, d.ints([n, g, c // g, h, w])], [n, g, c // g, h, w], lo=x.lo, hi=x.hi,
               bits=x.bits)
    perm = d.rng.choice(([0, 2, 1, 3, 4], [0, 2, 1, 3, 4], [0, 1, 2, 4, 3], [0, 3, 4, 1, 2]))
    y = d.transpose(y, perm)
    if count(y.shape) != x.size:
        raise Unfit
    return d.node("Reshape", [y, d.ints(x.shape)], x.shape, lo=x.lo, hi=x.hi, bits=x.bits)


@pattern
def upsample_concat(d):
    x = d.shaped(4)
    if d.opset < 11:
        raise Unfit
    n, c, h, w = x.shape
    k = {"kernel_shape": [2, 2], "strides": [2, 2]}
    if h < 2 or w < 2:
        raise Unfit
    small = d.node(d.rng.choice(("MaxPool", "AveragePool")), [x], [n, c, h // 2, w // 2], lo=x.lo,
                   hi=x.hi, **k)
    up = d.node("Resize", [small, d.constant([0], []), d.constant([0], []), d.ints([n, c, h, w])],
                [n, c, h, w], lo=x.lo, hi=x.hi, mode="linear")
    if h % 2 == 0 and w % 2 == 0 and d.chance(0.5):
        up = d.node("Resize", [small, d.constant([0], []), d.constant([4], [1.0, 1.0, 2.0, 2.0])],
                    [n, c, h, w], lo=x.lo, hi=x.hi, mode="nearest",
                    coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    return d.node("Concat", [up, x] if d.chance(0.5) else [x, up], [n, 2 * c, h, w], lo=x.lo,
                  hi=x.hi, axis=1)


@pattern
def attention(d):
    x = d.tame(d.shaped(3), -4, 4)
    n, t, width = x.shape
    if d.opset < 9 or width > 32 or t > 32:
        raise Unfit
    heads = d.rng.choice([h for h in (1, 2, 4) if width % h == 0])
    each = width // heads

    def part(last):
        w = d.weights([width, width], 0.5)
        y = d.node("MatMul", [x, w], x.shape, **product(x, w, width))
        y = d.node("Add", [y, d.reals([width], -1, 1)], x.shape, lo=y.lo - 1, hi=y.hi + 1)
        y = d.node("Reshape", [y, d.ints([n, t, heads, each])], [n, t, heads, each], lo=y.lo, hi=y.hi)
        return d.transpose(y, [0, 2, 3, 1] if last else [0, 2, 1, 3])
    q, k, v = part(False), part(True), part(False)
    most = min(1e5, q.most() * k.most() * each)
    s = d.node("MatMul", [q, k], [n, heads, t, t], lo=-most, hi=most)
    s = d.node("Div", [s, d.scalar(math.sqrt(each) * 4)], s.shape, lo=-most, hi=most)
    if d.chance(0.4):
        mask = [0.0 if i >= j else -1000.0 for i in range(t) for j in range(t)]
        s = d.node("Add", [s, d.constant([t, t], mask)], s.shape, lo=-most - 1000, hi=most)
    p = d.node("Softmax", [s], s.shape, lo=0, hi=1, axis=3)
    y = d.node("MatMul", [p, v], [n, heads, t, each], lo=v.lo, hi=v.hi)
    y = d.transpose(y, [0, 2, 1, 3])
    return d.node("Reshape", [y, d.ints([n, t, width])], [n, t, width], lo=v.lo, hi=v.hi)


@pattern
def group_norm(d):
    x = d.shaped(4)
    n, c, h, w = x.shape
    g = d.rng.choice([g for g in (1, 2, 3, 4) if c % g == 0])
    if c // g * h * w < 2:
        raise Unfit
    y = d.node("Reshape", [x, d.ints([0, g, -1])], [n, g, c // g * h * w], lo=x.lo, hi=x.hi)
    y = d.node("InstanceNormalization", [y, d.constant([g], [1.0] * g), d.constant([g], [0.0] * g)],
               y.shape, lo=-9, hi=9, epsilon=0.01)
    y = d.node("Reshape", [y, d.ints(x.shape)], x.shape, lo=-9, hi=9)
    y = d.node("Mul", [y, d.reals([c, 1, 1], -2, 2)], x.shape, lo=-18, hi=18)
    return d.node("Add", [y, d.reals([c, 1, 1], -1, 1)], x.shape, lo=-19, hi=19)


@pattern
def undone_transposes(d):
    x = d.shaped(4)
    y = d.transpose(x, [0, 2, 3, 1])
    y = d.node(d.rng.choice(("Relu", "Tanh", "Abs")), [y], y.shape, lo=min(-1, x.lo), hi=max(1, x.most()))
    if d.chance(0.4):
        y = d.node("Add", [y, d.reals(y.shape[-1:], -1, 1)], y.shape, lo=y.lo - 1, hi=y.hi + 1)
    return d.transpose(y, d.rng.choice(([0, 3, 1, 2], [0, 3, 1, 2], [0, 3, 2, 1])))


@pattern
def identities(d):
    """Layers that change nothing, or nearly nothing."""
    x = d.pick()
    way = d.rng.randrange(5)
    if way == 0:
        return d.node("Mul", [x, d.scalar(1.0)], x.shape, lo=x.lo, hi=x.hi, bits=x.bits)
    if way == 1:
        return d.node("Add", [x, d.scalar(0.0)], x.shape, lo=x.lo, hi=x.hi, bits=x.bits)
    if way == 2:
        return d.transpose(x, list(range(x.rank)))
    if way == 3:
        return d.node("Concat", [x], x.shape, lo=x.lo, hi=x.hi, bits=x.bits, axis=0) if x.rank else x
    return d.node("Div", [x, d.scalar(1.0)], x.shape, lo=x.lo, hi=x.hi, bits=x.bits)


@pattern
def rescaled(d):
    """Much smaller or larger values, and back later or not at all."""
    x = d.pick()
    factor = 2.0 ** d.rng.choice((-14, -10, -6, 6, 10))
    if x.most() * factor > 1e5:
        raise Unfit
    bits = None if x.bits is None or factor < 1 else x.bits
    y = d.node("Mul", [x, d.scalar(factor)], x.shape, lo=x.lo * factor, hi=x.hi * factor, bits=bits)
    if d.chance(0.5):
        y = d.node("Mul", [y, d.scalar(1 / factor)], x.shape, lo=x.lo, hi=x.hi)
    return y


@pattern
def self_arithmetic(d):
    """The same tensor twice."""
    x = d.pick()
    op = d.rng.choice(("Add", "Sub", "Mul", "Max", "Min"))
    most = max(2 * x.most(), x.most() ** 2 if op == "Mul" else 0)
    return d.node(op, [x, x], x.shape, lo=-most, hi=most)
