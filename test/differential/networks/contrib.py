"""Builders of com.microsoft's operators, which exporters and ONNX Runtime's optimizers write.

Their names begin with the domain, as some are ONNX's, too.
"""
import math

from draw import Unfit, builder
from graph import count
from norms import EPSILON
from products import product, window

DOMAIN = "com.microsoft"
# Of 16 bits before ONNX had them, drawn as ONNX's; and what runtimes have in ONNX's domain.
ELSEWHERE = [DOMAIN + "." + name for name in (
    "QuantizeLinear", "DequantizeLinear", "QLinearConv", "SimplifiedLayerNormalization")]


def ours(*names):
    return builder(*(DOMAIN + "." + name for name in names))


def node(d, inputs, shape, kind="f32", op=None, **more):
    return d.node(op or d.op[len(DOMAIN) + 1:], inputs, shape, kind, domain=DOMAIN, **more)


# Functions and products.


@ours("Gelu", "QuickGelu")
def gelu(d):
    x = d.tame(d.pick(rank=range(1, 5)), -8, 8)
    quick = d.op.endswith("QuickGelu")
    return node(d, [x], x.shape, lo=-1, hi=8,
                alpha=d.rng.choice((None, 1.0, 1.702)) if quick else None)


@ours("BiasGelu", "FastGelu")
def bias_gelu(d):
    x = d.tame(d.pick(rank=range(1, 5)), -8, 8)
    inputs = [x]
    if d.op.endswith("BiasGelu") or d.chance(0.7):
        inputs.append(d.reals(x.shape[-1:], -1, 1))
    return node(d, inputs, x.shape, lo=-1, hi=9)


@ours("FusedMatMul")
def fused_matmul(d):
    x = d.shaped((2, 3))
    rows, length = x.shape[-2:]
    columns = d.rng.choice((1, 2, 5))
    flip_a, flip_b = d.rng.randint(0, 1), d.rng.randint(0, 1)
    if flip_a:
        rows, length = length, rows
    w = d.weights([*x.shape[:-2], *((columns, length) if flip_b else (length, columns))])
    p = product(x, w, length)
    alpha = d.rng.choice((None, 0.5, 2.0))
    scale = alpha or 1.0
    if p["bits"] is not None:
        p["bits"] += 1
    return node(d, [x, w], [*x.shape[:-2], rows, columns], transA=flip_a, transB=flip_b,
                alpha=alpha, lo=p["lo"] * scale, hi=p["hi"] * scale, bits=p["bits"])


@ours("FusedConv")
def fused_conv(d):
    x = d.shaped(4)
    attributes, left = window(d, x.shape[2:], auto=False)
    out = d.rng.choice((1, 4))
    w = d.weights([out, x.shape[1], *attributes["kernel_shape"]], 1.0)
    result = [x.shape[0], out, *left]
    inputs = [x, w, d.weights([out], 2.0)]
    p = product(x, w, count(w.shape[1:]))
    lo, hi = p["lo"] - 2, p["hi"] + 2
    if d.chance(0.3):
        inputs.append(d.weights(result, 2.0))
        lo, hi = lo - 2, hi + 2
    way, numbers = d.rng.choice((("Relu", None), ("Sigmoid", None), ("Tanh", None),
                                 ("LeakyRelu", [0.125]), ("Clip", [-1.0, 2.0]),
                                 ("HardSigmoid", [0.25, 0.5])))
    return node(d, inputs, result, lo=lo, hi=hi, activation=way, activation_params=numbers,
                **attributes)


@ours("MatMulNBits")
def block_weights(d):
    x = d.shaped((2, 3))
    length, out = x.shape[-1], d.rng.choice((1, 4, 6))
    size = d.rng.choice((16, 32))
    blocks = -(-length // size)
    packed = [out, blocks, size // 2]
    w = d.constant(packed, [d.rng.randint(0, 255) for _ in range(count(packed))], "u8")
    inputs = [x, w, d.reals([out * blocks], 0.01, 0.1)]
    if d.chance(0.5):
        zeros = out * -(-blocks // 2)
        inputs.append(d.constant([zeros], [d.rng.randint(0, 255) for _ in range(zeros)], "u8"))
    most = x.most() * 1.5 * length
    return node(d, inputs, [*x.shape[:-1], out], lo=-most, hi=most, K=length, N=out, bits=4,
                block_size=size)


# Norms.


@builder("SimplifiedLayerNormalization")
def simplified_norm(d):
    x = d.pick(rank=range(2, 5))
    return d.node(d.op, [x, d.reals(x.shape[-1:], -2, 2)], x.shape, lo=-9, hi=9, axis=-1,
                  epsilon=EPSILON)


@ours("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def skip_norm(d):
    x = d.shaped(3)
    n = x.shape[-1:]
    others = [d.reals(n, -2, 2)]
    if d.op.endswith("SkipLayerNormalization"):
        others.append(d.reals(n, -1, 1))
    if d.chance(0.4):
        others.append(d.reals(n, -1, 1))
    y = d.pick(fits=lambda t: t.shape == x.shape)
    return node(d, [x, y, *others], x.shape, lo=-9, hi=9, epsilon=EPSILON)


# Attention.


def heads_of(d, width):
    return d.rng.choice([h for h in (1, 2, 4) if width % h == 0])


def states(d):
    x = d.tame(d.shaped(3), -2, 2)
    if x.shape[1] > 16 or x.shape[2] > 64:
        raise Unfit
    return x


@ours("MultiHeadAttention")
def multi_head(d):
    x = states(d)
    n = x.shape[2]
    inputs = [x, x, x]
    if d.chance(0.4):
        inputs.append(d.reals([3 * n], -1, 1))
    return node(d, inputs, x.shape, lo=-3, hi=3, num_heads=heads_of(d, n),
                scale=d.rng.choice((None, 0.5)))


@ours("Attention")
def packed_attention(d):
    x = states(d)
    n, width = x.shape[2], d.rng.choice((2, 4, 8))
    inputs = [x, d.reals([n, 3 * width], -0.5, 0.5), d.reals([3 * width], -0.5, 0.5)]
    most = n * x.most() / 2 + 0.5
    return node(d, inputs, [*x.shape[:2], width], lo=-most, hi=most, num_heads=heads_of(d, width),
                unidirectional=d.rng.choice((None, 0, 1)), scale=d.rng.choice((None, 0.5)))


@ours("GroupQueryAttention")
def grouped_attention(d):
    x = states(d)
    batch, steps, width = x.shape
    if batch > 1:
        raise Unfit
    heads, size = d.rng.choice((1, 2, 4)), 8
    shared = d.rng.choice([h for h in (1, 2, 4) if heads % h == 0])

    def projected(many):
        return d.node("MatMul", [x, d.reals([width, many * size], -0.5, 0.5)],
                      [batch, steps, many * size], lo=-width, hi=width)
    query, keys, shown = projected(heads), projected(shared), projected(shared)
    inputs = [query, keys, shown, None, None, d.constant([batch], [steps - 1] * batch, "i32"),
              d.constant([], [steps], "i32")]
    cache = ([batch, shared, steps, size], "f32", -width, width, None)
    return d.nodes(d.op[len(DOMAIN) + 1:], inputs,
                   [(query.shape, "f32", -width, width, None), cache, cache],
                   domain=DOMAIN, num_heads=heads, kv_num_heads=shared)[0]


@ours("RotaryEmbedding")
def rotary(d):
    x = d.shaped(4)
    batch, heads, steps, size = x.shape
    if size % 2 or steps > 16:
        raise Unfit
    angles = [(t + 1) / 4 ** (i + 1) for t in range(steps) for i in range(size // 2)]
    shape = [steps, size // 2]
    places = d.constant([batch, steps], list(range(steps)) * batch, "i64", 0)
    return node(d, [x, places, d.constant(shape, [math.cos(a) for a in angles]),
                    d.constant(shape, [math.sin(a) for a in angles])], x.shape,
                lo=-2 * x.most(), hi=2 * x.most(), interleaved=d.rng.choice((None, 0, 1)))
