"""Builders of Compass layers over windows, and of products."""
import numpy
from compass_elements import fused
from compass_form import blob
from drawing import Unfit, builder
from spatial import (adaptive, arg_pool, conv, conv_transpose, lengths_after, morphology, pool)


def window(d, lengths, kernel_max=3, dilates=True):
    """kernel, strides, pads and dilations over axes of these lengths."""
    rng = d.rng
    for _ in range(20):
        kernel = [rng.randint(1, min(kernel_max, n + 1)) for n in lengths]
        strides = [rng.choice((1, 1, 1, 2, 3)) for _ in lengths]
        dilations = [rng.choice((1, 1, 1, 2)) if dilates else 1 for _ in lengths]
        pads = [(rng.randint(0, k - 1), rng.randint(0, k - 1)) if d.chance(0.5) else
                ((k - 1) // 2,) * 2 for k in kernel]
        left = lengths_after(lengths, kernel, strides, pads, dilations)
        if min(left) > 0 and sees(lengths, kernel, strides, pads, dilations, left):
            return kernel, strides, pads, dilations
    raise Unfit


def sees(lengths, kernel, strides, pads, dilations, left):
    """Whether every window has a cell that is not padding."""
    return all(any(0 <= o * s - p[0] + k * m < n for k in range(w))
               for n, w, s, m, p, out in zip(lengths, kernel, strides, dilations, pads, left)
               for o in range(out))


def keys_2d(kernel, strides, pads, dilations):
    return {"kernel_y": kernel[0], "kernel_x": kernel[1], "stride_y": strides[0],
            "stride_x": strides[1], "pad_top": pads[0][0], "pad_bottom": pads[0][1],
            "pad_left": pads[1][0], "pad_right": pads[1][1], "dilation_y": dilations[0],
            "dilation_x": dilations[1]}


def keys_3d(kernel, strides, pads, dilations):
    keys = {}
    for i, axis in enumerate("zyx"):
        keys.update({"kernel_" + axis: kernel[i], "stride_" + axis: strides[i],
                     "dilation_" + axis: dilations[i], "pad_%s_begin" % axis: pads[i][0],
                     "pad_%s_end" % axis: pads[i][1]})
    return keys


def volume_weights(w):
    """[output, z, y, x, input] as the IR stores it: [output, y, x, z, input]."""
    return blob(w.transpose(0, 2, 3, 1, 4))


@builder("compass", "Convolution", "Convolution3D", "DepthwiseConv")
def convolution(d):
    volume = d.op == "Convolution3D"
    x = d.image(rank=5 if volume else 4)
    shape = window(d, x.shape[1:-1])
    channels = x.shape[-1]
    if d.op == "DepthwiseConv":
        group, out = channels, channels * d.rng.choice((1, 1, 2))
    else:
        group = d.rng.choice([g for g in (1, 1, 1, 2, 3, 4, channels) if channels % g == 0])
        out = group * d.rng.choice((1, 2)) if group > 1 else d.rng.choice((1, 3, 4, 8, 16))
    w = d.numbers_of([out, *shape[0], channels // group], -1, 1)
    b = d.numbers_of([out], -2, 2)
    f, keys = fused(d, lambda v: conv(v, w, b, *shape[1:], group), out)
    keys.update(keys_3d(*shape) if volume else keys_2d(*shape))
    if d.op == "DepthwiseConv":
        keys["multiplier"] = out // channels
    keys["group"] = group
    return d.layer(d.op, [x], f, weights=volume_weights(w) if volume else blob(w), biases=blob(b),
                   num_output=out, **keys)


@builder("compass", "ConvTranspose", "ConvTranspose3D")
def transposed(d):
    volume = d.op == "ConvTranspose3D"
    x = d.image(rank=5 if volume else 4)
    n = x.rank - 2
    kernel = [d.rng.randint(1, 3) for _ in range(n)]
    strides = [d.rng.choice((1, 2, 2, 3)) for _ in range(n)]
    dilations = [d.rng.choice((1, 1, 1, 2)) for _ in range(n)]
    pads = [(d.rng.randint(0, k - 1), d.rng.randint(0, k - 1)) for k in kernel]
    extra = [d.rng.choice((0, 0, s - 1)) for s in strides]
    if any((x.shape[1 + i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + extra[i] <=
           sum(pads[i]) for i in range(n)):
        raise Unfit
    out = d.rng.choice((1, 2, 3, 8))
    w = d.numbers_of([out, *kernel, x.shape[-1]], -1, 1)
    b = d.numbers_of([out], -2, 2)
    f, keys = fused(d, lambda v: conv_transpose(v, w, b, strides, pads, dilations, extra), out)
    shape = kernel, strides, pads, dilations
    keys.update(keys_3d(*shape) if volume else keys_2d(*shape))
    keys.update({"output_padding_" + a: e for a, e in zip("zyx"[3 - n:], extra)
                 if any(extra)})
    return d.layer(d.op, [x], f, weights=volume_weights(w) if volume else blob(w), biases=blob(b),
                   num_output=out, group=1, **keys)


@builder("compass", "FullyConnected")
def fully_connected(d):
    x = d.shaped(2)
    out = d.rng.choice((1, 3, 8, 16))
    w, b = d.numbers_of([out, x.shape[1]], -1, 1), d.numbers_of([out], -2, 2)
    f, keys = fused(d, lambda v: v @ w.T + b, out)
    return d.layer(d.op, [x], f, weights=blob(w), biases=blob(b), num_output=out, **keys)


def other_matrix(d, x, shape):
    """A second operand of a product: a tensor with that shape, or a constant."""
    found = [t for t in d.tensors if t.kind == "f32" and t.shape == shape and t.most < 8]
    return d.rng.choice(found) if found and d.chance(0.7) else d.weights(shape)


@builder("compass", "MatMul", "Gemm")
def matmul(d):
    x = d.shaped(2 if d.op == "Gemm" else (2, 3, 4), fits=lambda t: t.most < 40)
    left, right = d.chance(0.3), d.chance(0.4)
    rows, depth = x.shape[-2:][::-1] if left else x.shape[-2:]
    out = d.rng.choice((1, 2, 4, 8))
    front = x.shape[:-2]
    y = other_matrix(d, x, [*front, *([out, depth] if right else [depth, out])])
    turn = lambda v, is_turned: numpy.swapaxes(v, -1, -2) if is_turned else v
    product = lambda a, b: turn(a, left) @ turn(b, right)
    keys = {"trans_a": left, "trans_b": right}
    if d.op == "MatMul":
        return d.layer("MatMul", [x, y], product, **keys)
    alpha, beta = d.rng.choice((1.0, 0.5)), d.rng.choice((1.0, 2.0))
    keys.update(alpha=alpha, beta=beta)
    if d.chance(0.3):
        return d.layer("Gemm", [x, y], lambda a, b: alpha * product(a, b), **keys)
    c = d.weights(d.rng.choice(([out], [1, out], [rows, 1], [rows, out])), -2, 2)
    return d.layer("Gemm", [x, y, c], lambda a, b, k: alpha * product(a, b) + beta * k, **keys)


@builder("compass", "Dilation", "Erosion")
def morphologic(d):
    x = d.image()
    kernel, strides, pads, dilations = window(d, x.shape[1:3])
    w = d.numbers_of([x.shape[-1], *kernel, 1], -1, 1)
    grows = d.op == "Dilation"
    return d.layer(d.op, [x], lambda v: morphology(v, w, strides, pads, dilations, grows),
                   weights=blob(w), **keys_2d(kernel, strides, pads, dilations))


@builder("compass", "Pooling", "Pooling3D")
def pooling(d):
    volume = d.op == "Pooling3D"
    x = d.image(rank=5 if volume else 4)
    shape = window(d, x.shape[1:-1], dilates=True)
    method = d.rng.choice(("MAX", "AVG") if volume else ("MAX", "MAX", "AVG", "AVG", "L1", "L2"))
    keys = keys_3d(*shape) if volume else keys_2d(*shape)
    counts = d.chance(0.4)
    if method == "AVG" and d.chance(0.8):
        keys["count_include_pad"] = counts
    else:
        counts = False
    return d.layer(d.op, [x], lambda v: pool(v, *shape, method, counts), method=method,
                   ceil_mode=False, **keys)


@builder("compass", "AdaptivePool")
def adaptive_pool(d):
    x = d.image()
    sizes = [d.rng.randint(1, n) for n in x.shape[1:3]]
    method = d.rng.choice(("AVG", "MAX"))
    f = (lambda v, a: v.mean(a)) if method == "AVG" else (lambda v, a: v.max(a))
    return d.layer("AdaptivePool", [x], lambda v: adaptive(v, sizes, f), method=method,
                   output_size=sizes)


@builder("compass", "MaxPoolingWithArgMax")
def with_arg(d):
    x = d.image()
    shape = window(d, x.shape[1:3])
    form = d.rng.choice(("HW", "HWC", "NHWC", "NCHW"))
    n, h, w, c = x.shape
    order = d.rng.choice((0, 0, 1)) if form == "HW" else 0

    def f(v):
        y, rows, columns = arg_pool(v, *shape)
        at = numpy.indices(y.shape)
        place = columns * h + rows if order else rows * w + columns
        index = {"HW": place, "HWC": place * c + at[3],
                 "NHWC": (at[0] * h * w + place) * c + at[3],
                 "NCHW": (at[0] * c + at[3]) * h * w + place}[form]
        return y, index.astype(int)
    return d.layer(d.op, [x], f, ["f32", "i32"], flatten_dim=form, storage_order=order,
                   ceil_mode=False, **keys_2d(*shape))


@builder("compass", "MaxUnpool", "UpsampleByIndex")
def unpool(d):
    x = d.image()
    n, h, w, c = x.shape
    big = [n, 2 * h, 2 * w, c]
    rows = numpy.array([[[[2 * i + d.rng.randint(0, 1) for _ in range(c)] for _ in range(w)]
                         for i in range(h)] for _ in range(n)])
    columns = numpy.array([[[[2 * j + d.rng.randint(0, 1) for _ in range(c)] for j in range(w)]
                            for _ in range(h)] for _ in range(n)])
    form = d.rng.choice(("HWC", "HW", "NHWC"))
    at = numpy.indices(rows.shape)
    place = rows * 2 * w + columns
    index = {"HW": place, "HWC": place * c + at[3],
             "NHWC": (at[0] * 4 * h * w + place) * c + at[3]}[form]

    def f(v, _):
        y = numpy.zeros(big)
        y[at[0], rows, columns, at[3]] = v
        return y
    return d.layer(d.op, [x, d.ints(index)], f, flatten_dim=form, storage_order=0,
                   output_shape=big)
