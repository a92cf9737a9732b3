"""Builders of recurrent cells and attention."""
from draw import Unfit, builder


@builder("LSTM", "GRU", "RNN")
def cell(d):
    x = d.tame(d.shaped(3), -4, 4)
    steps, batch, width = x.shape
    if steps > 12 or width > 64 or batch > 8:
        raise Unfit
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[d.op]
    hidden = d.rng.choice((1, 2, 4, 5))
    direction = d.rng.choice((None, "forward", "reverse", "bidirectional"))
    ways = 2 if direction == "bidirectional" else 1
    inputs = [x, d.reals([ways, gates * hidden, width], -0.5, 0.5),
              d.reals([ways, gates * hidden, hidden], -0.5, 0.5)]
    if d.chance(0.6):
        inputs.append(d.reals([ways, 2 * gates * hidden], -0.5, 0.5))
    if d.chance(0.4):
        inputs += [None] * (5 - len(inputs))
        inputs.append(d.reals([ways, batch, hidden], -1, 1))
        if d.op == "LSTM":
            inputs.append(d.reals([ways, batch, hidden], -1, 1))
            if d.chance(0.3):
                inputs.append(d.reals([ways, 3 * hidden], -0.5, 0.5))
    y, last = d.nodes(d.op, inputs, [([steps, ways, batch, hidden], "f32", -1, 1, None),
                                     ([ways, batch, hidden], "f32", -1, 1, None)],
                      hidden_size=hidden, direction=direction,
                      linear_before_reset=d.rng.choice((None, 0, 1)) if d.op == "GRU" else None)
    return y if d.chance(0.5) else last


@builder("Attention")
def attention(d):
    x = d.tame(d.shaped((3, 4)), -2, 2)
    if x.rank == 4:
        return d.node(d.op, [x, x, x], x.shape, lo=-2, hi=2, is_causal=d.rng.choice((None, 0, 1)),
                      scale=d.rng.choice((None, 0.5)), softcap=d.rng.choice((None, 2.0)))
    heads = d.rng.choice([h for h in (1, 2, 4) if x.shape[2] % h == 0])
    return d.node(d.op, [x, x, x], x.shape, lo=-2, hi=2, q_num_heads=heads, kv_num_heads=heads,
                  is_causal=d.rng.choice((None, 0, 1)))


@builder("RotaryEmbedding")
def rotary(d):
    x = d.shaped(4)
    if x.shape[3] % 2:
        raise Unfit
    shape = [x.shape[0], x.shape[2], x.shape[3] // 2]
    return d.node(d.op, [x, d.reals(shape, -1, 1), d.reals(shape, -1, 1)], x.shape,
                  lo=-2 * x.most(), hi=2 * x.most(), interleaved=d.rng.choice((None, 0, 1)))
