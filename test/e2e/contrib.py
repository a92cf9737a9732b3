"""Operators of com.microsoft against their formulas.

Each case is a model of one node with random constants and one input; what the imported
network computes is compared with the operator's definition in plain Python.
"""
import array
import itertools
import math
import random

import common
from contrib_definitions import (Tensor, angles, attention, draw, fast_gelu, gelu, joined, model,
                                 normalised, split, turned)

TOLERANCE = 3e-6


#===-- Cases: (model, input, outputs by the definition) ---------------------===#

def elementwise(rng):
    x, bias = draw(rng, 2, 3, 8), draw(rng, 8)
    yield "QuickGelu", model("QuickGelu", [("x", x)], ["y"]), x, [
        [v / (1 + math.exp(-1.702 * v)) for v in x.values]]
    yield "Gelu", model("Gelu", [("x", x)], ["y"]), x, [[gelu(v) for v in x.values]]
    added = [v + bias.values[i % 8] for i, v in enumerate(x.values)]
    for op, function in (("BiasGelu", gelu), ("FastGelu", fast_gelu)):
        yield op, model(op, [("x", x), ("b", bias)], ["y"]), x, [list(map(function, added))]
    yield "FastGelu without bias", model("FastGelu", [("x", x)], ["y"]), x, [
        list(map(fast_gelu, x.values))]


def norms(rng):
    x, skip = draw(rng, 2, 3, 8), draw(rng, 2, 3, 8)
    gamma, beta, bias = draw(rng, 8), draw(rng, 8), draw(rng, 8)
    for op, is_rms in (("SkipLayerNormalization", False),
                       ("SkipSimplifiedLayerNormalization", True)):
        total = [v + skip.values[i] + bias.values[i % 8] for i, v in enumerate(x.values)]
        rows = [normalised(total[i:i + 8], 1e-3, is_rms) for i in range(0, len(total), 8)]
        wanted = [v * g + (0 if is_rms else b) for row in rows
                  for v, g, b in zip(row, gamma.values, beta.values)]
        operands = [("x", x), ("s", skip), ("g", gamma), *([] if is_rms else [("be", beta)]),
                    ("bi", bias)]
        yield op, model(op, operands, ["y", "", "", "z"], epsilon=1e-3), x, [wanted, total]
    rows = [normalised(x.values[i:i + 8], 1e-3, True) for i in range(0, len(x.values), 8)]
    yield "SimplifiedLayerNormalization", model(
        "SimplifiedLayerNormalization", [("x", x), ("g", gamma)], ["y"], "", axis=-1,
        epsilon=1e-3), x, [[v * g for row in rows for v, g in zip(row, gamma.values)]]


def products(rng):
    x, w = draw(rng, 2, 5, 3), draw(rng, 2, 4, 5)
    wanted = Tensor.of((2, 3, 4), lambda b, i, j: 0.5 * sum(
        x[b, k, i] * w[b, j, k] for k in range(5)))
    yield "FusedMatMul", model("FusedMatMul", [("x", x), ("w", w)], ["y"], transA=1, transB=1,
                               alpha=0.5), x, [wanted.values]
    x, w, bias = draw(rng, 1, 2, 4, 4), draw(rng, 3, 2, 3, 3), draw(rng, 3)
    z = draw(rng, 1, 3, 2, 2)
    plain = Tensor.of((1, 3, 2, 2), lambda n, o, i, j: bias.values[o] + sum(
        x[n, c, i + r, j + s] * w[o, c, r, s]
        for c, r, s in itertools.product(range(2), range(3), range(3))))
    for activation, numbers, function in (
            ("Relu", [], lambda v: max(v, 0)), ("LeakyRelu", [0.2], lambda v: max(v, 0.2 * v)),
            ("Clip", [-0.5, 1.5], lambda v: min(max(v, -0.5), 1.5)),
            ("HardSigmoid", [0.3, 0.4], lambda v: min(max(0.3 * v + 0.4, 0), 1)),
            ("Tanh", [], math.tanh)):
        keys = {"activation": activation}
        if numbers:
            keys["activation_params"] = numbers
        yield f"FusedConv with {activation}", model(
            "FusedConv", [("x", x), ("w", w), ("b", bias)], ["y"], **keys), x, [
                [function(v) for v in plain.values]]
    yield "FusedConv with a sum", model(
        "FusedConv", [("x", x), ("w", w), ("b", bias), ("z", z)], ["y"], activation="Relu"), x, [
            [max(v + u, 0) for v, u in zip(plain.values, z.values)]]


def blocks(rng):
    """Weights of 4 and 8 bits in blocks of 16, the last one not full."""
    rows, columns, size = 5, 40, 16
    count = -(-columns // size)
    x, scales = draw(rng, 2, 3, columns), draw(rng, rows * count, spread=0.2)
    bias = draw(rng, rows)
    for bits, zeros in ((4, None), (4, "packed"), (8, None), (8, "floats")):
        numbers = [rng.randrange(1 << bits) for _ in range(rows * count * size)]
        per_byte = 8 // bits

        def packed(values):
            return [sum(v << (bits * i) for i, v in enumerate(values[at:at + per_byte]))
                    for at in range(0, len(values), per_byte)]
        weights = Tensor((rows, count, size // per_byte), packed(numbers), "B")
        points = [1 << (bits - 1)] * (rows * count)
        operands = [("x", x), ("w", weights), ("s", scales)]
        if zeros:
            points = [rng.randrange(1 << bits) for _ in points]
            width = -(-count // per_byte) * per_byte
            filled = [p for r in range(rows)
                      for p in points[r * count:][:count] + [0] * (width - count)]
            operands.append(("z", Tensor((len(filled) // per_byte,), packed(filled), "B")
                             if zeros == "packed" else Tensor((rows * count,), points)))
        else:
            operands.append(("z", None))
        operands += [("g", None), ("b", bias)]

        def weight(row, k):
            block = row * count + k // size
            return (numbers[block * size + k % size] - points[block]) * scales.values[block]
        wanted = Tensor.of((2, 3, rows), lambda b, s, r: bias.values[r] + sum(
            x[b, s, k] * weight(r, k) for k in range(columns)))
        yield f"MatMulNBits of {bits} bits, zeros {zeros}", model(
            "MatMulNBits", operands, ["y"], K=columns, N=rows, bits=bits,
            block_size=size), x, [wanted.values]


def rotary(rng):
    x = draw(rng, 2, 3, 16)
    cos, sin = angles(rng, 8, 4)
    for interleaved in (0, 1):
        for name, places, at in (
                ("one position", Tensor((1,), [2], "q"), lambda b, s: 2 + s),
                ("positions", Tensor((2, 3), [5, 1, 0, 7, 3, 3], "q"),
                 lambda b, s: (5, 1, 0, 7, 3, 3)[b * 3 + s])):
            t = turned(split(x, 2), cos, sin, at, interleaved)
            wanted = Tensor.of(x.shape, lambda b, s, i: t[b, i // 8, s, i % 8])
            yield f"RotaryEmbedding by {name}, interleaved {interleaved}", model(
                "RotaryEmbedding", [("x", x), ("p", places), ("c", cos), ("s", sin)], ["y"],
                interleaved=interleaved), x, [wanted.values]


def multi_head(rng):
    heads, size, steps, total = 2, 4, 3, 5
    width = heads * size
    x, k, v = draw(rng, 2, steps, width), draw(rng, 2, total, width), draw(rng, 2, total, width)
    bias, added = draw(rng, 3 * width), draw(rng, 1, heads, steps, total)

    def plus(t, first):
        return Tensor.of(t.shape, lambda b, s, i: t[b, s, i] + bias.values[first + i])
    scale = size ** -0.5
    q1, k1, v1 = (split(plus(t, first), heads)
                  for t, first in ((x, 0), (k, width), (v, 2 * width)))
    seen = Tensor((2, total), [1, 1, 1, 0, 1, 1, 0, 1, 1, 1], "i")
    base = [("x", x), ("k", k), ("v", v), ("b", bias)]
    yield "MultiHeadAttention with keys that are hidden", model(
        "MultiHeadAttention", [*base, ("m", seen), ("a", added)], ["y"], num_heads=heads), x, [
            attention(q1, k1, v1, scale, lambda b, h, s, t: added[0, h, s, t] +
                      (0 if seen[b, t] else -10000)).values]
    yield "MultiHeadAttention with lengths", model(
        "MultiHeadAttention", [*base, ("m", Tensor((2,), [4, 2], "i"))], ["y"],
        num_heads=heads, scale=0.7), x, [
            attention(q1, k1, v1, 0.7,
                      lambda b, h, s, t: 0 if t < (4, 2)[b] else -10000).values]
    past_k, past_v = draw(rng, 2, heads, 2, size), draw(rng, 2, heads, 2, size)
    k, v = draw(rng, 2, steps, width), draw(rng, 2, steps, width)
    all_k, all_v = joined(past_k, split(k, heads)), joined(past_v, split(v, heads))
    yield "MultiHeadAttention with a cache", model(
        "MultiHeadAttention", [("x", x), ("k", k), ("v", v), ("b", None), ("m", None),
                               ("a", None), ("pk", past_k), ("pv", past_v)],
        ["y", "ok", "ov"], num_heads=heads, unidirectional=1), x, [
            attention(split(x, heads), all_k, all_v, scale,
                      lambda b, h, s, t: 0 if t <= s + 2 else -1e4).values,
            all_k.values, all_v.values]


def packed(rng):
    heads, steps, columns, sizes = 2, 4, 6, (8, 8, 4)
    x, w, bias = draw(rng, 2, steps, columns), draw(rng, columns, 20), draw(rng, 20)
    whole = Tensor.of((2, steps, 20), lambda b, s, j: bias.values[j] + sum(
        x[b, s, i] * w[i, j] for i in range(columns)))
    parts, first = [], 0
    for size in sizes:
        parts.append(split(Tensor.of((2, steps, size), lambda b, s, i: whole[b, s, first + i]),
                           heads))
        first += size
    seen = Tensor((2, steps), [1, 1, 1, 0, 1, 1, 0, 1], "i")
    yield "Attention", model(
        "Attention", [("x", x), ("w", w), ("b", bias), ("m", seen)], ["y"], num_heads=heads,
        unidirectional=1, qkv_hidden_sizes=list(sizes)), x, [
            attention(*parts, 0.5, lambda b, h, s, t: (0 if seen[b, t] else -10000) +
                      (0 if t <= s else -1e5)).values]
    w, bias = draw(rng, columns, 24), draw(rng, 24)
    past = draw(rng, 2, 2, heads, 3, 4)
    whole = Tensor.of((2, steps, 24), lambda b, s, j: bias.values[j] + sum(
        x[b, s, i] * w[i, j] for i in range(columns)))
    q, k, v = (split(Tensor.of((2, steps, 8), lambda b, s, i: whole[b, s, 8 * n + i]), heads)
               for n in range(3))
    k, v = (joined(Tensor.of(past.shape[1:], lambda b, h, s, i: past[n, b, h, s, i]), t)
            for n, t in ((0, k), (1, v)))
    yield "Attention with a cache", model(
        "Attention", [("x", x), ("w", w), ("b", bias), ("m", None), ("p", past)], ["y", "o"],
        num_heads=heads), x, [attention(q, k, v, 0.5).values, k.values + v.values]


def grouped(rng):
    heads, kept, size, steps = 4, 2, 16, 3
    cos, sin = angles(rng, 16, size // 2)
    for old in (0, 2):
        x = draw(rng, 2, steps, heads * size)
        k, v = draw(rng, 2, steps, kept * size), draw(rng, 2, steps, kept * size)
        past = [draw(rng, 2, kept, old, size) if old else None for _ in range(2)]
        last = Tensor((2,), [old + steps - 1] * 2, "i")
        total = Tensor((1,), [old + steps], "i")
        q1, k1 = (turned(split(t, n), cos, sin, lambda b, s: old + s)
                  for t, n in ((x, heads), (k, kept)))
        k1, v1 = joined(past[0], k1), joined(past[1], split(v, kept))
        yield f"GroupQueryAttention after {old} steps", model(
            "GroupQueryAttention",
            [("x", x), ("k", k), ("v", v), ("pk", past[0]), ("pv", past[1]), ("l", last),
             ("t", total), ("c", cos), ("s", sin)], ["y", "ok", "ov"], num_heads=heads,
            kv_num_heads=kept, do_rotary=1), x, [
                attention(q1, k1, v1, size ** -0.5,
                          lambda b, h, s, t: 0 if t <= old + s else -1e5).values,
                k1.values, v1.values]
    last = Tensor((2,), [2, 1], "i")
    yield "GroupQueryAttention of sequences with ends", model(
        "GroupQueryAttention",
        [("x", x), ("k", k), ("v", v), ("pk", None), ("pv", None), ("l", last),
         ("t", Tensor((1,), [steps], "i"))], ["y"], num_heads=heads, kv_num_heads=kept), x, [
            attention(split(x, heads), split(k, kept), split(v, kept), size ** -0.5,
                      lambda b, h, s, t: 0 if t <= min(s, last.values[b]) else -1e5).values]
    x = draw(rng, 2, steps, (heads + 2 * kept) * size)
    q, k, v = (split(Tensor.of((2, steps, n * size),
                               lambda b, s, i: x[b, s, first * size + i]), n)
               for first, n in ((0, heads), (heads, kept), (heads + kept, kept)))
    yield "GroupQueryAttention of one input, with a window and a cap", model(
        "GroupQueryAttention",
        [("x", x), ("k", None), ("v", None), ("pk", None), ("pv", None),
         ("l", Tensor((2,), [steps - 1] * 2, "i")), ("t", Tensor((1,), [steps], "i"))],
        ["y", "ok", "ov"], num_heads=heads, kv_num_heads=kept, local_window_size=2,
        softcap=2.0), x, [
            attention(q, k, v, size ** -0.5,
                      lambda b, h, s, t: 0 if s - 2 < t <= s else -1e5, 2.0).values,
            k.values, v.values]


def quantized(rng):
    """Bytes in, bytes out: computed in real numbers and rounded."""
    def real(t, scale, zero):
        return Tensor(t.shape, ((v - zero) * scale for v in t.values))

    def rounded(values, scale, zero):
        return [min(max(round(v / scale) + zero, 0), 255) for v in values]

    def number(value, code="f"):
        return Tensor((), [value], code)
    x, b = (Tensor((1, 2, 4, 4), (rng.randrange(256) for _ in range(32)), "B") for _ in range(2))
    scale, zero, y = 0.0371, 117, (0.0523, 131)
    a, c = real(x, scale, zero), real(b, 0.0217, 90)
    first = [("x", x), ("xs", number(scale)), ("xz", number(zero, "B"))]
    second = [("b", b), ("bs", number(0.0217)), ("bz", number(90, "B"))]
    last = [("ys", number(y[0])), ("yz", number(y[1], "B"))]
    for op, function in (("QLinearAdd", lambda u, v: u + v), ("QLinearMul", lambda u, v: u * v)):
        yield op, model(op, first + second + last, ["y"]), x, [
            rounded(map(function, a.values, c.values), *y)]
    for op, keys, function in (
            ("QLinearSigmoid", {}, lambda v: 1 / (1 + math.exp(-v))),
            ("QLinearLeakyRelu", {"alpha": 0.1}, lambda v: max(v, 0.1 * v))):
        yield op, model(op, first + last, ["y"], **keys), x, [
            rounded(map(function, a.values), *y)]
    yield "QLinearConcat", model("QLinearConcat", last + first + second, ["y"], axis=1), x, [
        rounded(a.values + c.values, *y)]
    means = Tensor.of((1, 2, 2, 2), lambda n, d, i, j: sum(
        a[n, d, 2 * i + r, 2 * j + s] for r in (0, 1) for s in (0, 1)) / 4)
    yield "QLinearAveragePool", model(
        "QLinearAveragePool", first + last, ["y"], kernel_shape=[2, 2], strides=[2, 2]), x, [
            rounded(means.values, *y)]
    x, w = (Tensor(s, (rng.randrange(256) for _ in range(s[0] * s[1])), "B")
            for s in ((3, 6), (4, 6)))
    added = Tensor((4,), (rng.randrange(-9000, 9000) for _ in range(4)), "i")
    operands = [("x", x), *first[1:], ("w", w), *second[1:], ("c", added)]
    product = Tensor.of((3, 4), lambda i, j: scale * 0.0217 * (added.values[j] + sum(
        (x[i, k] - zero) * (w[j, k] - 90) for k in range(6))))
    yield "QGemm", model("QGemm", [*operands, ("ys", number(4.1)), last[1]], ["y"], transB=1), x, [
        rounded(product.values, 4.1, y[1])]
    yield "QGemm to floats", model("QGemm", operands, ["y"], kind="f", transB=1), x, [
        product.values]
    x = Tensor((1, 2, 4, 4), (rng.randrange(256) for _ in range(32)), "B")
    a = real(x, scale, zero)
    first[0] = ("x", x)
    yield "QLinearGlobalAveragePool", model(
        "QLinearGlobalAveragePool", first + last, ["y"]), x, [
            rounded([sum(a.values[i:i + 16]) / 16 for i in (0, 16)], *y)]


def run(tools, name, data, x, wanted):
    """The largest difference of any output, in parts of its largest value if that is over 1."""
    files = {end: tools.path("net" + end) for end in (".onnx", ".txt", ".exe", ".npy")}
    with open(files[".onnx"], "wb") as file:
        file.write(data)
    common.write_npy(files[".npy"], x.shape, array.array(x.code, x.values))
    tools.yarrow("import", files[".onnx"], "-o", tools.folder)
    tools.yarrow("compile", files[".txt"], "--target", "X2_1204", "-o", files[".exe"])
    outputs = [tools.path(f"y{i}.npy") for i in range(len(wanted))]
    tools.yarrow("run", files[".exe"], "-i", files[".npy"], "-o", ",".join(outputs))
    worst = 0
    for path, values in zip(outputs, wanted):
        found = common.read_npy(path)[2]
        if not tools.check(len(found) == len(values),
                           f"{name}: {len(found)} values, not {len(values)}"):
            return math.inf
        most = max(1, *map(abs, values))
        worst = max([worst, *(abs(a - b) / most for a, b in zip(found, values))])
    return worst


def main():
    tools = common.arguments("Check operators of com.microsoft")
    rng, cases = random.Random(3), 0
    for family in (elementwise, norms, products, blocks, rotary, multi_head, packed, grouped,
                   quantized):
        for name, data, x, wanted in family(rng):
            worst = run(tools, name, data, x, wanted)
            print(f"{name:60} {worst:.1e}", flush=True)
            tools.check(worst <= TOLERANCE, f"{name}: differs by {worst}")
            cases += 1
    print(f"{cases} cases")
    tools.finish()


if __name__ == "__main__":
    main()
