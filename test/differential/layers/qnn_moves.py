"""Builders of QNN's operators that move values."""
import numpy
from drawing import Unfit, builder
from formulas import gather, gather_nd, scatter_elements, scatter_nd
from qnn_form import kept, of


def anything(d, **more):
    if d.chance(0.15):
        try:
            return d.pick(d.rng.choice(("i32", "bool")), **more)
        except Unfit:
            pass
    return d.pick(**more)


def moved(d, x, f, *constants, kinds=1, **params):
    return d.layer(d.op, [x, *constants], f, [of(x)] * kinds, like=kept(x), **params)


@builder("qnn", "Reshape", "Squeeze", "ExpandDims")
def reshape(d):
    x = anything(d)
    if d.op == "Reshape":
        return d.reshape(x, d.factored(x.size, d.rng.randint(1, 5)))
    if d.op == "Squeeze":
        ones = [i for i, n in enumerate(x.shape) if n == 1]
        if not ones or x.rank < 2:
            raise Unfit
        axes = d.rng.sample(ones, d.rng.randint(1, len(ones)))
        return moved(d, x, lambda v: v.squeeze(tuple(axes)), axes=axes)
    at = d.rng.randint(0, x.rank)
    return moved(d, x, lambda v: numpy.expand_dims(v, at), axis=at)


@builder("qnn", "Transpose")
def transpose(d):
    x = anything(d, rank=range(2, 6))
    perm = d.rng.sample(range(x.rank), x.rank)
    return moved(d, x, lambda v: v.transpose(perm), perm=perm)


@builder("qnn", "ChannelShuffle")
def shuffle(d):
    x = d.pick(rank=range(2, 5))
    _, at = d.axis(x)
    n = x.shape[at]
    groups = d.rng.choice([g for g in range(1, n + 1) if n % g == 0])

    def f(v):
        v = numpy.moveaxis(v, at, -1)
        y = v.reshape(*v.shape[:-1], groups, n // groups).swapaxes(-1, -2).reshape(v.shape)
        return numpy.moveaxis(y, -1, at)
    return moved(d, x, f, num_groups=groups, axis=at)


@builder("qnn", "Concat", "Pack")
def concat(d):
    x = anything(d)
    _, at = d.axis(x)
    others = [t for t in d.tensors if t.kind == x.kind and t.rank == x.rank and
              (t.scale is None) == (x.scale is None) and
              all(i == at and d.op != "Pack" or m == n for i, (m, n) in
                  enumerate(zip(t.shape, x.shape)))]
    parts = [x] + [d.rng.choice(others) for _ in range(d.rng.randint(1, 3))]
    same = all((t.scale, t.zero) == (x.scale, x.zero) for t in parts)
    join = numpy.stack if d.op == "Pack" else numpy.concatenate
    return d.layer(d.op, parts, lambda *v: join(v, at), [of(x)], like=kept(x) if same else None,
                   axis=at)


@builder("qnn", "Split", "UnPack")
def split(d):
    x = anything(d, fits=lambda t: max(t.shape) > 1)
    at = d.rng.choice([i for i, n in enumerate(x.shape) if n > 1])
    n = x.shape[at]
    if d.op == "UnPack":
        if n > 4 or x.rank < 2:
            raise Unfit
        return moved(d, x, lambda v: tuple(numpy.moveaxis(v, at, 0)), kinds=n, axis=at)
    cuts = sorted(d.rng.sample(range(1, n), min(n - 1, d.rng.randint(1, 3))))
    return moved(d, x, lambda v: tuple(numpy.split(v, cuts, at)), kinds=len(cuts) + 1, axis=at,
                 split_index=cuts)


@builder("qnn", "StridedSlice")
def strided(d):
    x = anything(d)
    ranges, at, begin_mask, end_mask, shrink = [], [], 0, 0, 0
    for i, n in enumerate(x.shape):
        step = d.rng.choice((1, 1, 1, 2, -1))
        a, b = sorted((d.rng.randrange(n), d.rng.randrange(n)))
        if d.chance(0.15) and shrink.bit_count() < x.rank - 1:
            shrink |= 1 << i
            ranges.append([a, a + 1, 1])
            at.append(a)
            continue
        first, last, stop = (a, b + 1, b + 1) if step > 0 else \
            (b, a - 1 if a else -n - 1, a - 1 if a else None)
        if d.chance(0.2):
            begin_mask |= 1 << i
        ranges.append([first, last, step])
        at.append(slice(None if begin_mask >> i & 1 else first, stop, step))
    at = tuple(at)
    return moved(d, x, lambda v: v[at], ranges=ranges, begin_mask=begin_mask, end_mask=end_mask,
                 shrink_axes=shrink)


@builder("qnn", "Pad")
def pad(d):
    x = d.pick()
    scheme = d.rng.randrange(4)
    pads = []
    for n in x.shape:
        most = (2, n, n - 1, 2)[scheme]
        pads.append([d.rng.randint(0, min(2, most)) if d.chance(0.6) else 0 for _ in range(2)])
    mode = ("constant", "symmetric", "reflect", "edge")[scheme]
    return moved(d, x, lambda v: numpy.pad(v, pads, mode), scheme=scheme, pad_amount=pads)


@builder("qnn", "Tile")
def tile(d):
    x = anything(d)
    repeats = [d.rng.choice((1, 1, 2, 3)) for _ in x.shape]
    return moved(d, x, lambda v: numpy.tile(v, repeats), multiples=repeats)


@builder("qnn", "Gather", "GatherElements", "GatherNd")
def gathers(d):
    x = anything(d) if d.op == "Gather" else d.pick()
    _, at = d.axis(x)
    n = x.shape[at]

    def drawn(shape):
        return d.ints(numpy.array([d.rng.randrange(n) for _ in range(int(numpy.prod(shape)))])
                      .reshape(shape))
    if d.op == "Gather":
        index = drawn([d.rng.randint(1, 4) for _ in range(d.rng.randint(1, 2))])
        return moved(d, x, lambda v, i: gather(v, i, at), index, axis=at)
    if d.op == "GatherElements":
        index = drawn([m if i != at else d.rng.randint(1, 4) for i, m in enumerate(x.shape)])
        return moved(d, x, lambda v, i: numpy.take_along_axis(v, i, at), index, axis=at)
    depth = d.rng.randint(1, x.rank)
    index = [[d.rng.randrange(m) for m in x.shape[:depth]] for _ in range(d.rng.randint(1, 4))]
    return moved(d, x, gather_nd, d.ints(index))


@builder("qnn", "ScatterElements", "ScatterNd")
def scatter(d):
    x = d.within(-30, 30)
    ways = ("NONE", "ADD", "MUL", "MAX") if d.op == "ScatterElements" else ("NONE", "ADD", "MUL")
    way = 0 if d.form.kind else d.rng.randrange(len(ways))
    lo, hi = max(x.lo, -2), max(min(x.hi, 2), max(x.lo, -2) + 0.1)
    if d.op == "ScatterElements":
        _, at = d.axis(x)
        shape = [d.rng.randint(1, n) for n in x.shape]
        index = numpy.array([d.rng.randrange(x.shape[at]) for _ in range(int(numpy.prod(shape)))])
        index, f = d.ints(index.reshape(shape)), lambda v, i, u: scatter_elements(v, i, u, at,
                                                                                ways[way])
        keys = {"axis": at}
    else:
        depth = d.rng.randint(1, x.rank)
        index = numpy.array([[d.rng.randrange(m) for m in x.shape[:depth]]
                             for _ in range(d.rng.randint(1, 3))])
        shape, index = [len(index), *x.shape[depth:]], d.ints(index)
        f, keys = lambda v, i, u: scatter_nd(v, i, u, ways[way]), {}
    updates = d.constant(d.numbers_of(shape, lo, hi), x.kind, x.scale, x.zero)
    return moved(d, x, f, index, updates, reduction=way, **keys)
