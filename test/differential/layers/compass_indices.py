"""Builders of Compass layers that read indices, and of those with sequences and images."""
import numpy
from compass_form import blob
from drawing import Unfit, builder
from formulas import gather, gather_nd, gru, lstm, scatter_elements, scatter_nd
from spatial import resize


def indices(d, shape, least, most):
    """A constant of integers, or a tensor that is there."""
    found = [t for t in d.tensors if t.kind == "i32" and least <= t.lo and t.hi <= most]
    if found and d.chance(0.4):
        return d.rng.choice(found)
    return d.ints(numpy.array([d.rng.randint(least, most) for _ in range(int(numpy.prod(shape)))])
                  .reshape(shape))


@builder("compass", "Gather")
def gathers(d):
    x = d.pick()
    written, at = d.axis(x)
    batch = d.rng.randint(0, min(at, 1))
    n = x.shape[at]
    shape = x.shape[:batch] + [d.rng.randint(1, 4) for _ in range(d.rng.randint(1, 2))]
    index = d.ints(numpy.array([d.rng.randint(-n, n - 1) for _ in range(int(numpy.prod(shape)))])
                   .reshape(shape)) if batch else indices(d, shape, 0 if d.chance(0.6) else -n, n - 1)
    return d.layer("Gather", [x, index], lambda v, i: gather(v, i, at, batch), axis=written,
                   batch_dims=batch)


@builder("compass", "GatherElements")
def gather_elements(d):
    x = d.pick()
    written, at = d.axis(x)
    shape = [d.rng.randint(1, n) for n in x.shape]
    shape[at] = d.rng.randint(1, 4)
    n = x.shape[at]
    index = d.ints(numpy.array([d.rng.randint(-n, n - 1) for _ in range(int(numpy.prod(shape)))])
                   .reshape(shape))

    def f(v, i):
        part = v[tuple(slice(0, n) if a != at else slice(None) for a, n in enumerate(i.shape))]
        return numpy.take_along_axis(part, i % v.shape[at], at)
    return d.layer(d.op, [x, index], f, axis=written)


def places(d, shape, depth):
    """Indices of places in the first axes of the shape."""
    rows = [d.rng.randint(1, 3) for _ in range(d.rng.randint(1, 2))]
    n = int(numpy.prod(rows))
    found = numpy.array([[d.rng.randint(-m if d.chance(0.2) else 0, m - 1) for m in shape[:depth]]
                         for _ in range(n)])
    return found.reshape([*rows, depth])


@builder("compass", "GatherND")
def gathers_nd(d):
    x = d.pick()
    depth = d.rng.randint(1, x.rank)
    return d.layer(d.op, [x, d.ints(places(d, x.shape, depth))], gather_nd, batch_dims=0)


@builder("compass", "ScatterElements", "ScatterND")
def scatter(d):
    x = d.within(-30, 30)
    reduction = d.rng.choice(("NONE", "NONE", "ADD", "MUL", "MAX", "MIN"))
    if d.op == "ScatterElements":
        written, at = d.axis(x)
        shape = [d.rng.randint(1, n) for n in x.shape]
        n = x.shape[at]
        index = d.ints(numpy.array([d.rng.randint(-n, n - 1) for _ in
                                    range(int(numpy.prod(shape)))]).reshape(shape))
        updates = d.weights(shape, -2, 2)
        return d.layer(d.op, [x, index, updates], lambda v, i, u: scatter_elements(
            v, i, u, at, reduction), axis=written, reduction=reduction)
    depth = d.rng.randint(1, x.rank)
    index = places(d, x.shape, depth)
    updates = d.weights([*index.shape[:-1], *x.shape[depth:]], -2, 2)
    return d.layer(d.op, [x, d.ints(index), updates], lambda v, i, u: scatter_nd(
        v, i, u, reduction), reduction=reduction)


@builder("compass", "OneHot")
def one_hot(d):
    x = d.pick("i32", rank=range(1, 4))
    depth = d.rng.randint(1, 6)
    at = d.rng.randint(0, x.rank)
    off, on = d.rng.choice(((0.0, 1.0), (-1.0, 2.5)))

    def f(v):
        hot = v[..., None] == numpy.arange(depth)
        return numpy.moveaxis(numpy.where(hot, on, off), -1, at)
    return d.layer("OneHot", [x], f, depth=depth, axis=at - x.rank - 1 if d.chance(0.4) else at,
                   values=[off, on])


@builder("compass", "Compress")
def compress(d):
    x = d.pick()
    written, at = d.axis(x)
    chosen = [d.rng.randint(0, 1) for _ in range(x.shape[at])]
    chosen[0] = 1
    return d.layer(d.op, [x, d.ints(chosen, "u8")], lambda v, c: numpy.compress(c, v, at),
                   axis=written)


@builder("compass", "Filter")
def filters(d):
    x = d.pick()
    at = 0
    chosen = d.ints([d.rng.randint(0, 1) for _ in range(x.shape[at])])

    def f(v, c):
        kept = numpy.compress(c != 0, v, at)
        y = numpy.zeros(v.shape)
        y[:len(kept)] = kept
        return y, numpy.array([len(kept)])
    return d.layer(d.op, [x, chosen], f, ["f32", "i32"], num=1, axis=at)


@builder("compass", "NonZero")
def non_zero(d):
    x = d.pick()

    def f(v):
        found = numpy.array(numpy.nonzero(v))
        y = numpy.zeros([v.ndim, v.size], dtype=int)
        y[:, :found.shape[1]] = found
        return y, numpy.array([found.shape[1]])
    return d.layer(d.op, [x], f, ["i32", "i32"])


@builder("compass", "Unique")
def unique(d):
    x = d.pick(fits=lambda t: t.size < 200)

    def f(v):
        found, first, inverse, counts = numpy.unique(v, True, True, True)
        n = v.size
        pad = lambda a: numpy.concatenate([a, numpy.zeros(n - len(a), a.dtype)])
        return pad(found), pad(first), inverse, pad(counts)
    return d.layer(d.op, [x], f, ["f32", "i32", "i32", "i32"], sorted=True)


@builder("compass", "Shape")
def shape(d):
    x = d.pick()
    start = d.rng.randrange(x.rank)
    return d.layer("Shape", [x], lambda v: numpy.array(v.shape[start:]), ["i32"], start=start)


@builder("compass", "ConstantOfShape")
def of_shape(d):
    lengths = [d.rng.randint(1, 3) for _ in range(d.rng.randint(1, 3))]
    value = d.rng.choice((0.0, 1.5, -2.0))
    y = d.layer(d.op, [d.ints(lengths)], lambda _: numpy.full(lengths, value), keep=False,
                value=value)
    x = d.pick()
    return d.layer("Concat", [d.reshape(x, [x.size]), d.reshape(y, [y.size])],
                   lambda *v: numpy.concatenate(v), axis=0)


@builder("compass", "SlotUpdate")
def slot_update(d):
    x = d.shaped(4)
    n, cameras, slots, c = x.shape
    given = [[d.rng.randrange(slots) for _ in range(d.rng.randint(1, slots))]
             for _ in range(cameras)]
    if cameras > 4:
        raise Unfit

    def f(v, *index):
        y = numpy.zeros([n, slots, c])
        for camera, rows in enumerate(index):
            for k, row in enumerate(rows):
                y[:, row] += v[:, camera, k]
        return y
    return d.layer(d.op, [x, *(d.ints(g) for g in given)], f)


@builder("compass", "QueryRebatch")
def query_rebatch(d):
    x = d.shaped(3)
    given = [[d.rng.randrange(x.shape[1]) for _ in range(d.rng.randint(1, 4))] for _ in range(2)]
    length = max(map(len, given))

    def f(v, *index):
        y = numpy.zeros([v.shape[0], len(index), length, v.shape[2]])
        for camera, rows in enumerate(index):
            y[:, camera, :len(rows)] = v[:, rows]
        return y
    return d.layer(d.op, [x, *(d.ints(g) for g in given)], f)


@builder("compass", "EmbeddingLookupSparse")
def embedding(d):
    x = d.pick(rank=2)
    n = d.rng.randint(2, 5)
    rows = sorted(d.rng.randint(0, 1) for _ in range(n))
    rows[0], rows[-1] = 0, 1
    picks = [d.rng.randrange(x.shape[0]) for _ in range(n)]
    weights = d.weights([n], 0.5, 2)
    combiner = d.rng.choice(("SUM", "MEAN", "SQRTN"))

    def f(v, ids, values, w):
        y = []
        for row in range(2):
            part = w[ids == row]
            total = (v[values[ids == row]] * part[:, None]).sum(0)
            y.append(total / {"SUM": 1, "MEAN": part.sum(),
                              "SQRTN": numpy.sqrt((part**2).sum())}[combiner])
        return numpy.stack(y)
    return d.layer(d.op, [x, d.ints(rows), d.ints(picks), weights], f, combiner=combiner,
                   max_norm="NONE")


@builder("compass", "BasicLSTM", "GRUv1", "GRUv3")
def recurrent(d):
    x = d.shaped(3)
    n, steps, inputs = x.shape
    cells = d.rng.choice((1, 3, 4))
    is_lstm = d.op == "BasicLSTM"
    gates = 4 if is_lstm else 3
    w = d.numbers_of([gates * cells, inputs + cells], -0.5, 0.5)
    b = d.numbers_of([cells * (4 if d.op != "GRUv3" else 3)], -0.5, 0.5)
    states = [d.weights([n, cells]) for _ in range(2 if is_lstm else 1)]
    reverse = d.chance(0.3)
    words = ["Y", "H", "C"] if is_lstm else ["H", "Hn"]
    wanted = sorted(d.rng.sample(range(len(words)), d.rng.randint(1, len(words))))
    clip = d.rng.choice((None, None, 0.5)) if is_lstm else None
    after = d.op == "GRUv1"

    def f(v, *s):
        v = v[:, ::-1] if reverse else v
        found = lstm(v, *s, w, b, clip) if is_lstm else gru(v, *s, w, b, after)
        first = found[0][:, ::-1] if reverse else found[0]
        found = (first, *found[1:])
        return tuple(found[i] for i in wanted)
    return d.layer(d.op, [x, *states], f, ["f32"] * len(wanted), weights=blob(w), biases=blob(b),
                   time_steps=steps, input_size=inputs, cell_size=cells, cell_clip=clip,
                   direction="reverse" if reverse else "forward",
                   activations=["SIGMOID", "TANH", "TANH"][:3 if is_lstm else 2],
                   out_sequence=[words[i] for i in wanted])


@builder("compass", "RotaryEmbedding")
def rotary(d):
    x = d.pick(rank=4, fits=lambda t: t.shape[-1] % 2 == 0)
    n, heads, steps, size = x.shape
    cos, sin = (d.weights([n, steps, size // 2]) for _ in range(2))
    neighbours = d.rng.randint(0, 1)

    def f(v, c, s):
        c, s = c[:, None], s[:, None]
        a, b = (v[..., ::2], v[..., 1::2]) if neighbours else numpy.split(v, 2, -1)
        p, q = a * c - b * s, a * s + b * c
        return numpy.stack([p, q], -1).reshape(v.shape) if neighbours else \
            numpy.concatenate([p, q], -1)
    return d.layer(d.op, [x, cos, sin], f, interleaved=neighbours)


@builder("compass", "Resize")
def resizes(d):
    x = d.image()
    size = [d.rng.randint(1, 2 * n + 1) for n in x.shape[1:3]]
    method = d.rng.choice(("BILINEAR", "NEAREST"))
    mode = d.rng.choice(("HALF_PIXEL", "PYTORCH_HALF_PIXEL", "ALIGN_CORNERS", "ASYMMETRIC"))
    near = d.rng.choice(("ROUND_PREFER_FLOOR", "ROUND_PREFER_CEIL", "FLOOR", "CEIL")) \
        if method == "NEAREST" else None
    whole = [x.shape[0], *size, x.shape[3]]
    return d.layer("Resize", [x], lambda v: resize(v, size, mode, near), method=method, mode=mode,
                   nearest_mode=near, size=whole)
