"""Builders of pools."""
from draw import Unfit, builder
from graph import count
from products import window


def counted(left, lengths, attributes):
    """Lengths with ceil_mode, where the last window must begin within input or front pad."""
    kernel = attributes["kernel_shape"]
    n = len(kernel)
    strides = attributes.get("strides", [1] * n)
    dilations = attributes.get("dilations", [1] * n)
    pads = attributes.get("pads", [0] * (2 * n))
    result = []
    for i in range(n):
        reach = (kernel[i] - 1) * dilations[i] + 1
        out = -(-(lengths[i] + pads[i] + pads[i + n] - reach) // strides[i]) + 1
        if (out - 1) * strides[i] >= lengths[i] + pads[i]:
            raise Unfit  # versions of the definition differ there
        result.append(out)
    return result


@builder("AveragePool", "MaxPool", "LpPool")
def pool(d):
    x = d.shaped((3, 4, 4, 4, 5))
    dilated = d.op == "MaxPool" and d.opset >= 10 or d.op == "AveragePool" and d.opset >= 19 or \
        d.op == "LpPool" and d.opset >= 18
    attributes, left = window(d, x.shape[2:], with_dilations=dilated and d.chance(0.3))
    extra = {}
    since = 18 if d.op == "LpPool" else 10
    if d.chance(0.25) and "auto_pad" not in attributes and d.opset >= since:
        left = counted(left, x.shape[2:], attributes)
        extra["ceil_mode"] = 1
    if d.op == "AveragePool" and d.chance(0.4):
        extra["count_include_pad"] = 1
    if d.op == "LpPool":
        extra["p"] = d.rng.choice((1, 2, 2))
    shape = [*x.shape[:2], *left]
    if d.op == "MaxPool":
        return d.node("MaxPool", [x], shape, lo=x.lo, hi=x.hi, bits=x.bits, **attributes, **extra)
    most = x.most() * (count(attributes["kernel_shape"]) if d.op == "LpPool" else 1)
    return d.node(d.op, [x], shape, lo=min(0, x.lo), hi=most, **attributes, **extra)


@builder("MaxUnpool")
def unpool(d):
    x = d.image(2, exact=True)
    if x.shape[2] % 2 or x.shape[3] % 2:
        raise Unfit  # places count in the input's lengths
    shape = [*x.shape[:2], x.shape[2] // 2, x.shape[3] // 2]
    window2 = {"kernel_shape": [2, 2], "strides": [2, 2]}
    # Equal values have one place only in ONNX's definition, the first.
    y, places = d.nodes("MaxPool", [x], [(shape, "f32", x.lo, x.hi, x.bits),
                                         (shape, "i64", 0, x.size, 0)], **window2)
    if d.chance(0.3):
        return y
    return d.node("MaxUnpool", [y, places], [*shape[:2], shape[2] * 2, shape[3] * 2],
                  lo=min(0, x.lo), hi=max(0, x.hi), bits=x.bits, **window2)


@builder("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def whole(d):
    x = d.shaped((3, 4, 4, 5))
    shape = [*x.shape[:2], *[1] * (x.rank - 2)]
    if d.op == "GlobalLpPool":
        p = d.rng.choice((1, 2))
        return d.node(d.op, [x], shape, lo=0, hi=x.most() * count(x.shape[2:]), p=p)
    return d.node(d.op, [x], shape, lo=x.lo, hi=x.hi, bits=x.bits if "Max" in d.op else None)


@builder("MaxRoiPool")
def roi_pool(d):
    x = d.image(3)
    boxes = []
    for _ in range(2):
        left, top = d.rng.randint(0, x.shape[3] - 2), d.rng.randint(0, x.shape[2] - 2)
        boxes += [float(d.rng.randrange(x.shape[0])), float(left), float(top),
                  float(d.rng.randint(left, x.shape[3] - 1)), float(d.rng.randint(top, x.shape[2] - 1))]
    return d.node("MaxRoiPool", [x, d.constant([2, 5], boxes)], [2, x.shape[1], 2, 2],
                  lo=x.lo, hi=x.hi, pooled_shape=[2, 2])


@builder("LRN")
def lrn(d):
    x = d.shaped(4)
    return d.node("LRN", [x], x.shape, lo=x.lo, hi=x.hi, size=d.rng.choice((1, 3, 5)),
                  alpha=d.rng.choice((None, 0.01, 0.5)), beta=d.rng.choice((None, 0.5)),
                  bias=d.rng.choice((None, 1.0, 2.0)))
