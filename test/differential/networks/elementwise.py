"""Builders of operators that compute element by element."""
import math

from draw import Unfit, builder

# Operator: (least, greatest input, function).
SMOOTH = {
    "Acos": (-0.9, 0.9, math.acos), "Acosh": (1.1, 8, math.acosh), "Asin": (-0.9, 0.9, math.asin),
    "Asinh": (-8, 8, math.asinh), "Atan": (-8, 8, math.atan), "Atanh": (-0.9, 0.9, math.atanh),
    "Cos": (-8, 8, math.cos), "Cosh": (-4, 4, math.cosh), "Erf": (-4, 4, math.erf),
    "Exp": (-6, 4, math.exp), "Log": (0.1, 64, math.log), "Reciprocal": (0.1, 64, lambda v: 1 / v),
    "Sin": (-8, 8, math.sin), "Sinh": (-4, 4, math.sinh), "Sqrt": (0.0625, 64, math.sqrt),
    "Tan": (-1.2, 1.2, math.tan), "Sigmoid": (-12, 12, lambda v: 1 / (1 + math.exp(-v))),
    "Softplus": (-12, 12, lambda v: math.log1p(math.exp(v))),
    "Softsign": (-30, 30, lambda v: v / (1 + abs(v))), "Tanh": (-9, 9, math.tanh),
    "HardSwish": (-12, 12, lambda v: v * min(1, max(0, v / 6 + 0.5))),
    "Mish": (-12, 12, lambda v: v * math.tanh(math.log1p(math.exp(v)))),
    "Swish": (-12, 12, lambda v: v / (1 + math.exp(-v))),
    "Gelu": (-8, 8, lambda v: v / 2 * (1 + math.erf(v / math.sqrt(2)))),
}


def reach(f, lo, hi):
    values = [f(lo + (hi - lo) * i / 64) for i in range(65)]
    return min(values) - 1e-3, max(values) + 1e-3


@builder(*SMOOTH)
def smooth(d):
    lo, hi, f = SMOOTH[d.op]
    x = d.tame(d.pick(), lo, hi)
    attributes = {}
    if d.op == "Gelu":
        attributes = {"approximate": d.rng.choice(("none", "tanh"))}
    lo, hi = reach(f, x.lo, x.hi)
    return d.node(d.op, [x], x.shape, lo=lo, hi=hi, **attributes)


@builder("Celu", "Elu", "Selu", "LeakyRelu", "HardSigmoid")
def with_numbers(d):
    x = d.pick()
    a = {"alpha": round(d.rng.uniform(0.1, 1.5), 3)} if d.chance(0.7) else {}
    if d.op == "HardSigmoid" and d.chance(0.5):
        a["beta"] = round(d.rng.uniform(0.1, 0.9), 3)
    if d.op == "Selu" and d.chance(0.5):
        a["gamma"] = round(d.rng.uniform(0.5, 1.5), 3)
    if d.op == "HardSigmoid":
        return d.node(d.op, [x], x.shape, lo=0, hi=1, **a)
    return d.node(d.op, [x], x.shape, lo=min(0, 2.0 * x.lo), hi=max(0, 2.0 * x.hi), **a)


@builder("Shrink", "ThresholdedRelu")
def jumps(d):
    x = d.pick(exact=True)
    if d.op == "Shrink":
        return d.node(d.op, [x], x.shape, lo=x.lo - 1, hi=x.hi + 1, bits=max(x.bits, 2),
                      lambd=d.rng.choice((0.5, 0.75, 1.0)), bias=d.rng.choice((0.0, 0.25, -0.5)))
    return d.node(d.op, [x], x.shape, lo=min(0, x.lo), hi=max(0, x.hi), bits=x.bits,
                  alpha=d.rng.choice((0.5, 1.0, 2.0)))


@builder("PRelu")
def prelu(d):
    x = d.pick(rank=range(1, 6))
    way = d.rng.randrange(3)
    shape = x.shape if way == 0 else [1] if way == 1 or x.rank < 2 else \
        [x.shape[1]] + [1] * (x.rank - 2)
    slope = d.weights(shape, 1.0)
    return d.node("PRelu", [x, slope], x.shape, lo=-x.most(), hi=x.most(),
                  bits=None if x.bits is None else x.bits + 3)


@builder("Relu", "Identity", "Dropout", "Abs", "Neg")
def exact(d):
    kind = "i32" if d.op in ("Abs", "Neg") and d.chance(0.1) else "f32"
    x = d.pick(kind)
    if d.op == "Dropout" and d.opset >= 12 and d.chance(0.4):
        return d.like("Dropout", x, d.constant([], [0.3]))
    lo, hi = {"Relu": (max(0, x.lo), max(0, x.hi)), "Neg": (-x.hi, -x.lo),
              "Abs": (0, x.most())}.get(d.op, (x.lo, x.hi))
    return d.node(d.op, [x], x.shape, x.kind, lo, hi, x.bits)


@builder("Floor", "Ceil", "Round", "Sign")
def rounded(d):
    x = d.pick(exact=True)
    lo, hi = (-1, 1) if d.op == "Sign" else (math.floor(x.lo), math.ceil(x.hi))
    return d.node(d.op, [x], x.shape, lo=lo, hi=hi, bits=0)


@builder("Clip")
def clip(d):
    x = d.pick()
    lo, hi = d.rng.choice(((0, 6), (-1, 1), (0, 1), (-2, 2.5), (-0.5, 4), (0, 255)))
    if d.opset >= 11 and d.chance(0.3):
        low = d.constant([], [float(lo)], bits=1) if d.chance(0.5) else None
        high = None if low else d.constant([], [float(hi)], bits=1)
        inputs = [x, low] if low else [x, None, high]
        return d.node("Clip", inputs, x.shape, lo=max(x.lo, lo) if low else min(x.lo, hi),
                      hi=max(x.hi, lo) if low else min(x.hi, hi),
                      bits=x.bits and max(x.bits, 1))
    return d.clip(x, lo, hi)


@builder("IsNaN", "IsInf")
def special(d):
    x = d.pick()
    if d.chance(0.3):
        x = d.node("Div", [x, d.node("Abs", [d.pick(exact=True, fits=lambda t: t.shape == x.shape)],
                                     x.shape, lo=0, hi=x.most())], x.shape, keep=False)
    return d.node(d.op, [x], x.shape, "bool", 0, 1,
                  detect_negative=d.rng.choice((None, 0)) if d.op == "IsInf" else None)


@builder("Cast", "CastLike")
def cast(d):
    source, target = d.rng.choice((("f32", "i32"), ("f32", "i64"), ("f32", "bool"), ("bool", "f32"),
                                   ("i32", "f32"), ("i64", "f32"), ("f32", "f16"), ("f32", "u8"),
                                   ("f32", "i8"), ("u8", "f32"), ("i8", "f32"), ("u8", "i32"),
                                   ("i64", "i32"), ("i32", "bool")))
    x = d.pick(source, exact=source == "f32")
    lo, hi = math.floor(x.lo), math.ceil(x.hi)
    if target == "bool":
        lo, hi = 0, 1
    if target == "u8" and (lo < 0 or hi > 255) or target == "i8" and (lo < -128 or hi > 127):
        if source != "f32":
            raise Unfit
        x = d.clip(x, 0, 100)
        lo, hi = max(0, min(100, lo)), 100
    if d.op == "CastLike" and target != "f16":
        return d.node("CastLike", [x, d.scalar(1, target)], x.shape, target, lo, hi, 0)
    numbers = {"f32": 1, "u8": 2, "i8": 3, "i32": 6, "i64": 7, "bool": 9, "f16": 10}
    y = d.node("Cast", [x], x.shape, target, lo, hi, 0, keep=target != "f16", to=numbers[target])
    if target != "f16":
        return y
    if x.most() * 2 ** x.bits > 1000:
        raise Unfit
    return d.node("Cast", [y], x.shape, "f32", x.lo, x.hi, x.bits, to=1)


@builder("Add", "Sub", "Mul")
def arithmetic(d):
    kind = d.rng.choice(("f32",) * 8 + ("i32", "i64"))
    x = d.pick(kind)
    y = d.partner(x)
    shape = d.broadcast(x.shape, y.shape)
    operands = [x, y] if d.chance(0.7) or d.op == "Sub" else [y, x]
    if d.op == "Sub" and d.chance(0.4):
        operands = x, y = [y, x]
    bits = None if None in (x.bits, y.bits) else \
        x.bits + y.bits if d.op == "Mul" else max(x.bits, y.bits)
    ends = [x.lo + y.lo, x.hi + y.hi] if d.op == "Add" else \
        [x.lo - y.hi, x.hi - y.lo] if d.op == "Sub" else \
        [a * b for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    if max(abs(e) for e in ends) > 1e4:
        raise Unfit
    return d.node(d.op, operands, shape, kind, min(ends), max(ends), bits)


@builder("Div")
def div(d):
    if d.chance(0.15):
        x = d.pick(d.rng.choice(("i32", "i64")))
        shape = d.partner_shape(x.shape)
        c = d.constant(shape, [d.rng.choice((1, 2, 3, 5, 7)) * d.rng.choice((1, -1))
                               for _ in range(math.prod(shape))], x.kind)
        return d.node("Div", [x, c], d.broadcast(x.shape, shape), x.kind, -x.most(), x.most())
    x = d.pick()
    if d.chance(0.5):
        y = d.reals(d.partner_shape(x.shape), 0.25, 8)
    else:
        y = d.tame(d.partner(x), 0.25, 8)
    most = x.most() * 4
    operands = [x, y]
    if d.chance(0.3):
        operands = [d.partner(x), d.tame(x, 0.25, 8)]
        most = operands[0].most() * 4
    return d.node("Div", operands, d.broadcast(operands[0].shape, operands[1].shape), lo=-most,
                  hi=most)


@builder("Mod")
def mod(d):
    kind = d.rng.choice(("f32", "i32", "i64"))
    x = d.pick(kind, exact=True)
    shape = d.partner_shape(x.shape)
    values = [d.rng.choice((1, 2, 3, 5, -2, -3)) for _ in range(math.prod(shape))]
    if kind == "f32":
        c = d.constant(shape, [v * 0.5 for v in values], bits=1)
        return d.node("Mod", [x, c], d.broadcast(x.shape, shape), lo=-3, hi=3,
                      bits=max(x.bits, 1), fmod=1)
    return d.node("Mod", [x, d.constant(shape, values, kind)], d.broadcast(x.shape, shape), kind,
                  -5, 5, 0, fmod=d.rng.choice((None, 0, 1)))


@builder("Pow")
def power(d):
    x = d.pick()
    if d.chance(0.5):
        exponent = d.rng.choice((2.0, 3.0, 1.0, 0.0))
        x = d.tame(x, -4, 4)
        most = max(1, x.most() ** exponent)
        return d.node("Pow", [x, d.scalar(exponent)], x.shape, lo=-most, hi=most)
    x = d.tame(x, 0.25, 4)
    if d.chance(0.5):
        y = d.reals(d.partner_shape(x.shape), -2, 2)
    else:
        y = d.tame(d.partner(x), -2, 2)
    return d.node("Pow", [x, y], d.broadcast(x.shape, y.shape), lo=0, hi=16)


@builder("Max", "Min", "Sum", "Mean")
def many(d):
    x = d.pick()
    if d.op in ("Max", "Min") and d.opset < 8 or d.op in ("Sum", "Mean") and d.opset < 8:
        others = [d.pick(fits=lambda t: t.shape == x.shape) for _ in range(d.rng.randint(0, 2))]
    else:
        others = [d.partner(x) for _ in range(d.rng.choice((0, 1, 1, 1, 2, 3)))]
    all_of = [x, *others]
    d.rng.shuffle(all_of)
    shape = d.broadcast(*[t.shape for t in all_of])
    bits = None if any(t.bits is None for t in all_of) else max(t.bits for t in all_of)
    if d.op in ("Sum", "Mean"):
        most = sum(t.most() for t in all_of)
        return d.node(d.op, all_of, shape, lo=-most, hi=most, bits=bits if d.op == "Sum" else None)
    pick = max if d.op == "Max" else min
    return d.node(d.op, all_of, shape, lo=pick(t.lo for t in all_of), hi=pick(t.hi for t in all_of),
                  bits=bits)


@builder("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
def compare(d):
    kind = d.rng.choice(("f32", "f32", "f32", "i32"))
    if kind == "f32" and d.op == "Equal" and d.opset < 11:
        kind = "i32"
    if kind == "i32" and d.opset < 9 and d.op != "Equal":
        kind = "f32"
    x = d.pick(kind, exact=True)
    y = d.partner(x, exact=True)
    return d.node(d.op, [x, y] if d.chance(0.5) else [y, x], d.broadcast(x.shape, y.shape), "bool", 0, 1)


@builder("And", "Or", "Xor", "Not")
def logical(d):
    x = d.pick("bool")
    if d.op == "Not":
        return d.node("Not", [x], x.shape, "bool", 0, 1)
    y = d.partner(x)
    return d.node(d.op, [x, y], d.broadcast(x.shape, y.shape), "bool", 0, 1)


@builder("Where")
def where(d):
    c = d.pick("bool")
    x = d.pick()
    d.broadcast(c.shape, x.shape)
    y = d.scalar(d.rng.choice((0.0, -1.0, 4.0)), bits=0) if d.chance(0.4) else d.partner(x)
    shape = d.broadcast(c.shape, x.shape, y.shape)
    bits = None if None in (x.bits, y.bits) else max(x.bits, y.bits)
    return d.node("Where", [c, x, y] if d.chance(0.5) else [c, y, x], shape,
                  lo=min(x.lo, y.lo), hi=max(x.hi, y.hi), bits=bits)


@builder("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot")
def bitwise(d):
    x = d.pick(d.rng.choice(("i32", "u8", "i8")))
    lo, hi = (0, 255) if x.kind == "u8" else (-1000, 1000) if x.kind == "i32" else (-128, 127)
    if d.op == "BitwiseNot":
        return d.node(d.op, [x], x.shape, x.kind, lo, hi)
    y = d.partner(x)
    return d.node(d.op, [x, y], d.broadcast(x.shape, y.shape), x.kind, lo, hi)


@builder("BitShift")
def shift(d):
    x = d.pick("u8")
    c = d.constant(x.shape, [d.rng.randint(0, 3) for _ in range(x.size)], "u8")
    return d.node("BitShift", [x, c], x.shape, "u8", 0, 255,
                  direction=d.rng.choice(("LEFT", "RIGHT")))
