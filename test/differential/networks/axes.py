"""Builders of operators along axes."""
from draw import Unfit, builder
from graph import count


def reduced(shape, axes, keep):
    if keep:
        return [1 if i in axes else n for i, n in enumerate(shape)]
    return [n for i, n in enumerate(shape) if i not in axes]


@builder("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
         "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
def reduce(d):
    kind = "i32" if d.op in ("ReduceMax", "ReduceSum", "ReduceMin") and d.chance(0.1) else "f32"
    x = d.pick(kind, rank=range(1, 6))
    if d.op == "ReduceLogSum":
        x = d.tame(x, 0.1, 8)
    elif d.op == "ReduceLogSumExp":
        x = d.tame(x, -8, 8)
    elif d.op == "ReduceProd":
        x = d.tame(x, -1.5, 1.5)
    axes = sorted(d.rng.sample(range(x.rank), d.rng.randint(1, x.rank)))
    if d.op == "ReduceProd" and count([x.shape[a] for a in axes]) > 16:
        raise Unfit
    written = [a - x.rank if d.chance(0.3) and d.opset >= 11 else a for a in axes]
    if d.chance(0.2):
        d.rng.shuffle(written)
    keep = d.chance(0.6)
    inputs, attributes = [x], {"keepdims": None if keep and d.chance(0.5) else int(keep)}
    as_input = d.opset >= (13 if d.op == "ReduceSum" else 18)
    if d.chance(0.1):
        axes = list(range(x.rank))
    elif as_input:
        inputs.append(d.ints(written))
    else:
        attributes["axes"] = written
    terms = count([x.shape[a] for a in axes])
    most = x.most()
    lo, hi, bits = {
        "ReduceL1": (0, most * terms, x.bits), "ReduceL2": (0, most * terms, None),
        "ReduceLogSum": (-3, 12, None), "ReduceLogSumExp": (x.lo, x.hi + 10, None),
        "ReduceMax": (x.lo, x.hi, x.bits), "ReduceMin": (x.lo, x.hi, x.bits),
        "ReduceMean": (x.lo, x.hi, None), "ReduceProd": (-1000, 1000, None),
        "ReduceSum": (-most * terms, most * terms, x.bits),
        "ReduceSumSquare": (0, most * most * terms, None if x.bits is None else 2 * x.bits),
    }[d.op]
    return d.node(d.op, inputs, reduced(x.shape, axes, keep), kind, lo, hi, bits, **attributes)


@builder("ArgMax", "ArgMin")
def arg(d):
    x = d.pick(rank=range(1, 5), exact=True)
    given, at = d.axis(x)
    if d.opset < 11:
        given = at
    keep = d.rng.choice((None, 0, 1))
    return d.node(d.op, [x], reduced(x.shape, [at], keep != 0), "i64", 0, x.shape[at] - 1,
                  axis=given, keepdims=keep, select_last_index=d.rng.choice((None, 0, 1)))


@builder("TopK")
def top(d):
    x = d.pick(rank=range(1, 5), exact=True)
    given, at = d.axis(x)
    if d.opset < 11:
        given = at
    k = d.rng.randint(1, x.shape[at])
    shape = [k if i == at else n for i, n in enumerate(x.shape)]
    attributes = {"axis": given, "largest": d.rng.choice((None, 0, 1))}
    inputs = [x]
    if d.opset < 10:
        attributes["k"] = k
    else:
        inputs.append(d.ints([k]))
    values, _ = d.nodes("TopK", inputs, [(shape, "f32", x.lo, x.hi, x.bits),
                                         (shape, "i64", 0, x.shape[at], 0)], **attributes)
    return values


@builder("CumSum", "CumProd")
def cumulate(d):
    x = d.pick(rank=range(1, 5))
    given, at = d.axis(x)
    extra = {"exclusive": d.rng.choice((None, 0, 1)), "reverse": d.rng.choice((None, 0, 1))}
    axis = d.constant([], [given], d.rng.choice(("i64", "i32")))
    if d.op == "CumProd":
        x = d.tame(x, -1.2, 1.2)
        return d.node(d.op, [x, axis], x.shape, lo=-1000, hi=1000, **extra)
    most = x.most() * x.shape[at]
    return d.node(d.op, [x, axis], x.shape, lo=-most, hi=most, bits=x.bits, **extra)
