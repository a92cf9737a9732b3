"""Builders of com.microsoft's operators of integers."""
from contrib import DOMAIN, node, ours
from draw import Unfit
from graph import count
from products import window
from quantized import ENDS, scale_of


class Stored:
    """x as integers: the tensor, and the constants of its scale and zero point."""

    def __init__(self, d, x, kind):
        scale, zero = scale_of(d, max(x.lo, -40), min(x.hi, 40), kind)
        self.numbers = [d.constant([], [scale]), d.constant([], [zero], kind)]
        self.tensor = d.node("QuantizeLinear", [x, *self.numbers], x.shape, kind, *ENDS[kind],
                             keep=False)

    def triple(self):
        return [self.tensor, *self.numbers]


def result_numbers(d, lo, hi, kind):
    scale, zero = scale_of(d, lo, hi, kind)
    return [d.constant([], [scale]), d.constant([], [zero], kind)]


def read(d, q, numbers):
    low, high = ENDS[q.kind]
    scale, zero = numbers[0].hi, numbers[1].hi
    return d.node("DequantizeLinear", [q, *numbers], q.shape, lo=(low - zero) * scale,
                  hi=(high - zero) * scale)


def kind_of(d):
    return d.rng.choice(("u8", "i8"))


@ours("QLinearAdd", "QLinearMul")
def stored_binary(d):
    kind, x = kind_of(d), d.pick(rank=range(1, 5))
    other = d.pick(fits=lambda t: t.shape == x.shape)
    numbers = result_numbers(d, -6, 6, kind)
    a, b = Stored(d, x, kind), Stored(d, other, kind)
    q = node(d, [*a.triple(), *b.triple(), *numbers], x.shape, kind, lo=ENDS[kind][0],
             hi=ENDS[kind][1], keep=False)
    return read(d, q, numbers)


@ours("QLinearSigmoid", "QLinearLeakyRelu", "QLinearGlobalAveragePool", "QLinearAveragePool",
      "QLinearSoftmax")
def stored_unary(d):
    name = d.op[len(DOMAIN) + 1:]
    is_pool, kind, more = "Pool" in name, kind_of(d), {}
    x = d.shaped(4) if is_pool else d.pick(rank=range(2, 5))
    shape, lo, hi = x.shape, x.lo, x.hi
    if name == "QLinearAveragePool":
        more, left = window(d, x.shape[2:], with_dilations=False, auto=False)
        shape = [*x.shape[:2], *left]
        more["count_include_pad"] = d.rng.choice((None, 0, 1))
    elif is_pool:
        shape = [*x.shape[:2], 1, 1]
    elif name == "QLinearLeakyRelu":
        more = {"alpha": d.rng.choice((0.125, 0.01))}
    else:
        lo, hi = 0.0, 1.0
    if name == "QLinearSoftmax":
        if x.shape[-1] == 1:  # of which ONNX Runtime makes 0
            raise Unfit
        more = {"axis": -1, "opset": 13}
    numbers = result_numbers(d, max(lo, -40), min(hi, 40), kind)
    if name == "QLinearSoftmax":
        numbers = [d.constant([], [1 / 250]), d.constant([], [ENDS[kind][0]], kind)]
    q = node(d, [*Stored(d, x, kind).triple(), *numbers], shape, kind, lo=ENDS[kind][0],
             hi=ENDS[kind][1], keep=False, **more)
    return read(d, q, numbers)


@ours("QLinearConcat")
def stored_concat(d):
    kind, x = kind_of(d), d.pick(rank=range(1, 5))
    other = d.pick(fits=lambda t: t.shape == x.shape)
    at = d.rng.randrange(x.rank)
    shape = [2 * n if i == at else n for i, n in enumerate(x.shape)]
    numbers = result_numbers(d, -4, 4, kind)
    inputs = [*numbers, *Stored(d, x, kind).triple(), *Stored(d, other, kind).triple()]
    q = node(d, inputs, shape, kind, lo=ENDS[kind][0], hi=ENDS[kind][1], keep=False, axis=at)
    return read(d, q, numbers)


@ours("QLinearWhere")
def stored_where(d):
    kind, x = kind_of(d), d.pick(rank=range(1, 5), exact=True)
    other = d.pick(fits=lambda t: t.shape == x.shape)
    condition = d.constant(x.shape, [d.rng.randint(0, 1) for _ in range(x.size)], "bool", 0)
    numbers = result_numbers(d, -4, 4, kind)
    q = node(d, [condition, *Stored(d, x, kind).triple(), *Stored(d, other, kind).triple(), *numbers],
             x.shape, kind, lo=ENDS[kind][0], hi=ENDS[kind][1], keep=False)
    return read(d, q, numbers)


@ours("QGemm", "MatMulIntegerToFloat")
def stored_matrix(d):
    kind, x = kind_of(d), d.shaped(2)
    rows, length = x.shape
    out = d.rng.choice((1, 4))
    is_gemm = d.op.endswith("QGemm")
    turns = is_gemm and d.chance(0.5)
    shape = [out, length] if turns else [length, out]
    w = d.constant(shape, [d.rng.randint(-127, 127) for _ in range(count(shape))], "i8")
    t, u = d.constant([], [0.01]), d.constant([], [0], "i8")
    a = Stored(d, x, kind)
    most = x.most() * 1.3 * length
    if not is_gemm:
        return node(d, [a.tensor, w, a.numbers[0], t, a.numbers[1], u], [rows, out], lo=-most,
                    hi=most)
    bias = d.constant([out], [d.rng.randint(-500, 500) for _ in range(out)], "i32")
    if d.chance(0.3):
        return node(d, [*a.triple(), w, t, u, bias], [rows, out], lo=-most - 5, hi=most + 5,
                    transB=int(turns))
    numbers = result_numbers(d, -6, 6, kind)
    q = node(d, [*a.triple(), w, t, u, bias, *numbers], [rows, out], kind, lo=ENDS[kind][0],
             hi=ENDS[kind][1], keep=False, transB=int(turns))
    return read(d, q, numbers)


@ours("DynamicQuantizeMatMul")
def dynamic_matrix(d):
    x = d.shaped((2, 3), exact=True)
    out = d.rng.choice((1, 4))
    w = d.constant([x.shape[-1], out], [d.rng.randint(-127, 127) for _ in range(x.shape[-1] * out)],
                   "i8")
    inputs = [x, w, d.constant([], [0.01]), d.constant([], [0], "i8")]
    if d.chance(0.5):
        inputs.append(d.reals([out], -1, 1))
    most = x.most() * 1.3 * x.shape[-1] + 1
    return node(d, inputs, [*x.shape[:-1], out], lo=-most, hi=most)
