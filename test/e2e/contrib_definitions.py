"""Operators of com.microsoft by their definitions, and models of one node, in plain Python.

    Tensor.of((2, 3), lambda i, j: i + j)
    model("Gelu", [("x", x)], ["y"])
"""
import array
import itertools
import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lit"))
import onnx  # writes small models

ELEMENTS = {"f": 1, "B": 2, "b": 3, "i": 6, "q": 7}  # of ONNX, by type codes of arrays


class Tensor:
    """Numbers with a shape; t[i, j] is an element, t.rows() are lists along the last axis."""

    def __init__(self, shape, values, code="f"):
        self.shape, self.code = tuple(shape), code
        self.values = list(array.array(code, values))

    @classmethod
    def of(cls, shape, element):
        """element(i, j, ...) gives the values."""
        return cls(shape, [element(*at) for at in itertools.product(*map(range, shape))])

    def __getitem__(self, at):
        index = 0
        for i, length in zip(at, self.shape):
            index = index * length + i
        return self.values[index]

    def raw(self):
        return struct.pack(f"<{len(self.values)}{self.code}", *self.values)

    def initializer(self, name):
        return onnx.field(5, b"".join(onnx.field(1, n) for n in self.shape) +
                          onnx.field(2, ELEMENTS[self.code]) + onnx.field(8, name) +
                          onnx.field(9, self.raw()))


def draw(rng, *shape, spread=1.0):
    return Tensor(shape, (rng.gauss(0, spread) for _ in range(math.prod(shape))))


def model(op, operands, results, domain="com.microsoft", kind=None, **attributes):
    """Operands by name, None where one is left out; x is the input."""
    node = onnx.node(op, [name if t else "" for name, t in operands], results, op, **attributes)
    node = onnx.field(1, node[len(onnx.varint(10)) + len(onnx.varint(len(body(node)))):] +
                      onnx.field(7, domain))
    graph = node + b"".join(t.initializer(name) for name, t in operands if t and name != "x")
    graph += b"".join(onnx.value(11, name, t.shape, ELEMENTS[t.code]) for name, t in operands if name == "x")
    kind = ELEMENTS[kind or ("B" if op.startswith("Q") and op != "QuickGelu" else "f")]
    graph += b"".join(onnx.value(12, name, [], kind) for name in results if name)
    contrib = onnx.field(8, onnx.field(1, "com.microsoft") + onnx.field(2, 1))
    return onnx.model(graph) + contrib


def body(message):
    """What a field of bytes holds."""
    at, size, shift = 1, 0, 0
    while True:
        size |= (message[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if message[at - 1] < 128:
            return message[at:at + size]


#===-- Definitions ----------------------------------------------------------===#

def normalised(row, epsilon, is_rms):
    mean = 0 if is_rms else sum(row) / len(row)
    power = sum((v - mean) ** 2 for v in row) / len(row)
    return [(v - mean) / math.sqrt(power + epsilon) for v in row]


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def fast_gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def split(t, heads):
    """[batch, steps, heads * size] as [batch, heads, steps, size]."""
    batch, steps, columns = t.shape
    size = columns // heads
    return Tensor.of((batch, heads, steps, size), lambda b, h, s, i: t[b, s, h * size + i])


def joined(past, t):
    """Cached steps, then those of t."""
    if not past:
        return t
    old = past.shape[2]
    return Tensor.of((*t.shape[:2], old + t.shape[2], t.shape[3]),
                     lambda b, h, s, i: past[b, h, s, i] if s < old else t[b, h, s - old, i])


def attention(q, k, v, scale, bias=lambda b, h, s, t: 0, cap=0):
    """[batch, heads, steps, size] each; several heads of queries share one of keys."""
    batch, heads, steps, size = q.shape
    shared, total, width = heads // k.shape[1], k.shape[2], v.shape[3]
    values = []
    for b, s, h in itertools.product(range(batch), range(steps), range(heads)):
        scores = []
        for t in range(total):
            score = scale * sum(q[b, h, s, i] * k[b, h // shared, t, i] for i in range(size))
            scores.append((cap * math.tanh(score / cap) if cap else score) + bias(b, h, s, t))
        most = max(scores)
        powers = [math.exp(score - most) for score in scores]
        whole = sum(powers)
        values += [sum(p * v[b, h // shared, t, i] for t, p in enumerate(powers)) / whole
                   for i in range(width)]
    return Tensor((batch, steps, heads * width), values)


def turned(t, cos, sin, position, interleaved=False):
    """[batch, heads, steps, size] by the angles of position(batch, step)."""
    half = cos.shape[1]

    def element(b, h, s, i):
        if i >= 2 * half:
            return t[b, h, s, i]
        pair = i // 2 if interleaved else i % half
        is_second = i % 2 == 1 if interleaved else i >= half
        other = (i ^ 1) if interleaved else (i + half if i < half else i - half)
        c, d = (m[position(b, s), pair] for m in (cos, sin))
        return t[b, h, s, i] * c + t[b, h, s, other] * (d if is_second else -d)
    return Tensor.of(t.shape, element)


def angles(rng, positions, half):
    values = [rng.uniform(0, 6) for _ in range(positions * half)]
    return (Tensor((positions, half), map(math.cos, values)),
            Tensor((positions, half), map(math.sin, values)))
