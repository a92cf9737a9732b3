"""Builders of products: convolutions, matrices, sums over letters."""
from draw import Unfit, builder
from graph import count


def product(x, w, terms):
    """Range and exactness of sums of so many products."""
    most = x.most() * w.most() * max(1, terms)
    return dict(lo=-most, hi=most, bits=None if None in (x.bits, w.bits) else x.bits + w.bits)


def window(d, lengths, kernel_max=3, with_dilations=True, auto=True):
    """Attributes of a window over axes of these lengths, and the lengths that it leaves."""
    rng = d.rng
    while True:
        kernel = [rng.randint(1, min(kernel_max, n + 1)) for n in lengths]
        strides = [rng.choice((1, 1, 1, 2, 3)) for _ in lengths]
        dilations = [rng.choice((1, 1, 1, 2)) if with_dilations else 1 for _ in lengths]
        reach = [(k - 1) * s + 1 for k, s in zip(kernel, dilations)]
        attributes = {"kernel_shape": kernel}
        if any(s != 1 for s in strides) or d.chance(0.3):
            attributes["strides"] = strides
        if any(n != 1 for n in dilations):
            attributes["dilations"] = dilations
        if auto and d.chance(0.2):
            way = rng.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
            attributes["auto_pad"] = way
            if way == "VALID":
                left = [(n - r) // s + 1 for n, r, s in zip(lengths, reach, strides)]
            else:
                if dilations != [1] * len(lengths):
                    continue
                left = [-(-n // s) for n, s in zip(lengths, strides)]
                if any((out - 1) * s + k < n for out, s, k, n in
                       zip(left, strides, kernel, lengths)):
                    continue
            pads = [0] * (2 * len(lengths))
        else:
            pads = [rng.randint(0, k - 1) if d.chance(0.5) else (r - 1) // 2 for k, r in
                    list(zip(kernel, reach)) * 2]
            pads = [min(p, k - 1) for p, k in zip(pads, kernel * 2)]
            if any(pads) or d.chance(0.2):
                attributes["pads"] = pads
            n = len(lengths)
            left = [(lengths[i] + pads[i] + pads[i + n] - reach[i]) // strides[i] + 1
                    for i in range(n)]
        if any(all(not 0 <= o * s - p + k * m < n for k in range(w))
               for n, w, s, m, p, out in zip(lengths, kernel, strides, dilations, pads, left)
               for o in range(out)):
            continue  # a window that sees the padding alone
        if all(r <= n + pads[i] + pads[i + len(lengths)]
               for i, (r, n) in enumerate(zip(reach, lengths))) and min(left) > 0:
            return attributes, left


@builder("Conv")
def conv(d):
    x = d.shaped((3, 4, 4, 4, 5))
    attributes, left = window(d, x.shape[2:])
    channels = x.shape[1]
    group = d.rng.choice([g for g in (1, 1, 2, 3, 4, channels) if channels % g == 0])
    out = group * d.rng.choice((1, 2)) if group > 1 else d.rng.choice((1, 3, 4, 8))
    kernel = attributes["kernel_shape"]
    w = d.weights([out, channels // group, *kernel], 1.0)
    inputs = [x, w]
    if d.chance(0.6):
        inputs.append(d.weights([out], 2.0))
    if d.chance(0.3):
        del attributes["kernel_shape"]
    if group > 1 or d.chance(0.2):
        attributes["group"] = group
    return d.node("Conv", inputs, [x.shape[0], out, *left], **attributes,
                  **product(x, w, count(w.shape[1:]) + 2))


@builder("ConvTranspose")
def conv_transpose(d):
    x = d.shaped((3, 4, 4))
    n = x.rank - 2
    kernel = [d.rng.randint(1, 3) for _ in range(n)]
    strides = [d.rng.choice((1, 2, 2, 3)) for _ in range(n)]
    dilations = [d.rng.choice((1, 1, 1, 2)) for _ in range(n)]
    pads = [d.rng.randint(0, k - 1) for k in kernel * 2]
    extra = [d.rng.choice((0, 0, s - 1)) for s in strides]
    left = [(x.shape[2 + i] - 1) * strides[i] + extra[i] + (kernel[i] - 1) * dilations[i] + 1 -
            pads[i] - pads[i + n] for i in range(n)]
    channels = x.shape[1]
    group = d.rng.choice([g for g in (1, 1, 2, channels) if channels % g == 0])
    out = d.rng.choice((1, 2, 3))
    w = d.weights([channels, out, *kernel], 1.0)
    inputs = [x, w] + ([d.weights([out * group])] if d.chance(0.5) else [])
    return d.node("ConvTranspose", inputs, [x.shape[0], out * group, *left], strides=strides,
                  pads=pads, group=group, dilations=dilations,
                  output_padding=extra if any(extra) else None, kernel_shape=kernel,
                  **product(x, w, count(w.shape) // out + 2))


@builder("Gemm")
def gemm(d):
    x = d.shaped(2)
    left, across = int(d.chance(0.3)), int(d.chance(0.5))
    rows, depth = x.shape[::-1] if left else x.shape
    out = d.rng.choice((1, 3, 8))
    w = d.weights([out, depth] if across else [depth, out], 1.0)
    inputs = [x, w]
    if d.chance(0.7) or d.opset < 11:
        shape = d.rng.choice(([out], [1, out], [rows, 1], [rows, out], [1], [1, 1], []))
        if d.opset < 7:
            shape = [rows, out]
        inputs.append(d.weights(shape))
    return d.node("Gemm", inputs, [rows, out], transA=left or None, transB=across or None,
                  alpha=d.rng.choice((None, 0.5, 2.0)), beta=d.rng.choice((None, 0.5, 1.0)),
                  **product(x, w, 2 * depth + 8) | {"bits": None})


@builder("MatMul")
def matmul(d):
    x = d.pick()
    way = d.rng.randrange(4)
    if way == 0 and x.rank >= 2:  # a tensor and another one
        others = [t for t in d.tensors if t.kind == "f32" and t.rank >= 2 and
                  t.shape[-2] == x.shape[-1]]
        y = d.rng.choice(others) if others and d.chance(0.6) else \
            d.transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])
        if x.most() * y.most() * x.shape[-1] > 1e4:
            y = d.tame(y, -2, 2)
        batch = d.broadcast(x.shape[:-2], y.shape[:-2])
        return d.node("MatMul", [x, y], [*batch, x.shape[-2], y.shape[-1]],
                      **product(x, y, x.shape[-1]))
    if x.rank == 0:
        raise Unfit
    out = d.rng.choice((1, 2, 5, 8))
    if way == 1 and x.rank >= 2:  # the constant first
        w = d.weights([out, x.shape[-2]], 1.0)
        return d.node("MatMul", [w, x], [*x.shape[:-2], out, x.shape[-1]],
                      **product(x, w, x.shape[-2]))
    if way == 2:
        w = d.weights([x.shape[-1]], 1.0)
        return d.node("MatMul", [x, w], x.shape[:-1], **product(x, w, x.shape[-1]))
    front = d.partner_shape(x.shape[:-2]) if x.rank > 2 and d.chance(0.3) else []
    w = d.weights([*front, x.shape[-1], out], 1.0)
    batch = d.broadcast(x.shape[:-2], front)
    rows = x.shape[-2:-1]
    return d.node("MatMul", [x, w], [*batch, *rows, out], **product(x, w, x.shape[-1]))


# Letters of the operands: what becomes of a tensor x, and the shape of the other operand.
EQUATIONS = {2: ("ij->ji", "ij,jk->ik", "ij->i", "ij,ij->ij", "ij,j->i", "ij,kj->ki", "ij->"),
             3: ("bij,bjk->bik", "bij,jk->bik", "bij->bji", "bij,bkj->bik", "...ij,jk->...ik"),
             4: ("bhqd,bhkd->bhqk", "bhwc,hkc->bhwk", "bchw->bhwc", "nctw,vw->nctv", "bhwc->bc")}


@builder("Einsum")
def einsum(d):
    x = d.shaped((2, 3, 4))
    equation = d.rng.choice(EQUATIONS[x.rank])
    terms, result = equation.replace("...", "z").split("->")
    terms = terms.split(",")
    lengths = dict(zip(terms[0], x.shape))
    operands = [x]
    if len(terms) > 1:
        for letter in terms[1]:
            lengths.setdefault(letter, d.rng.choice((1, 2, 3, 4)))
        operands.append(d.weights([lengths[c] for c in terms[1]], 1.0))
    summed = count([n for c, n in lengths.items() if c not in result])
    w = operands[-1] if len(operands) > 1 else d.scalar(1.0, bits=0)
    return d.node("Einsum", operands, [lengths[c] for c in result], equation=equation,
                  **product(x, w, summed))
