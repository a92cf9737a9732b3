"""Builders of QNN's operators over images, of products, and that move values."""
import numpy
from compass_windows import window
from drawing import Unfit, builder
from qnn_form import kept
from spatial import (batch_to_space, conv, conv_transpose, depth_to_space, pool, resize,
                     space_to_batch, space_to_depth)

RANKS = {"1": 3, "2": 4, "3": 5}


def pairs(pads):
    return [list(p) for p in pads]


def given(values):
    """One axis has a number, several have a list."""
    return values if len(values) > 1 else values[0]


def params(strides, pads, dilations=None):
    keys = {"stride": given(strides), "pad_amount": pairs(pads) if len(pads) > 1 else list(pads[0])}
    if dilations and any(n > 1 for n in dilations):
        keys["dilation"] = given(dilations)
    return keys


@builder("qnn", "Conv1d", "Conv2d", "Conv3d", "DepthWiseConv1d", "DepthWiseConv2d")
def convolution(d):
    x = d.image(rank=RANKS[d.op[-2]])
    kernel, strides, pads, dilations = window(d, x.shape[1:-1])
    c = x.shape[-1]
    deep = d.op.startswith("Depth")
    group = c if deep else d.rng.choice([g for g in (1, 1, 1, 2, 4) if c % g == 0])
    out = group * d.rng.choice((1, 2)) if group > 1 or deep else d.rng.choice((1, 3, 4, 8))
    w = d.form.filters(d, d.numbers_of([*kernel, c // group, out], -1, 1), len(kernel) + 1)
    inputs = [x, w]
    if d.chance(0.7):
        inputs.append(d.form.biases(d, d.numbers_of([out], -2, 2), x, w))
    keys = params(strides, pads, dilations)
    if group > 1 and not deep:
        keys["group"] = group
    turn = [w.rank - 1, *range(w.rank - 2), w.rank - 2]
    return d.layer(d.op, inputs, lambda v, k, b=0.0: conv(
        v, k.transpose(turn), b, strides, pads, dilations, group), **keys)


@builder("qnn", "TransposeConv1d", "TransposeConv2d", "TransposeConv3d")
def transposed(d):
    x = d.image(rank=RANKS[d.op[-2]])
    n = x.rank - 2
    kernel = [d.rng.randint(1, 3) for _ in range(n)]
    strides = [d.rng.randint(1, 3) for _ in range(n)]
    pads = [(d.rng.randint(0, k - 1), d.rng.randint(0, k - 1)) for k in kernel]
    extra = [d.rng.choice((0, 0, s - 1)) for s in strides]
    if any((m - 1) * s + k + e <= sum(p) for m, s, k, e, p in
           zip(x.shape[1:-1], strides, kernel, extra, pads)):
        raise Unfit
    c = x.shape[-1]
    group = d.rng.choice([g for g in (1, 1, 1, 2) if c % g == 0])
    out = d.rng.choice((1, 2, 4))
    w = d.form.filters(d, d.numbers_of([*kernel, c, out], -1, 1), None)
    inputs = [x, w]
    if d.chance(0.6):
        inputs.append(d.form.biases(d, d.numbers_of([out * group], -2, 2), x, w))
    keys = params(strides, pads)
    if group > 1:
        keys["group"] = group
    if any(extra):
        keys["output_padding"] = given(extra)

    def f(v, k, b=0.0):
        # [kernel ..., input, output / group] as [output, kernel ..., input / group].
        parts = [numpy.moveaxis(p, -1, 0) for p in numpy.split(k, group, -2)]
        return conv_transpose(v, numpy.concatenate(parts), b, strides, pads, [1] * n, extra, group)
    return d.layer(d.op, inputs, f, **keys)


@builder("qnn", "PoolMax2d", "PoolAvg2d", "L2Pool2d", "PoolMax3d", "PoolAvg3d")
def pooling(d):
    x = d.image(rank=RANKS[d.op[-2]])
    kernel, strides, pads, dilations = window(d, x.shape[1:-1], dilates=False)
    method = "L2" if d.op == "L2Pool2d" else d.op[4:7].upper()
    keys = dict(params(strides, pads), filter_size=kernel)
    counts = method == "AVG" and d.chance(0.4)
    if counts:
        keys["count_pad_for_edges"] = True
    return d.layer(d.op, [x], lambda v: pool(v, kernel, strides, pads, dilations, method, counts),
                   like=kept(x) if method == "MAX" else None, **keys)


@builder("qnn", "FullyConnected")
def fully_connected(d):
    x = d.shaped(2) if d.chance(0.6) else d.pick(rank=range(2, 5))
    out, depth = d.rng.choice((1, 3, 8, 16)), x.shape[-1]
    w = d.form.filters(d, d.numbers_of([out, depth], -1, 1), 0)
    inputs = [x, w]
    if d.chance(0.7):
        inputs.append(d.form.biases(d, d.numbers_of([out], -2, 2), x, w))
    keeps = d.chance(0.4)

    def f(v, k, b=0.0):
        y = v @ k.T + b
        return y if keeps else y.reshape(-1, out)
    return d.layer(d.op, inputs, f, keep_dims=keeps)


@builder("qnn", "MatMul")
def matmul(d):
    x = d.shaped((2, 3, 4), fits=lambda t: t.most < 40)
    left, right = d.chance(0.3), d.chance(0.4)
    depth = x.shape[-2] if left else x.shape[-1]
    out = d.rng.choice((1, 2, 4))
    shape = [*x.shape[:-2], *([out, depth] if right else [depth, out])]
    found = [t for t in d.tensors if t.shape == shape and t.kind == x.kind and t.most < 8]
    y = d.rng.choice(found) if found and d.chance(0.7) else \
        d.form.operand(d, x, d.numbers_of(shape, -1, 1))
    turn = lambda v, is_turned: numpy.swapaxes(v, -1, -2) if is_turned else v
    return d.layer(d.op, [x, y], lambda a, b: turn(a, left) @ turn(b, right), transpose_in0=left,
                   transpose_in1=right)


@builder("qnn", "ResizeBilinear", "ResizeNearestNeighbor", "Resize")
def resizes(d):
    x = d.image()
    size = [d.rng.randint(1, 2 * n + 1) for n in x.shape[1:3]]
    if d.op == "Resize":
        way = d.rng.randrange(4)
        mode = ("HALF_PIXEL", "PYTORCH_HALF_PIXEL", "ALIGN_CORNERS", "ASYMMETRIC")[way]
        near = d.rng.randrange(4)
        linear = d.chance(0.5)
        name = ("ROUND_PREFER_FLOOR", "ROUND_PREFER_CEIL", "FLOOR", "CEIL")[near]
        keys = {} if linear else {"nearest_mode": near}
        return d.layer(d.op, [x], lambda v: resize(v, size, mode, None if linear else name),
                       like=kept(x), transformation_mode=way, interpolation_mode=int(linear), **keys)
    way = d.rng.choice(("none", "align", "half"))
    if d.op == "ResizeBilinear":
        mode = {"none": "ASYMMETRIC", "align": "ALIGN_CORNERS", "half": "HALF_PIXEL"}[way], None
    else:
        mode = {"none": ("ASYMMETRIC", "FLOOR"), "align": ("ALIGN_CORNERS", "ROUND_PREFER_CEIL"),
                "half": ("TF_HALF_PIXEL_FOR_NN", "FLOOR")}[way]
    return d.layer(d.op, [x], lambda v: resize(v, size, *mode), like=kept(x),
                   align_corners=way == "align", half_pixel_centers=way == "half")


@builder("qnn", "DepthToSpace", "SpaceToDepth")
def blocks(d):
    x = d.image()
    mode = d.rng.randint(0, 1)
    word = ("DCR", "CRD")[mode]
    if d.op == "DepthToSpace":
        c = x.shape[-1]
        by = d.rng.choice([b for b in (1, 2, 3) if c % b == 0])
        bx = d.rng.choice([b for b in (1, 2, 3) if c // by % b == 0])
        return d.layer(d.op, [x], lambda v: depth_to_space(v, by, bx, word), like=kept(x),
                       block_size=[by, bx], mode=mode)
    by, bx = (d.rng.choice([b for b in (1, 2, 3) if n % b == 0]) for n in x.shape[1:3])
    return d.layer(d.op, [x], lambda v: space_to_depth(v, by, bx, word), like=kept(x),
                   block_size=[by, bx], mode=mode)


@builder("qnn", "SpaceToBatch", "BatchToSpace")
def batches(d):
    x = d.image()
    b = [d.rng.randint(1, 3) for _ in range(2)]
    pads = []
    for n, s in zip(x.shape[1:3], b):
        before = d.rng.randint(0, 1)
        pads.append((before, -(n + before) % s))
    y = d.layer("SpaceToBatch", [x], lambda v: space_to_batch(v, *b, pads), like=kept(x),
                block_size=b, pad_amount=pairs(pads))
    if d.op == "SpaceToBatch":
        return y
    return d.layer(d.op, [y], lambda v: batch_to_space(v, *b, pads), like=kept(y), block_size=b,
                   crops=pairs(pads))
