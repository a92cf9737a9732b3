"""Builders of normalizations."""
from draw import Unfit, builder
from graph import count

# A group of equal values divides by the epsilon's root: what float errors are times that.
EPSILON = 0.01


@builder("BatchNormalization")
def batch_norm(d):
    x = d.pick(rank=range(2, 6))
    n = [x.shape[1]]
    if d.opset < 7:
        raise Unfit
    return d.node("BatchNormalization", [x, d.reals(n, -2, 2), d.reals(n, -1, 1), d.reals(n, -1, 1),
                                         d.reals(n, 0.25, 4)], x.shape, lo=-4 * x.most() - 6,
                  hi=4 * x.most() + 6, epsilon=d.rng.choice((None, 1e-3)))


@builder("InstanceNormalization", "GroupNormalization")
def instance_norm(d):
    x = d.shaped((3, 4, 4))
    channels = x.shape[1]
    groups = d.rng.choice([g for g in (1, 2, 3, 4, channels) if channels % g == 0])
    length = channels
    if d.op == "GroupNormalization" and d.opset < 21:
        length = groups
    numbers = [d.reals([length], -2, 2), d.reals([length], -1, 1)]
    return d.node(d.op, [x, *numbers], x.shape, lo=-9, hi=9, epsilon=EPSILON,
                  num_groups=groups if d.op == "GroupNormalization" else None)


@builder("LayerNormalization", "RMSNormalization")
def layer_norm(d):
    if d.op == "LayerNormalization" and d.opset < 17:
        raise Unfit
    x = d.pick(rank=range(1, 5))
    given, at = d.axis(x)
    shape = x.shape[at:]
    inputs = [x, d.reals(shape, -2, 2)]
    if d.op == "LayerNormalization" and d.chance(0.6):
        inputs.append(d.reals(shape, -1, 1))
    return d.node(d.op, inputs, x.shape, lo=-9, hi=9, axis=given, epsilon=EPSILON)


@builder("MeanVarianceNormalization")
def mvn(d):
    x = d.shaped(4)
    if count(x.shape[2:]) * x.shape[0] < 2:
        raise Unfit
    # Without an epsilon, equal values give nothing.
    x = d.node("Add", [x, d.reals(x.shape, -2, 2)], x.shape, lo=x.lo - 2, hi=x.hi + 2)
    return d.node(d.op, [x], x.shape, lo=-9, hi=9, 
                  axes=d.rng.choice((None, [0, 2, 3], [2, 3]) if count(x.shape[2:]) > 1 else
                                    (None, [0, 2, 3])))


@builder("LpNormalization")
def lp_norm(d):
    x = d.pick(rank=range(1, 5), exact=True)
    x = d.node("Add", [x, d.scalar(x.most() + 1.0)], x.shape, lo=1, hi=2 * x.most() + 1)
    given, _ = d.axis(x)
    return d.node(d.op, [x], x.shape, lo=0, hi=1, axis=given, p=d.rng.choice((None, 1, 2)))


@builder("Softmax", "LogSoftmax")
def softmax(d):
    x = d.pick(rank=range(1, 5))
    given, _ = d.axis(x)
    if d.opset < 11:
        given %= x.rank
    return d.node(d.op, [x], x.shape, lo=0 if d.op == "Softmax" else -2 * x.most() - 9,
                  hi=1, axis=given)


@builder("Hardmax")
def hardmax(d):
    x = d.pick(rank=range(1, 5), exact=True)
    given, _ = d.axis(x)
    if d.opset < 11:
        given %= x.rank
    return d.node(d.op, [x], x.shape, lo=0, hi=1, bits=0, axis=given)
