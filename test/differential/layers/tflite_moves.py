"""Builders of TFLite's operators that move values."""
import numpy
from drawing import Unfit, builder
from formulas import gather, gather_nd, reverse_sequence
from tflite_form import of


def anything(d, **more):
    if d.chance(0.15):
        try:
            return d.pick(d.rng.choice(("i32", "bool")), **more)
        except Unfit:
            pass
    return d.pick(**more)


def moved(d, x, f, *constants, kinds=1, **options):
    return d.layer(d.op, [x, *constants], f, [of(x)] * kinds,
                   like=x if x.scale is not None else None, **options)


@builder("tflite", "RESHAPE", "SQUEEZE", "EXPAND_DIMS")
def reshape(d):
    x = anything(d)
    if d.op == "RESHAPE":
        return d.reshape(x, d.factored(x.size, d.rng.randint(1, 5)))
    if d.op == "SQUEEZE":
        ones = [i for i, n in enumerate(x.shape) if n == 1]
        axes = d.rng.sample(ones, d.rng.randint(1, len(ones))) if ones else []
        if not axes:
            raise Unfit
        return moved(d, x, lambda v: v.squeeze(tuple(axes)), squeeze_dims=axes)
    at = d.rng.randint(-x.rank - 1, x.rank)
    return moved(d, x, lambda v, _: numpy.expand_dims(v, at), d.ints(at))


@builder("tflite", "TRANSPOSE")
def transpose(d):
    x = anything(d, rank=range(2, 6))
    perm = d.rng.sample(range(x.rank), x.rank)
    return moved(d, x, lambda v, _: v.transpose(perm), d.ints(perm))


@builder("tflite", "CONCATENATION", "PACK")
def concat(d):
    x = anything(d)
    written, at = d.axis(x)
    others = [t for t in d.tensors if t.kind == x.kind and t.rank == x.rank and
              (t.scale is None) == (x.scale is None) and
              all(i == at and d.op != "PACK" or m == n for i, (m, n) in
                  enumerate(zip(t.shape, x.shape)))]
    parts = [x] + [d.rng.choice(others) for _ in range(d.rng.randint(1, 3))]
    same = all((t.scale, t.zero) == (x.scale, x.zero) for t in parts)
    like = x if same and x.scale is not None else None
    if d.op == "PACK":
        return d.layer("PACK", parts, lambda *v: numpy.stack(v, at), [of(x)], like=like, axis=at)
    return d.layer(d.op, parts, lambda *v: numpy.concatenate(v, at), [of(x)], like=like,
                   axis=written, fused_activation_function=0)


@builder("tflite", "SPLIT", "SPLIT_V", "UNPACK")
def split(d):
    x = anything(d, fits=lambda t: max(t.shape) > 1)
    at = d.rng.choice([i for i, n in enumerate(x.shape) if n > 1])
    n = x.shape[at]
    if d.op == "UNPACK":
        if n > 4 or x.rank < 2:
            raise Unfit
        return moved(d, x, lambda v: tuple(numpy.moveaxis(v, at, 0)), kinds=n, axis=at)
    if d.op == "SPLIT":
        parts = d.rng.choice([p for p in range(2, min(n, 4) + 1) if n % p == 0])
        return d.layer("SPLIT", [d.ints(at), x], lambda _, v: tuple(numpy.split(v, parts, at)),
                       [of(x)] * parts, like=x if x.scale is not None else None)
    cuts = sorted(d.rng.sample(range(1, n), min(n - 1, d.rng.randint(1, 3))))
    lengths = [b - a for a, b in zip([0, *cuts], [*cuts, n])]
    written = list(lengths)
    if d.chance(0.3):
        written[d.rng.randrange(len(written))] = -1
    return moved(d, x, lambda v, *_: tuple(numpy.split(v, cuts, at)), d.ints(written), d.ints(at),
                 kinds=len(lengths))


@builder("tflite", "SLICE")
def slices(d):
    x = anything(d)
    begin = [d.rng.randrange(n) if d.chance(0.5) else 0 for n in x.shape]
    size = [d.rng.randint(1, n - b) for n, b in zip(x.shape, begin)]
    written = [-1 if b + s == n and d.chance(0.4) else s
               for n, b, s in zip(x.shape, begin, size)]
    at = tuple(slice(b, b + s) for b, s in zip(begin, size))
    return moved(d, x, lambda v, *_: v[at], d.ints(begin), d.ints(written))


@builder("tflite", "STRIDED_SLICE")
def strided(d):
    x = anything(d)
    begin, end, strides, at = [], [], [], []
    masks = {"begin_mask": 0, "end_mask": 0, "shrink_axis_mask": 0}
    for i, n in enumerate(x.shape):
        step = d.rng.choice((1, 1, 1, 2, -1))
        a, b = sorted((d.rng.randrange(n), d.rng.randrange(n)))
        if d.chance(0.15) and x.rank > 1 and masks["shrink_axis_mask"].bit_count() < x.rank - 1:
            masks["shrink_axis_mask"] |= 1 << i
            begin.append(a), end.append(a + 1), strides.append(1), at.append(a)
            continue
        if step > 0:
            first, last, stop = a, b + 1, b + 1
        else:
            first, last, stop = b, a - 1 if a else -n - 1, a - 1 if a else None
        if d.chance(0.2):
            masks["begin_mask"] |= 1 << i
            at.append(slice(None, stop, step))
        else:
            at.append(slice(first, stop, step))
        begin.append(first - n if d.chance(0.2) else first)
        end.append(last)
        strides.append(step)
    at = tuple(at)
    return moved(d, x, lambda v, *_: v[at], d.ints(begin), d.ints(end), d.ints(strides), **masks)


@builder("tflite", "PAD", "PADV2", "MIRROR_PAD")
def pad(d):
    x = d.pick()
    mirror = d.op == "MIRROR_PAD"
    mode = d.rng.randint(0, 1)
    pads = []
    for n in x.shape:
        most = n - 1 + mode if mirror else 2
        pads.append([d.rng.randint(0, min(2, most)) if d.chance(0.6) else 0 for _ in range(2)])
    given = d.ints(pads)
    if mirror:
        return moved(d, x, lambda v, _: numpy.pad(v, pads, "symmetric" if mode else "reflect"),
                     given, mode=mode)
    if d.op == "PAD":
        return moved(d, x, lambda v, _: numpy.pad(v, pads), given)
    value = d.rng.choice((0.0, 1.5, -2.0))
    if x.scale is not None:
        fill = d.constant([value], x.kind, x.scale, x.zero)
    else:
        fill = d.constant([value])
    return moved(d, x, lambda v, _, k: numpy.pad(v, pads, constant_values=float(k[0])), given, fill)


@builder("tflite", "TILE", "BROADCAST_TO")
def tile(d):
    x = anything(d)
    if d.op == "TILE":
        repeats = [d.rng.choice((1, 1, 2, 3)) for _ in x.shape]
        return moved(d, x, lambda v, _: numpy.tile(v, repeats), d.ints(repeats))
    shape = [n if n > 1 else d.rng.choice((1, 2, 3)) for n in x.shape]
    if d.chance(0.3) and x.rank < 4:
        shape.insert(0, 2)
    return moved(d, x, lambda v, _: numpy.broadcast_to(v, shape).copy(), d.ints(shape))


@builder("tflite", "REVERSE_V2", "REVERSE_SEQUENCE")
def reverse(d):
    x = d.pick(rank=range(2, 5))
    if d.op == "REVERSE_V2":
        written, at = d.axis(x)
        return moved(d, x, lambda v, _: numpy.flip(v, at), d.ints([written]))
    batch, time = d.rng.sample(range(x.rank), 2)
    lengths = [d.rng.randint(1, x.shape[time]) for _ in range(x.shape[batch])]
    return moved(d, x, lambda v, n: reverse_sequence(v, n, batch, time), d.ints(lengths),
                 seq_dim=time, batch_dim=batch)


@builder("tflite", "GATHER", "EMBEDDING_LOOKUP")
def gathers(d):
    if d.op == "EMBEDDING_LOOKUP":
        x = d.pick(rank=range(2, 4))
        index = d.ints([d.rng.randrange(x.shape[0]) for _ in range(d.rng.randint(1, 4))])
        return d.layer(d.op, [index, x], lambda i, v: v[i],
                       like=x if x.scale is not None else None)
    x = anything(d)
    written, at = d.axis(x)
    n = x.shape[at]
    shape = [d.rng.randint(1, 4) for _ in range(d.rng.randint(1, 2))]
    index = d.ints(numpy.array([d.rng.randrange(n) for _ in range(int(numpy.prod(shape)))])
                   .reshape(shape))
    return moved(d, x, lambda v, i: gather(v, i, at), index, axis=written)


@builder("tflite", "GATHER_ND")
def gathers_nd(d):
    x = d.pick()
    depth = d.rng.randint(1, x.rank)
    rows = d.rng.randint(1, 4)
    index = [[d.rng.randrange(m) for m in x.shape[:depth]] for _ in range(rows)]
    return moved(d, x, gather_nd, d.ints(index))


@builder("tflite", "SCATTER_ND")
def scatter(d):
    x = d.pick()
    n = x.shape[0] + d.rng.randint(0, 2)
    rows = d.rng.sample(range(n), x.shape[0])
    shape = [n, *x.shape[1:]]

    def f(index, v, _):
        y = numpy.zeros(shape)
        y[index[:, 0]] = v
        return y
    return d.layer(d.op, [d.ints([[r] for r in rows]), x, d.ints(shape)], f,
                   like=x if x.scale is not None else None)


@builder("tflite", "DYNAMIC_UPDATE_SLICE")
def update(d):
    x = d.pick()
    sizes = [d.rng.randint(1, n) for n in x.shape]
    begin = [d.rng.randint(0, n - s) for n, s in zip(x.shape, sizes)]
    values = d.numbers_of(sizes, max(x.lo, -3), max(min(x.hi, 3), max(x.lo, -3) + 0.1))
    u = d.constant(values, x.kind, x.scale, x.zero)

    def f(v, k, _):
        y = v.copy()
        y[tuple(slice(b, b + s) for b, s in zip(begin, sizes))] = k
        return y
    return moved(d, x, f, u, d.ints(begin))
