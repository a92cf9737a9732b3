"""Builders of operators that move elements."""
from draw import Unfit, builder
from graph import Constant, count

KINDS = ("f32",) * 12 + ("i32", "bool", "i64")


def any_kind(d, **what):
    return d.pick(d.rng.choice(KINDS), **what)


@builder("Concat")
def concat(d):
    x = any_kind(d, rank=range(1, 6))
    given, at = d.axis(x)
    if d.opset < 11:
        given = at
    parts = [x]
    for t in d.rng.sample(d.tensors, len(d.tensors)):
        if t.kind == x.kind and t.rank == x.rank and len(parts) < d.rng.randint(2, 4) and \
                t.shape[:at] + t.shape[at + 1:] == x.shape[:at] + x.shape[at + 1:]:
            parts.append(t)
    if d.chance(0.3) and x.kind == "f32":
        shape = list(x.shape)
        shape[at] = d.rng.randint(1, 3)
        parts.append(d.weights(shape))
    d.rng.shuffle(parts)
    shape = list(x.shape)
    shape[at] = sum(t.shape[at] for t in parts)
    bits = None if any(t.bits is None for t in parts) else max(t.bits for t in parts)
    return d.node("Concat", parts, shape, x.kind, min(t.lo for t in parts),
                  max(t.hi for t in parts), bits, axis=given)


@builder("Split")
def split(d):
    x = any_kind(d, rank=range(1, 6), fits=lambda t: max(t.shape) > 1)
    at = d.rng.choice([i for i, n in enumerate(x.shape) if n > 1])
    length = x.shape[at]
    parts = d.rng.randint(2, min(3, length))
    inputs, attributes = [x], {"axis": at}
    if length % parts == 0 and d.chance(0.5):
        sizes = [length // parts] * parts
        if d.opset >= 18:
            attributes["num_outputs"] = parts
    else:
        cuts = sorted(d.rng.sample(range(1, length), parts - 1))
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, length])]
        if d.opset >= 13:
            inputs.append(d.ints(sizes))
        else:
            attributes["split"] = sizes
    results = [([n if i != at else size for i, n in enumerate(x.shape)], x.kind, x.lo, x.hi, x.bits)
               for size in sizes]
    return d.nodes("Split", inputs, results, **attributes)[0]


@builder("Slice")
def slice_(d):
    x = any_kind(d, rank=range(1, 6))
    axes = d.rng.sample(range(x.rank), d.rng.randint(1, min(3, x.rank)))
    starts, ends, steps, shape = [], [], [], list(x.shape)
    for a in axes:
        n = x.shape[a]
        step = d.rng.choice((1, 1, 1, 2, 3)) * (-1 if d.opset >= 10 and d.chance(0.2) else 1)
        if d.opset < 10:
            step = 1
        first, last = sorted((d.rng.randint(0, n - 1), d.rng.randint(0, n - 1)))
        if step > 0:
            end = last + 1
            if end == n and d.chance(0.3):
                end = 1 << 40
            shape[a] = len(range(n)[first:end:step])
            starts.append(first - n if d.chance(0.3) else first)
            ends.append(end - n if 0 < end < n and d.chance(0.3) else end)
        else:
            shape[a] = len(range(last, first - 1, step))
            starts.append(last)
            ends.append(first - 1 - n if first else -n - 1)
        steps.append(step)
    if d.opset < 10:
        return d.like("Slice", x, shape=shape, starts=starts, ends=[min(e, 1 << 31) for e in ends],
                      axes=axes)
    inputs = [d.ints(starts), d.ints(ends)]
    if axes != list(range(len(axes))) or d.chance(0.8):
        inputs.append(d.ints([a - x.rank if d.chance(0.3) else a for a in axes]))
    if any(s != 1 for s in steps) or len(inputs) == 3 and d.chance(0.3):
        if len(inputs) == 2:
            inputs.append(None)
        inputs.append(d.ints(steps))
    return d.like("Slice", x, *inputs, shape=shape)


@builder("Pad")
def pad(d):
    x = d.pick(rank=range(1, 5))
    mode = d.rng.choice(("constant", "constant", "reflect", "edge", None))
    most = [min(2, n - 1) if mode == "reflect" else 2 for n in x.shape]
    axes = set(d.rng.sample(range(x.rank), min(2, x.rank)))
    pads = [d.rng.randint(0, most[i]) if i in axes else 0 for i in range(x.rank)] * 1
    pads += [d.rng.randint(0, most[i]) if i in axes else 0 for i in range(x.rank)]
    if mode in ("constant", None) and d.chance(0.2):  # a negative one cuts
        i = d.rng.randrange(x.rank)
        if x.shape[i] > 2:
            pads[i] = -1
    shape = [n + pads[i] + pads[i + x.rank] for i, n in enumerate(x.shape)]
    value = d.rng.choice((0.0, 1.0, -2.0))
    lo, hi = min(x.lo, value), max(x.hi, value)
    if d.opset < 11:
        return d.node("Pad", [x], shape, lo=lo, hi=hi, bits=x.bits, pads=pads, mode=mode,
                      value=value if mode in ("constant", None) else None)
    inputs = [x, d.ints(pads)]
    if mode in ("constant", None) and d.chance(0.6):
        inputs.append(d.constant([], [value]))
    else:
        lo, hi = min(0, lo), max(0, hi)
    return d.node("Pad", inputs, shape, lo=lo, hi=hi, bits=x.bits, mode=mode)


@builder("Transpose")
def transpose(d):
    x = any_kind(d, rank=range(1, 7))
    perm = list(range(x.rank))
    d.rng.shuffle(perm)
    if d.chance(0.4) and x.rank == 4:
        perm = d.rng.choice(([0, 2, 3, 1], [0, 3, 1, 2], [0, 1, 3, 2]))
    if d.chance(0.1):
        return d.like("Transpose", x, shape=x.shape[::-1])
    return d.transpose(x, perm)


@builder("Reshape")
def reshape(d):
    x = any_kind(d)
    shape = d.factored(x.size, d.rng.randint(1, 5))
    if d.chance(0.3) and x.rank == len(shape) and x.shape[0] == shape[0]:
        given = [0, *shape[1:]]
        return d.like("Reshape", x, d.ints(given), shape=shape)
    return d.reshape(x, shape)


@builder("Flatten")
def flatten(d):
    x = d.pick()
    at = d.rng.randint(0, x.rank)
    given = at - x.rank if d.opset >= 11 and at < x.rank and d.chance(0.3) else at
    return d.like("Flatten", x, shape=[count(x.shape[:at]), count(x.shape[at:])], axis=given)


@builder("Squeeze")
def squeeze(d):
    x = any_kind(d, rank=range(1, 7), fits=lambda t: 1 in t.shape)
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    axes = sorted(d.rng.sample(ones, d.rng.randint(1, len(ones))))
    if d.chance(0.2):
        return d.like("Squeeze", x, shape=[n for n in x.shape if n != 1])
    shape = [n for i, n in enumerate(x.shape) if i not in axes]
    if d.opset >= 13:
        return d.like("Squeeze", x, d.ints(axes), shape=shape)
    return d.like("Squeeze", x, shape=shape, axes=axes)


@builder("Unsqueeze")
def unsqueeze(d):
    x = any_kind(d, rank=range(0, 5))
    rank = x.rank + d.rng.randint(1, 2)
    axes = sorted(d.rng.sample(range(rank), rank - x.rank))
    shape = list(x.shape)
    for a in axes:
        shape.insert(a, 1)
    if d.opset >= 13:
        return d.like("Unsqueeze", x, d.ints([a - rank if d.chance(0.3) else a for a in axes]),
                      shape=shape)
    return d.like("Unsqueeze", x, shape=shape, axes=axes)


@builder("Expand")
def expand(d):
    x = any_kind(d, rank=range(0, 5))
    given = [d.rng.choice((1, 2, 3)) if n == 1 else d.rng.choice((1, n)) for n in x.shape]
    if d.chance(0.3) and x.rank < 5:
        given = [d.rng.choice((1, 2)), *given]
    if d.chance(0.1):
        given = given[1:] or [1]
    return d.like("Expand", x, d.ints(given), shape=d.broadcast(x.shape, given))


@builder("Tile")
def tile(d):
    x = any_kind(d, rank=range(1, 5))
    repeats = [d.rng.choice((1, 1, 2, 3)) for _ in x.shape]
    return d.like("Tile", x, d.ints(repeats), shape=[n * r for n, r in zip(x.shape, repeats)])


@builder("DepthToSpace")
def depth_to_space(d):
    x = d.shaped(4)
    b = d.rng.choice([b for b in (1, 2, 3) if x.shape[1] % (b * b) == 0])
    return d.like(d.op, x, shape=[x.shape[0], x.shape[1] // (b * b), x.shape[2] * b, x.shape[3] * b],
                  blocksize=b, mode=d.rng.choice((None, "DCR", "CRD")))


@builder("SpaceToDepth")
def space_to_depth(d):
    x = d.shaped(4)
    b = d.rng.choice([b for b in (1, 2, 3) if x.shape[2] % b == 0 and x.shape[3] % b == 0])
    return d.like(d.op, x, shape=[x.shape[0], x.shape[1] * b * b, x.shape[2] // b, x.shape[3] // b],
                  blocksize=b)


@builder("Shape", "Size")
def shape_of(d):
    """Lengths that a Reshape or an Expand uses, as exporters write them."""
    x = d.pick(rank=range(1, 5))
    if d.op == "Size":
        n = d.node("Size", [x], [], "i64", 0, MOST_LENGTH, keep=d.chance(0.2))
        n = d.node("Cast", [n], [], lo=0, hi=x.size, keep=False, to=1)
        return d.node("Div", [x, n], x.shape, lo=-x.most(), hi=x.most())
    lengths = d.node("Shape", [x], [x.rank], "i64", 0, MOST_LENGTH, keep=d.chance(0.2))
    if d.opset < 11 or x.rank < 2:
        return d.like("Reshape", x, lengths)
    first = d.node("Gather", [lengths, d.constant([], [0], "i64")], [], "i64", 0, 99, keep=False, axis=0)
    first = d.node("Unsqueeze", [first, d.ints([0])] if d.opset >= 13 else [first], [1], "i64",
                   0, 99, keep=False, axes=[0] if d.opset < 13 else None)
    target = d.node("Concat", [first, d.ints([-1])], [2], "i64", -1, 99, keep=False, axis=0)
    return d.like("Reshape", x, target, shape=[x.shape[0], count(x.shape[1:])])


MOST_LENGTH = 4096


@builder("ConstantOfShape", "Range", "EyeLike", "HannWindow", "HammingWindow", "BlackmanWindow")
def made(d):
    """A tensor that operators make of shapes, added to another."""
    x = d.pick(rank=range(1, 5))
    n = x.shape[-1]
    if d.op == "ConstantOfShape":
        c = d.node(d.op, [d.ints([1] * (x.rank - 1) + [n])], [1] * (x.rank - 1) + [n], lo=0, hi=2,
                   bits=1, keep=False, value=Constant("f32", [1], [1.5]) if d.chance(0.7) else None)
    elif d.op == "Range":
        c = d.node(d.op, [d.constant([], [0.0]), d.constant([], [float(n)]), d.constant([], [1.0])],
                   [n], lo=0, hi=n, bits=0, keep=False)
    elif d.op == "EyeLike":
        if x.rank < 2:
            raise Unfit
        e = d.weights(x.shape[-2:])
        c = d.node(d.op, [e], e.shape, lo=0, hi=1, bits=0, keep=False,
                   k=d.rng.choice((None, 0, 1, -1)))
    else:
        if n < 2:
            raise Unfit
        c = d.node(d.op, [d.constant([], [n], "i64")], [n], lo=-1, hi=1, keep=False,
                   periodic=d.rng.choice((None, 0, 1)))
    bits = None if None in (c.bits, x.bits) else max(c.bits, x.bits)
    return d.node("Add", [x, c], d.broadcast(x.shape, c.shape), lo=x.lo + c.lo, hi=x.hi + c.hi, bits=bits)


@builder("Trilu")
def trilu(d):
    x = d.pick(rank=range(2, 5))
    inputs = [x] + ([d.constant([], [d.rng.randint(-2, 2)], "i64")] if d.chance(0.5) else [])
    return d.node("Trilu", inputs, x.shape, lo=min(0, x.lo), hi=max(0, x.hi), bits=x.bits,
                  upper=d.rng.choice((None, 0, 1)))


@builder("CenterCropPad")
def center(d):
    x = d.pick(rank=range(1, 5))
    axes = sorted(d.rng.sample(range(x.rank), min(2, x.rank)))
    lengths = [d.rng.randint(1, x.shape[a] + 2) for a in axes]
    shape = list(x.shape)
    for a, n in zip(axes, lengths):
        shape[a] = n
    return d.node(d.op, [x, d.ints(lengths)], shape, lo=min(0, x.lo), hi=max(0, x.hi),
                  bits=x.bits, axes=axes)


@builder("Constant")
def constant(d):
    raise Unfit  # Draw.constant makes them
