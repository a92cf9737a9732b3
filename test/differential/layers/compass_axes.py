"""Builders of Compass layers along axes: reductions, norms, statistics, selections."""
import numpy
from compass_form import blob
from drawing import Unfit, builder
from formulas import (REDUCE, arg_extreme, cumulate, group_norm, log_softmax, lrn, normalised,
                      rms_norm, softmax, top_k)


def some_axes(d, x):
    """Axes as they are written and as they are."""
    axes = d.axes(x)
    return [a - x.rank if d.chance(0.2) else a for a in axes], tuple(axes)


@builder("compass", "Reduce")
def reduce(d):
    method = d.rng.choice(("MEAN", "SUM", "MIN", "MAX", "PROD", "L1", "L2", "VARIANCE",
                           "UNBIASED_VARIANCE", "ALL", "ANY"))
    x = d.within(-3, 3) if method == "PROD" else d.pick()
    written, axes = some_axes(d, x)
    if method == "UNBIASED_VARIANCE" and numpy.prod([x.shape[a] for a in axes]) < 2:
        raise Unfit
    kind = d.rng.choice(("u8", "bool")) if method in ("ALL", "ANY") else "f32"
    f = REDUCE[method.lower()]
    return d.layer("Reduce", [x], lambda v: f(v, axes), [kind], method=method, axis=written)


@builder("compass", "Softmax", "LogSoftmax")
def softmaxes(d):
    x = d.pick()
    written, at = d.axis(x)
    f = softmax if d.op == "Softmax" else log_softmax
    return d.layer(d.op, [x], lambda v: f(v, at), axis=written)


@builder("compass", "BatchNorm")
def batch_norm(d):
    from compass_elements import fused
    x = d.pick(rank=range(2, 6))
    written, at = (-1, x.rank - 1) if d.chance(0.7) else d.axis(x)
    n = x.shape[at]
    w, b = d.numbers_of([n], 0.2, 2), d.numbers_of([n], -1, 1)
    shape = [n if i == at else 1 for i in range(x.rank)]
    f, keys = fused(d, lambda v: v * w.reshape(shape) + b.reshape(shape), x.shape[-1])
    return d.layer("BatchNorm", [x], f, weights=blob(w), biases=blob(b), axis=written, **keys)


@builder("compass", "LayerNorm", "RMSNorm")
def layer_norm(d):
    x = d.pick(rank=range(2, 5), fits=lambda t: t.shape[-1] > 1)
    first = x.rank - 1 if d.chance(0.7) else d.rng.randrange(1, x.rank)
    axes = tuple(range(first, x.rank))
    shape = x.shape[first:]
    w, b = d.numbers_of(shape, 0.2, 2), d.numbers_of(shape, -1, 1)
    epsilon = d.rng.choice((1e-5, 1e-3, 0.01))
    norm = normalised if d.op == "LayerNorm" else rms_norm
    keys = {"weights": blob(w), "biases": blob(b)}
    written = [a - x.rank if d.chance(0.3) else a for a in axes]
    return d.layer(d.op, [x], lambda v: norm(v, axes, epsilon) * w + b, axis=written,
                   epsilon=epsilon, **keys)


@builder("compass", "MVN")
def mvn(d):
    x = d.pick(rank=range(2, 6), fits=lambda t: t.size > 3)
    written, axes = some_axes(d, x)
    if numpy.prod([x.shape[a] for a in axes]) < 3:
        raise Unfit
    epsilon = d.rng.choice((1e-3, 0.01))
    return d.layer("MVN", [x], lambda v: normalised(v, axes, epsilon), axis=written,
                   epsilon=epsilon)


@builder("compass", "InstanceNorm", "GroupNorm")
def instance_norm(d):
    x = d.pick(rank=(3, 4, 5), fits=lambda t: numpy.prod(t.shape[1:-1]) > 1)
    n = x.shape[-1]
    w, b = d.numbers_of([n], 0.2, 2), d.numbers_of([n], -1, 1)
    epsilon = d.rng.choice((1e-5, 1e-3, 0.01))
    keys = {"weights": blob(w), "biases": blob(b), "epsilon": epsilon}
    if d.op == "GroupNorm":
        groups = d.rng.choice([g for g in range(1, n + 1) if n % g == 0])
        return d.layer(d.op, [x], lambda v: group_norm(v, groups, epsilon) * w + b, group=groups,
                       axis=d.rng.choice((-1, x.rank - 1)), **keys)
    axes = tuple(range(1, x.rank - 1))
    return d.layer(d.op, [x], lambda v: normalised(v, axes, epsilon) * w + b, **keys)


@builder("compass", "LRN")
def local_norm(d):
    x = d.pick(rank=4)
    size = d.rng.choice((1, 3, 5, 2, 4))
    alpha, beta, bias = d.rng.choice((0.1, 1.0)), d.rng.choice((0.5, 0.75, 1.0)), 1.0
    return d.layer("LRN", [x], lambda v: lrn(v, size // 2, (size - 1) // 2, alpha, beta, bias, size),
                   method="ACROSS_CHANNELS", size=size, alpha=alpha, beta=beta, bias=bias)


@builder("compass", "Normalization")
def normalization(d):
    method = d.rng.choice(("L1", "L2"))
    x = d.pick()
    written, axes = some_axes(d, x)
    least = min(float(REDUCE["l1"](v, axes).min()) for v in x.values)
    if least < 0.1:
        raise Unfit
    f = REDUCE[method.lower()]
    return d.layer("Normalization", [x], lambda v: v / f(v, axes), method=method, axis=written,
                   epsilon=d.rng.choice((0.0, 1e-6)))


@builder("compass", "ArgMinMax")
def arg_min_max(d):
    x = d.pick()
    written, at = d.axis(x)
    largest, last = d.chance(0.6), d.chance(0.4)
    return d.layer("ArgMinMax", [x], lambda v: numpy.expand_dims(
        arg_extreme(v, at, largest, last), at), ["i32"], method="MAX" if largest else "MIN",
        axis=written, select_last_index=last)


@builder("compass", "TopK")
def topk(d):
    x = d.pick()
    written, at = d.axis(x)
    k = d.rng.randint(1, x.shape[at])
    largest, way = d.chance(0.7), d.rng.choice(("first", "last"))
    return d.layer("TopK", [x], lambda v: top_k(v, k, at, largest, way == "last"), ["f32", "i32"],
                   k=k, axis=written, largest=largest, sorted=True, select_index=way)


@builder("compass", "InTopK")
def in_top_k(d):
    x = d.shaped(2)
    k = d.rng.randint(1, x.shape[1])
    targets = d.ints([d.rng.randrange(x.shape[1]) for _ in range(x.shape[0])])
    return d.layer("InTopK", [x, targets], lambda v, t: ((v > numpy.take_along_axis(
        v, t[:, None], 1)).sum(1) < k).astype(int), ["u8"], k=k)


@builder("compass", "Cumulate")
def cumulative(d):
    product = d.chance(0.3)
    x = d.within(-1.5, 1.5) if product else d.pick()
    written, at = d.axis(x)
    exclusive, reverse = d.chance(0.4), d.chance(0.4)
    return d.layer("Cumulate", [x], lambda v: cumulate(v, at, exclusive, reverse, product),
                   method="PROD" if product else "SUM", axis=written, exclusive=exclusive,
                   reverse=reverse)


@builder("compass", "Moments")
def moments(d):
    x = d.pick(rank=range(2, 5))
    written, axes = some_axes(d, x)
    keeps = d.chance(0.7) or len(axes) == x.rank
    return d.layer("Moments", [x], lambda v: (v.mean(axes, keepdims=keeps),
                                              v.var(axes, keepdims=keeps)), ["f32", "f32"],
                   axis=written, keepdims=keeps)


@builder("compass", "SufficientStatistics")
def sufficient(d):
    x = d.pick(rank=range(2, 5))
    written, axes = some_axes(d, x)
    shift = d.weights([1] * x.rank)

    def f(v, s):
        return (v - s).sum(axes, keepdims=True), ((v - s)**2).sum(axes, keepdims=True)
    sums = d.layer(d.op, [x, shift], f, ["f32", "f32"], axis=written)
    if d.chance(0.5):
        return sums
    n = float(numpy.prod([x.shape[a] for a in axes]))
    return d.layer("NormalizedMoments", [*sums, shift], lambda m, q, s: (
        m / n + s, q / n - (m / n)**2), ["f32", "f32"], counts=n)


@builder("compass", "NormalizedMoments")
def normalized_moments(d):
    x = d.pick()
    q = d.layer("Square", [x], numpy.square)
    shift = d.weights([1] * x.rank)
    return d.layer(d.op, [x, q, shift], lambda m, s, k: (m / 2 + k + 0 * s, s / 2 - (m / 2)**2),
                   ["f32", "f32"], counts=2.0)


@builder("compass", "ZeroFraction")
def zero_fraction(d):
    x = d.pick()
    return d.layer("ZeroFraction", [x], lambda v: numpy.array([(v == 0).mean()]))


@builder("compass", "SegmentReduce")
def segments(d):
    x = d.pick(rank=range(1, 4), fits=lambda t: t.shape[0] > 1)
    of = sorted(d.rng.randint(0, 2) for _ in range(x.shape[0]))
    of[0] = 0
    of = [sorted(set(of)).index(v) for v in of]
    method = d.rng.choice(("SUM", "MIN", "MAX", "MEAN", "PROD"))
    f = {"SUM": numpy.sum, "MIN": numpy.min, "MAX": numpy.max, "MEAN": numpy.mean,
         "PROD": numpy.prod}[method]
    return d.layer(d.op, [x, d.ints(of)], lambda v, s: numpy.stack(
        [f(v[s == i], 0) for i in range(of[-1] + 1)]), method=method)


@builder("compass", "Count")
def count(d):
    x = d.pick(rank=range(2, 5))
    bins, discrete = d.rng.randint(2, 6), d.chance(0.5)
    lo, hi = -2.0, 2.0 * bins - 2.0

    def f(v):
        rows = []
        for row in v.reshape(v.shape[0], -1):
            at = numpy.floor((row - lo) / 2)
            at = numpy.where((row == hi) & discrete, bins - 1, at)
            inside = (row >= lo) & ((row < hi) | (row == hi) & discrete)
            rows.append([int(((at == i) & inside).sum()) for i in range(bins)])
        return numpy.array(rows)
    return d.layer("Count", [x], f, ["i32"], min=lo, max=hi, nbins=bins, discrete=discrete)


@builder("compass", "CTCGreedyDecoder")
def ctc(d):
    x = d.shaped(3, fits=lambda t: t.shape[2] > 1)
    merges = d.chance(0.5)
    n, steps, classes = x.shape
    lengths = [d.rng.randint(1, steps) for _ in range(n)]

    def f(v, given):
        y = numpy.full([n, steps, 1, 1], 2**31 - 1)
        for row in range(n):
            best = v[row, :given[row]].argmax(-1)
            kept = [c for i, c in enumerate(best) if c != classes - 1 and
                    not (merges and i and best[i - 1] == c)]
            y[row, :len(kept), 0, 0] = kept
        return y
    saved = d.layer(d.op, [x, d.ints(lengths)], f, ["i32"], keep=False, merge_repeated=merges)
    return saved


@builder("compass", "FakeQuantWithMinMaxVars")
def fake_quant(d):
    x = d.pick()
    bits, narrow = d.rng.choice((8, 8, 4, 16)), d.chance(0.3)
    least = 1 if narrow else 0
    lo, hi = d.rng.choice(((-1.0, 1.0), (0.0, 6.0), (-4.0, 3.0)))
    step = (hi - lo) / (2**bits - 1 - least)
    zero = numpy.clip(numpy.floor(least - lo / step + 0.5), least, 2**bits - 1)
    low, high = (least - zero) * step, (2**bits - 1 - zero) * step
    return d.layer(d.op, [x], lambda v: numpy.floor(
        (numpy.clip(v, low, high) - low) / step + 0.5) * step + low, num_bits=bits,
        narrow_range=narrow, min=lo, max=hi)
