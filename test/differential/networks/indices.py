"""Builders of operators that read or write at indices."""
from draw import Unfit, builder
from graph import count


def places(d, shape, length, kind=None):
    """Indices into an axis, some of them from the end."""
    low = -length if d.opset >= 11 and d.chance(0.3) else 0
    return d.constant(shape, [d.rng.randint(low, length - 1) for _ in range(count(shape))],
                      kind or d.rng.choice(("i64", "i32")))


@builder("Gather")
def gather(d):
    x = d.pick(rank=range(1, 5))
    given, at = d.axis(x)
    shape = d.rng.choice(([], [1], [3], [2, 2]))
    own = [t for t in d.tensors if t.kind == "i64" and t.lo >= 0 and t.hi < x.shape[at] and t.rank < 3]
    index = d.rng.choice(own) if own and d.chance(0.5) else places(d, shape, x.shape[at])
    return d.like("Gather", x, index, shape=x.shape[:at] + list(index.shape) + x.shape[at + 1:],
                  axis=given)


@builder("GatherElements")
def gather_elements(d):
    x = d.pick(rank=range(1, 5))
    given, at = d.axis(x)
    shape = list(x.shape)
    shape[at] = d.rng.randint(1, 4)
    return d.like(d.op, x, places(d, shape, x.shape[at]), shape=shape, axis=given)


@builder("GatherND")
def gather_nd(d):
    x = d.pick(rank=range(2, 5))
    batch = 1 if d.opset >= 12 and d.chance(0.3) else 0
    depth = d.rng.randint(1, x.rank - batch)
    shape = ([x.shape[0]] if batch else []) + [3, depth]
    values = [d.rng.randrange(x.shape[batch + i % depth]) for i in range(count(shape))]
    return d.like(d.op, x, d.constant(shape, values, "i64"),
                  shape=shape[:-1] + x.shape[batch + depth:], batch_dims=batch or None)


@builder("ScatterElements", "Scatter")
def scatter_elements(d):
    x = d.pick(rank=range(1, 5))
    given, at = d.axis(x)
    n = d.rng.randint(1, x.shape[at])
    shape = list(x.shape)
    shape[at] = n
    # Each place is written once.
    rows = count(shape[:at])
    inner = count(shape[at + 1:])
    values = [0] * count(shape)
    for r in range(rows):
        for i in range(inner):
            for k, v in enumerate(d.rng.sample(range(x.shape[at]), n)):
                values[(r * n + k) * inner + i] = v
    index = d.constant(shape, values, "i64")
    update = d.weights(shape)
    reduction = d.rng.choice((None, "none", "add", "mul", "max", "min"))
    if d.opset < 18 and reduction in ("max", "min") or d.opset < 16 or d.op == "Scatter":
        reduction = None
    most = max(x.most() * max(1, update.most()), x.most() + update.most())
    bits = None if x.bits is None or reduction == "mul" else max(x.bits, 3)
    return d.node(d.op, [x, index, update], x.shape, lo=-most, hi=most, bits=bits, axis=given,
                  reduction=reduction)


@builder("ScatterND")
def scatter_nd(d):
    x = d.pick(rank=range(1, 5))
    depth = d.rng.randint(1, x.rank)
    total = count(x.shape[:depth])
    flat = d.rng.sample(range(total), min(total, d.rng.randint(1, 3)))
    values = []
    for v in flat:
        row = []
        for n in reversed(x.shape[:depth]):
            row.append(v % n)
            v //= n
        values += row[::-1]
    index = d.constant([len(flat), depth], values, "i64")
    update = d.weights([len(flat), *x.shape[depth:]])
    reduction = d.rng.choice((None, "none", "add", "mul", "max", "min"))
    if d.opset < 18 and reduction in ("max", "min") or d.opset < 16:
        reduction = None
    most = max(x.most() * max(1, update.most()), x.most() + update.most())
    bits = None if x.bits is None or reduction == "mul" else max(x.bits, 3)
    return d.node(d.op, [x, index, update], x.shape, lo=-most, hi=most, bits=bits,
                  reduction=reduction)


@builder("OneHot")
def one_hot(d):
    x = d.pick("i64", rank=range(0, 4), fits=lambda t: t.lo >= 0 and t.hi < 16)
    depth = int(x.hi) + 1
    at = d.rng.randint(0, x.rank)
    return d.node(d.op, [x, d.constant([], [depth], "i64"), d.constant([2], [0.0, 1.0])],
                  [*x.shape[:at], depth, *x.shape[at:]], lo=0, hi=1, bits=0,
                  axis=at if d.chance(0.5) else at - x.rank - 1)


@builder("Compress")
def compress(d):
    x = d.pick(rank=range(1, 5))
    given, at = d.axis(x)
    if d.opset < 11:
        given = at
    chosen = [d.rng.randint(0, 1) for _ in range(x.shape[at])]
    chosen[d.rng.randrange(len(chosen))] = 1
    shape = list(x.shape)
    shape[at] = sum(chosen)
    return d.like(d.op, x, d.constant([len(chosen)], chosen, "bool"), shape=shape, axis=given)


@builder("NonZero")
def non_zero(d):
    """Reads a constant: a result that depends on values has no shape."""
    x = d.pick(rank=range(1, 5))
    mask = [d.rng.randint(0, 1) for _ in range(x.shape[0])]
    mask[0] = 1
    found = d.node("NonZero", [d.constant([len(mask)], mask, "bool")], [1, sum(mask)], "i64", 0,
                   x.shape[0] - 1, keep=False)
    return d.like("Gather", x, found, shape=[1, sum(mask), *x.shape[1:]], axis=0)


@builder("ReverseSequence")
def reverse(d):
    x = d.pick(rank=range(2, 5))
    time = d.rng.choice((0, 1))
    lengths = [d.rng.randint(1, x.shape[time]) for _ in range(x.shape[1 - time])]
    return d.like(d.op, x, d.ints(lengths), time_axis=time, batch_axis=1 - time)
