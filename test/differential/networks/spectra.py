"""Builders of Fourier transforms, which have no records of their attributes."""
from draw import Unfit, builder


@builder("DFT")
def transform(d):
    if d.opset < 17:
        raise Unfit
    x = d.pick(rank=range(2, 5))
    parts = 1
    if x.shape[-1] != 1 and not (x.shape[-1] == 2 and x.rank > 2):
        if x.rank > 4:
            raise Unfit
        x = d.reshape(x, [*x.shape, 1])
    else:
        parts = x.shape[-1]
    at = d.rng.randrange(x.rank - 1)
    one_sided = d.chance(0.3) and parts == 1
    inverse = d.chance(0.3) and not one_sided
    length, have = None, x.shape[at]
    if d.chance(0.3):
        length = d.rng.randint(1, have + 2)
    n = length or have
    shape = list(x.shape)
    shape[at] = n // 2 + 1 if one_sided else n
    shape[-1] = 2
    inputs, more = [x], {"axis": at}
    if length or d.opset >= 20:
        inputs.append(d.constant([], [n], "i64", 0) if length else None)
    if d.opset >= 20:
        inputs.append(d.constant([], [at], "i64", 0))
        more = {}
    most = 2 * x.most() * (1 if inverse else have)
    return d.node("DFT", inputs, shape, lo=-most, hi=most, onesided=int(one_sided),
                  inverse=int(inverse), **more)


@builder("STFT")
def frames(d):
    if d.opset < 17:
        raise Unfit
    x = d.shaped(2)
    batch, samples = x.shape
    if samples < 2:
        raise Unfit
    length = d.rng.randint(2, min(samples, 8))
    step = d.rng.randint(1, length)
    x = d.reshape(x, [batch, samples, 1])
    inputs = [x, d.constant([], [step], "i64", 0)]
    if d.chance(0.5):
        inputs.append(d.reals([length], 0, 1))
    else:
        inputs += [None, d.constant([], [length], "i64", 0)]
    one_sided = d.rng.choice((None, 0, 1))
    bins = length if one_sided == 0 else length // 2 + 1
    most = x.most() * length
    return d.node("STFT", inputs, [batch, (samples - length) // step + 1, bins, 2], lo=-most,
                  hi=most, onesided=one_sided)
