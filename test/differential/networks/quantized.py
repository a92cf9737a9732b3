"""Builders of quantized operators: pairs of QuantizeLinear and DequantizeLinear, and others."""
from draw import Tensor, Unfit, builder
from graph import count
from products import product, window

ENDS = {"i8": (-128, 127), "u8": (0, 255), "i16": (-32768, 32767), "u16": (0, 65535)}


def scale_of(d, lo, hi, kind):
    """Scale and zero point for a range, the scale sometimes a power of two."""
    low, high = ENDS[kind]
    scale = max(hi - lo, 0.05) / (high - low)
    zero = max(low, min(high, round(low - lo / scale)))
    if d.chance(0.3):
        zero = 0 if kind.startswith("i") else (high + 1) // 2
        scale = max(-lo, hi, 0.05) / (high // 2 if kind.startswith("u") else high)
    return scale, zero


def between(d, x, kind=None):
    """x as integers and as floats again."""
    kind = kind or d.rng.choice(("i8", "u8", "u8", "i8", "i16") if d.opset >= 21 else ("i8", "u8"))
    scale, zero = scale_of(d, max(x.lo, -40), min(x.hi, 40), kind)
    numbers = [d.constant([], [scale]), d.constant([], [zero], kind)]
    q = d.node("QuantizeLinear", [x, *numbers], x.shape, kind, *ENDS[kind], keep=False)
    low, high = ((end - zero) * scale for end in ENDS[kind])
    return d.node("DequantizeLinear", [q, *numbers], x.shape, lo=low, hi=high)


@builder("QuantizeLinear", "DequantizeLinear")
def pair(d):
    return between(d, d.pick())


def stored_weights(d, shape, channels=None):
    """Integers after a DequantizeLinear, by tensor or by channels."""
    values = [d.rng.randint(-127, 127) for _ in range(count(shape))]
    n = shape[channels] if channels is not None and d.opset >= 13 and d.chance(0.6) else None
    w = d.constant(shape, values, "i8")
    if n:
        scale, zero = d.reals([n], 0.005, 0.02), d.constant([n], [0] * n, "i8")
        return d.node("DequantizeLinear", [w, scale, zero], shape, lo=-2.6, hi=2.6, keep=False,
                      axis=channels)
    return d.node("DequantizeLinear", [w, d.scalar(0.0123), d.constant([], [0], "i8")], shape,
                  lo=-1.6, hi=1.6, keep=False)


def quantized_layer(d, x):
    """An operator between quantized tensors."""
    x = between(d, x, d.rng.choice(("i8", "u8")))
    way = d.rng.choice(("conv", "matmul", "add", "function", "pool", "move"))
    if way == "conv" and x.rank == 4:
        attributes, left = window(d, x.shape[2:])
        out = d.rng.choice((1, 4))
        w = stored_weights(d, [out, x.shape[1], *attributes["kernel_shape"]], 0)
        y = d.node("Conv", [x, w], [x.shape[0], out, *left], keep=False, **attributes,
                   **product(x, w, count(w.shape[1:])) | {"lo": -6.0, "hi": 6.0})
        if d.chance(0.5):
            y = d.node("Relu", [y], y.shape, lo=0, hi=6, keep=False)
    elif way == "matmul" and x.rank >= 2:
        w = stored_weights(d, [x.shape[-1], d.rng.choice((1, 4))], 1)
        y = d.node("MatMul", [x, w], [*x.shape[:-1], w.shape[1]], lo=-6, hi=6, keep=False)
    elif way == "add":
        other = d.pick(fits=lambda t: t.shape == x.shape)
        y = d.node(d.rng.choice(("Add", "Mul", "Sub")), [x, between(d, other)], x.shape, lo=-9,
                   hi=9, keep=False)
    elif way == "pool" and x.rank == 4:
        attributes, left = window(d, x.shape[2:], with_dilations=False)
        y = d.node(d.rng.choice(("MaxPool", "AveragePool")), [x], [*x.shape[:2], *left], lo=x.lo,
                   hi=x.hi, keep=False, **attributes)
    elif way == "move":
        y = d.transpose(x, list(range(x.rank))[::-1])
    else:
        y = d.node(d.rng.choice(("Sigmoid", "Tanh", "LeakyRelu")), [x], x.shape, lo=-1, hi=1,
                   keep=False)
    return between(d, y)


@builder("QLinearConv")
def qlinear_conv(d):
    x = d.shaped(4)
    kind = d.rng.choice(("u8", "i8"))
    scale, zero = scale_of(d, x.lo, x.hi, kind)
    s, z = d.constant([], [scale]), d.constant([], [zero], kind)
    q = d.node("QuantizeLinear", [x, s, z], x.shape, kind, *ENDS[kind], keep=False)
    attributes, left = window(d, x.shape[2:])
    out = d.rng.choice((1, 3))
    shape = [out, x.shape[1], *attributes["kernel_shape"]]
    w = d.constant(shape, [d.rng.randint(-127, 127) for _ in range(count(shape))], "i8")
    t, u = d.constant([], [0.1]), d.constant([], [d.rng.randint(*ENDS[kind])], kind)
    inputs = [q, s, z, w, d.constant([], [0.01]), d.constant([], [0], "i8"), t, u]
    if d.chance(0.5):
        inputs.append(d.constant([out], [d.rng.randint(-500, 500) for _ in range(out)], "i32"))
    y = d.node("QLinearConv", inputs, [x.shape[0], out, *left], kind, *ENDS[kind], keep=False,
               **attributes)
    return d.node("DequantizeLinear", [y, t, u], y.shape, lo=-26, hi=26)


@builder("QLinearMatMul")
def qlinear_matmul(d):
    x = d.shaped((2, 3))
    scale, zero = scale_of(d, x.lo, x.hi, "u8")
    s, z = d.constant([], [scale]), d.constant([], [zero], "u8")
    q = d.node("QuantizeLinear", [x, s, z], x.shape, "u8", 0, 255, keep=False)
    shape = [x.shape[-1], d.rng.choice((1, 4))]
    kind = d.rng.choice(("i8", "u8"))
    w = d.constant(shape, [d.rng.randint(*ENDS[kind]) for _ in range(count(shape))], kind)
    t, u = d.constant([], [0.1]), d.constant([], [d.rng.randint(0, 255)], "u8")
    y = d.node("QLinearMatMul", [q, s, z, w, d.constant([], [0.01]),
                                 d.constant([], [d.rng.randint(*ENDS[kind])], kind), t, u],
               [*x.shape[:-1], shape[1]], "u8", 0, 255, keep=False)
    return d.node("DequantizeLinear", [y, t, u], y.shape, lo=-26, hi=26)


@builder("DynamicQuantizeLinear", "MatMulInteger", "ConvInteger")
def dynamic(d):
    """A product as dynamic quantization writes it."""
    is_conv = d.op == "ConvInteger"
    x = d.shaped(4 if is_conv else (2, 3), exact=True)
    # A tensor of one sign that is exact has a scale that both sides compute alike.
    q, s, z = d.nodes("DynamicQuantizeLinear", [x], [
        (x.shape, "u8", 0, 255, 0), ([], "f32", 0, 1, None), ([], "u8", 0, 255, 0)], keep=False)
    out = d.rng.choice((1, 4))
    if is_conv:
        attributes, left = window(d, x.shape[2:])
        shape = [out, x.shape[1], *attributes["kernel_shape"]]
        result = [x.shape[0], out, *left]
    else:
        attributes, shape, result = {}, [x.shape[-1], out], [*x.shape[:-1], out]
    kind = d.rng.choice(("i8", "u8"))
    w = d.constant(shape, [d.rng.randint(*ENDS[kind]) for _ in range(count(shape))], kind)
    inputs = [q, w, z]
    if d.chance(0.7):
        inputs.append(d.constant([], [0 if kind == "i8" else 128], kind))
    op = "ConvInteger" if is_conv else "MatMulInteger"
    y = d.node(op, inputs, result, "i32", -1e6, 1e6, keep=False, **attributes)
    y = d.node("Cast", [y], result, lo=-1e6, hi=1e6, keep=False, to=1)
    factor = d.node("Mul", [s, d.constant([], [0.01])], [], lo=0, hi=1, keep=False)
    most = x.most() * 3 * count(shape[:1] if not is_conv else shape[1:])
    return d.node("Mul", [y, factor], result, lo=-most, hi=most)
