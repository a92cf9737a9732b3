"""Builders of TFLite's operators over images, of products and of sequences."""
import numpy
from drawing import Unfit, builder
from spatial import (batch_to_space, conv, conv_transpose, depth_to_space, pool, resize,
                     space_to_batch, space_to_depth)
from tflite_elements import fused

AXES = {2: "hw", 3: "dhw"}


def window(d, lengths, least=1, most=3, dilates=True):
    """kernel, strides, pads, dilations, and the options that say so."""
    rng = d.rng
    kernel = [rng.randint(least, most) for _ in lengths]
    strides = [rng.choice((1, 1, 2, 3)) for _ in lengths]
    dilations = [rng.choice((1, 1, 1, 2)) if dilates and s == 1 else 1 for s in strides]
    reach = [(k - 1) * m + 1 for k, m in zip(kernel, dilations)]
    valid = all(r <= n for r, n in zip(reach, lengths)) and d.chance(0.4)
    pads = [(0, 0)] * len(lengths)
    if not valid:
        totals = [max((-(-n // s) - 1) * s + r - n, 0) for n, s, r in zip(lengths, strides, reach)]
        pads = [(t // 2, t - t // 2) for t in totals]
    options = {"padding": int(valid)}
    for axis, s, m in zip(AXES[len(lengths)], strides, dilations):
        options["stride_" + axis] = s
        if dilates:
            options["dilation_" + axis] = m
    return (kernel, strides, pads, dilations), options


def wide(d):
    return "i64" if d.form.kind == "i16" else "i32"


@builder("tflite", "CONV_2D", "DEPTHWISE_CONV_2D")
def convolution(d):
    x = d.image()
    shape, options = window(d, x.shape[1:3])
    c = x.shape[-1]
    if d.op == "DEPTHWISE_CONV_2D":
        out = c * d.rng.choice((1, 1, 2))
        w = d.form.filters(d, d.numbers_of([1, *shape[0], out], -1, 1), 3)
        f = lambda v, k, b=0.0: conv(v, k.transpose(3, 1, 2, 0), b, *shape[1:], c)
    else:
        groups = d.rng.choice([g for g in (1, 1, 1, 1, 2) if c % g == 0])
        out = groups * d.rng.choice((1, 3, 4, 8))
        w = d.form.filters(d, d.numbers_of([out, *shape[0], c // groups], -1, 1), 0)
        f = lambda v, k, b=0.0: conv(v, k, b, *shape[1:], groups)
    b = d.form.biases(d, d.numbers_of([out], -2, 2), x, w, wide(d)) if d.chance(0.8) else None
    f, act = fused(d, f)
    return d.layer(d.op, [x, w, b], f, **options, **act)


@builder("tflite", "CONV_3D")
def volume(d):
    if d.form.kind:
        raise Unfit
    x = d.image(rank=5)
    shape, options = window(d, x.shape[1:4])
    out = d.rng.choice((1, 3, 4))
    w = d.weights([*shape[0], x.shape[-1], out])
    f, act = fused(d, lambda v, k, b: conv(v, k.transpose(4, 0, 1, 2, 3), b, *shape[1:]))
    return d.layer(d.op, [x, w, d.weights([out])], f, **options, **act)


@builder("tflite", "TRANSPOSE_CONV")
def transposed(d):
    x = d.image()
    kernel = [d.rng.randint(1, 3) for _ in range(2)]
    strides = [d.rng.randint(1, 3) for _ in range(2)]
    same = all(k >= s for k, s in zip(kernel, strides)) and d.chance(0.6)
    pads, lengths = [], []
    for n, k, s in zip(x.shape[1:3], kernel, strides):
        total = k - s if same else 0
        pads.append((total // 2, total - total // 2))
        lengths.append(n * s if same else (n - 1) * s + k)
    out = d.rng.choice((1, 2, 4))
    w = d.form.filters(d, d.numbers_of([out, *kernel, x.shape[-1]], -1, 1), 0)
    inputs = [d.ints([x.shape[0], *lengths, out]), w, x]
    if d.chance(0.6):
        inputs.append(d.form.biases(d, d.numbers_of([out], -2, 2), x, w, wide(d)))
    f, act = fused(d, lambda _, k, v, b=0.0: conv_transpose(v, k, b, strides, pads, [1, 1], [0, 0]))
    return d.layer(d.op, inputs, f, padding=int(not same), stride_h=strides[0], stride_w=strides[1],
                   **act)


@builder("tflite", "AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")
def pooling(d):
    x = d.image()
    shape, options = window(d, x.shape[1:3], dilates=False)
    options.update(filter_height=shape[0][0], filter_width=shape[0][1])
    if d.op == "L2_POOL_2D":
        f = lambda v: numpy.sqrt(pool(v * v, *shape, "AVG"))
    else:
        f = lambda v, m=d.op[:3].replace("AVE", "AVG"): pool(v, *shape, m)
    f, act = fused(d, f)
    keeps = not act["fused_activation_function"] and d.op != "L2_POOL_2D"
    return d.layer(d.op, [x], f, like=x if keeps else None, **options, **act)


@builder("tflite", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
def resizes(d):
    x = d.image()
    size = [d.rng.randint(1, 2 * n + 1) for n in x.shape[1:3]]
    way = d.rng.choice(("none", "align", "half"))
    near = "NEAREST" in d.op
    if near:
        mode = {"none": ("ASYMMETRIC", "FLOOR"), "align": ("ALIGN_CORNERS", "ROUND_PREFER_CEIL"),
                "half": ("TF_HALF_PIXEL_FOR_NN", "FLOOR")}[way]
    else:
        mode = {"none": ("ASYMMETRIC", None), "align": ("ALIGN_CORNERS", None),
                "half": ("HALF_PIXEL", None)}[way]
    return d.layer(d.op, [x, d.ints(size)], lambda v, _: resize(v, size, *mode), like=x,
                   align_corners=int(way == "align"), half_pixel_centers=int(way == "half"))


def block(d, n, most=3):
    return d.rng.choice([b for b in range(1, most + 1) if n % b == 0])


@builder("tflite", "DEPTH_TO_SPACE", "SPACE_TO_DEPTH")
def blocks(d):
    x = d.image()
    if d.op == "DEPTH_TO_SPACE":
        b = d.rng.choice([n for n in (1, 2, 3) if x.shape[3] % (n * n) == 0])
        return d.layer(d.op, [x], lambda v: depth_to_space(v, b, b), like=x, block_size=b)
    b = d.rng.choice([n for n in (1, 2, 3) if x.shape[1] % n == 0 and x.shape[2] % n == 0])
    return d.layer(d.op, [x], lambda v: space_to_depth(v, b, b), like=x, block_size=b)


@builder("tflite", "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND")
def batches(d):
    x = d.image()
    b = [d.rng.randint(1, 3) for _ in range(2)]
    pads = []
    for n, s in zip(x.shape[1:3], b):
        before = d.rng.randint(0, 1)
        pads.append((before, -(n + before) % s))
    y = d.layer("SPACE_TO_BATCH_ND", [x, d.ints(b), d.ints(pads)],
                lambda v, *_: space_to_batch(v, *b, pads), like=x)
    if d.op == "SPACE_TO_BATCH_ND":
        return y
    return d.layer(d.op, [y, d.ints(b), d.ints(pads)], lambda v, *_: batch_to_space(v, *b, pads),
                   like=y)


@builder("tflite", "FULLY_CONNECTED")
def fully_connected(d):
    x = d.pick(rank=range(2, 5))
    out = d.rng.choice((1, 3, 8, 16))
    depth = x.shape[-1]
    w = d.form.filters(d, d.numbers_of([out, depth], -1, 1), 0)
    b = d.form.biases(d, d.numbers_of([out], -2, 2), x, w, wide(d)) if d.chance(0.7) else None
    keeps = x.rank == 2 or d.chance(0.5)

    def f(v, k, c=0.0):
        y = v @ k.T + c
        return y if keeps else y.reshape(-1, out)
    f, act = fused(d, f)
    return d.layer(d.op, [x, w, b], f, keep_num_dims=int(keeps), weights_format=0, **act)


@builder("tflite", "BATCH_MATMUL")
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
    return d.layer(d.op, [x, y], lambda a, b: turn(a, left) @ turn(b, right), adj_x=int(left),
                   adj_y=int(right))
