"""Builders of Compass layers that move values."""
import numpy
from drawing import Unfit, builder
from formulas import reverse_sequence
from spatial import batch_to_space, cells, depth_to_space, space_to_batch, space_to_depth


def anything(d, **more):
    """A tensor of real numbers, sometimes of integers."""
    if d.chance(0.15):
        try:
            return d.pick(d.rng.choice(("i32", "u8")), **more)
        except Unfit:
            pass
    return d.pick(**more)


@builder("compass", "Reshape")
def reshape(d):
    x = anything(d)
    return d.reshape(x, d.factored(x.size, d.rng.randint(1, 5)))


@builder("compass", "Transpose")
def transpose(d):
    x = anything(d, rank=range(2, 6))
    perm = d.rng.sample(range(x.rank), x.rank)
    return d.layer("Transpose", [x], lambda v: v.transpose(perm), [x.kind], perm=perm)


@builder("compass", "Concat")
def concat(d):
    x = anything(d)
    written, at = d.axis(x)
    others = [t for t in d.tensors if t.kind == x.kind and t.rank == x.rank and
              all(i == at or m == n for i, (m, n) in enumerate(zip(t.shape, x.shape)))]
    parts = [x] + [d.rng.choice(others) for _ in range(d.rng.randint(1, 3))]
    if x.kind == "f32" and d.chance(0.2):
        parts.append(d.weights(x.shape, -2, 2))
    d.rng.shuffle(parts)
    return d.layer("Concat", parts, lambda *v: numpy.concatenate(v, at), [x.kind], axis=written)


@builder("compass", "Split")
def split(d):
    x = anything(d, fits=lambda t: max(t.shape) > 1)
    at = d.rng.choice([i for i, n in enumerate(x.shape) if n > 1])
    n = x.shape[at]
    cuts = sorted(d.rng.sample(range(1, n), min(n - 1, d.rng.randint(1, 3))))
    splits = [b - a for a, b in zip([0, *cuts], [*cuts, n])]
    return d.layer("Split", [x], lambda v: tuple(numpy.split(v, cuts, at)), [x.kind] * len(splits),
                   axis=at - x.rank if d.chance(0.3) else at, splits=splits)


@builder("compass", "Slice")
def slices(d):
    x = anything(d)
    begin, end, strides, at = [], [], [], []
    for n in x.shape:
        step = d.rng.choice((1, 1, 1, 2, -1, -2))
        a, b = sorted((d.rng.randrange(n), d.rng.randrange(n)))
        if d.chance(0.5):
            a, b = 0, n - 1
        if step > 0:
            begin.append(a - n if d.chance(0.2) else a)
            end.append(b + 1)
            at.append(slice(a, b + 1, step))
        else:
            begin.append(b)
            end.append(a - 1 if a else -n - 1)
            at.append(slice(b, a - 1 if a else None, step))
        strides.append(step)
    return d.layer("Slice", [x], lambda v: v[tuple(at)], [x.kind], begin=begin, end=end,
                   strides=strides)


@builder("compass", "Crop")
def crop(d):
    x = anything(d)
    crops = []
    for n in x.shape:
        a, b = sorted((d.rng.randrange(n), d.rng.randrange(n)))
        crops.append([a, b + 1] if d.chance(0.6) else [0, n])
    return d.layer("Crop", [x], lambda v: v[tuple(slice(a, b) for a, b in crops)], [x.kind],
                   crops=crops)


@builder("compass", "Pad")
def pad(d):
    x = d.pick()
    mode = d.rng.choice(("CONSTANT", "CONSTANT", "REFLECT", "SYMMETRIC", "WRAP"))
    pads = []
    for n in x.shape:
        most = {"CONSTANT": 2, "REFLECT": n - 1, "SYMMETRIC": n, "WRAP": n}[mode]
        pads.append([d.rng.randint(0, min(2, most)) if d.chance(0.6) else 0 for _ in range(2)])
    if mode == "CONSTANT":
        value = d.rng.choice((None, 0.0, 1.5, -2.0))
        return d.layer("Pad", [x], lambda v: numpy.pad(v, pads, constant_values=value or 0),
                       mode=mode, pads=pads, constant_value=value)
    return d.layer("Pad", [x], lambda v: numpy.pad(v, pads, mode=mode.lower()), mode=mode, pads=pads)


@builder("compass", "Tile")
def tile(d):
    x = anything(d)
    repeats = [d.rng.choice((1, 1, 2, 3)) for _ in x.shape]
    return d.layer("Tile", [x], lambda v: numpy.tile(v, repeats), [x.kind], repeats=repeats)


@builder("compass", "Repeat")
def repeat(d):
    x = d.pick()
    written, at = d.axis(x)
    repeats = [d.rng.randint(0, 3) for _ in range(x.shape[at])]
    repeats[0] = 2
    return d.layer("Repeat", [x, d.ints(repeats)], lambda v, r: numpy.repeat(v, r, at),
                   axis=written)


@builder("compass", "ReverseSequence")
def reversed_(d):
    x = d.pick(rank=range(2, 5))
    batch, time = d.rng.sample(range(x.rank), 2)
    lengths = [d.rng.randint(0, x.shape[time]) for _ in range(x.shape[batch])]
    return d.layer("ReverseSequence", [x, d.ints(lengths)],
                   lambda v, n: reverse_sequence(v, n, batch, time), batch_axis=batch,
                   time_axis=time)


@builder("compass", "ChannelShuffle")
def shuffle(d):
    x = d.pick(rank=range(2, 5))
    c = x.shape[-1]
    group = d.rng.choice([g for g in range(1, c + 1) if c % g == 0])
    parts = d.rng.choice([g for g in range(1, min(c, 3) + 1) if c % g == 0])

    def f(v):
        y = v.reshape(*v.shape[:-1], group, c // group).swapaxes(-1, -2).reshape(v.shape)
        return tuple(numpy.split(y, parts, -1))
    return d.layer("ChannelShuffle", [x], f, ["f32"] * parts, group=group, splits=parts)


def block(d, n, most=3):
    return d.rng.choice([b for b in range(1, most + 1) if n % b == 0])


@builder("compass", "DepthToSpace", "SpaceToDepth")
def blocks(d):
    x = d.image()
    if d.op == "SpaceToDepth":
        by, bx = block(d, x.shape[1]), block(d, x.shape[2])
        return d.layer(d.op, [x], lambda v: space_to_depth(v, by, bx), block_size_y=by,
                       block_size_x=bx)
    by = block(d, x.shape[-1])
    bx = block(d, x.shape[-1] // by)
    mode = d.rng.choice(("DCR", "CRD"))
    return d.layer(d.op, [x], lambda v: depth_to_space(v, by, bx, mode), block_size_y=by,
                   block_size_x=bx, mode=mode)


@builder("compass", "SpaceToBatch", "BatchToSpace", "BatchToSpaceND")
def batches(d):
    x = d.image()
    by, bx = d.rng.randint(1, 3), d.rng.randint(1, 3)
    pads = [(a := d.rng.randint(0, 1), -(n + a) % b) for n, b in zip(x.shape[1:3], (by, bx))]
    keys = {"block_size_y": by, "block_size_x": bx}
    y = d.layer("SpaceToBatch", [x], lambda v: space_to_batch(v, by, bx, pads),
                pad_top=pads[0][0], pad_bottom=pads[0][1], pad_left=pads[1][0],
                pad_right=pads[1][1], **keys)
    if d.op == "SpaceToBatch":
        return y
    if d.op == "BatchToSpaceND":
        return d.layer(d.op, [y], lambda v: batch_to_space(v, by, bx, pads), block_size=[by, bx],
                       crops=[list(p) for p in pads])
    return d.layer(d.op, [y], lambda v: batch_to_space(v, by, bx, pads), crop_top=pads[0][0],
                   crop_bottom=pads[0][1], crop_left=pads[1][0], crop_right=pads[1][1], **keys)


@builder("compass", "DataStride")
def data_stride(d):
    x = d.image()
    kernel = [d.rng.randint(1, min(3, n)) for n in x.shape[1:3]]
    strides = [d.rng.randint(1, 3) for _ in kernel]

    def f(v):
        found = dict(cells(v, kernel, strides, [(0, 0)] * 2, [1, 1]))
        n, h, w, c = found[0, 0].shape
        y = numpy.zeros([n, h, kernel[0], w, kernel[1], c])
        for (p, q), cell in found.items():
            y[:, :, p, :, q] = cell
        return y.reshape(n, h * kernel[0], w * kernel[1], c)
    return d.layer(d.op, [x], f, kernel_y=kernel[0], kernel_x=kernel[1], stride_y=strides[0],
                   stride_x=strides[1])


@builder("compass", "OverlapAdd")
def overlap_add(d):
    x = d.pick(rank=range(2, 5))
    step = d.rng.randint(1, x.shape[-1])

    def f(v):
        frames, n = v.shape[-2:]
        y = numpy.zeros([*v.shape[:-2], (frames - 1) * step + n])
        for k in range(frames):
            y[..., k * step:k * step + n] += v[..., k, :]
        return y
    return d.layer(d.op, [x], f, frame_step=step)


@builder("compass", "Meshgrid")
def meshgrid(d):
    parts = [d.pick(rank=1) if d.chance(0.5) else d.reshape(x := d.pick(fits=lambda t: t.size < 16),
                                                            [x.size]) for _ in range(2)]
    form, sparse = d.rng.choice(("xy", "ij")), d.chance(0.3)
    return d.layer("Meshgrid", parts, lambda *v: tuple(
        numpy.meshgrid(*v, indexing=form, sparse=sparse)), ["f32"] * 2, indexing=form,
        sparse=sparse, copy=True)


@builder("compass", "Dummy")
def dummy(d):
    x = d.pick()
    return d.layer("Dummy", [x], lambda v: v)


@builder("compass", "Col2Im")
def col2im(d):
    x = d.pick(rank=3, fits=lambda t: t.shape[1] % 4 == 0 and t.shape[2] % 2 == 0)
    channels, columns = x.shape[1] // 4, x.shape[2] // 2

    def f(v, *_):
        y = numpy.zeros([v.shape[0], channels, 3, columns + 1])
        parts = v.reshape(v.shape[0], channels, 2, 2, 2, columns)
        for p in range(2):
            for q in range(2):
                y[:, :, p:p + 2, q:q + columns] += parts[:, :, p, q]
        return y
    return d.layer(d.op, [x, d.ints([3, columns + 1]), d.ints([2, 2])], f, stride_x=1, stride_y=1,
                   pad_left=0, pad_right=0, pad_top=0, pad_bottom=0, dilation_x=1, dilation_y=1)
