"""What formats have in common whose tensors can be stored as integers with a scale.

The style of a network is float, or a type of integers for all tensors of real numbers.
"""
import numpy
from drawing import BUILDERS, Unfit
from network import ENDS, Tensor  # noqa: F401


class StoredForm:
    """A format's form; \\ref kind is None for floats, else the type of the integers."""
    KEY = None
    KINDS = ()
    HAS_NEGATIVE_AXES = False
    HAS_SHORT_OPERANDS = True
    COMMON = ()  # operators that are drawn more often

    def __init__(self, kind=None):
        self.kind = kind
        self.NAME = self.KEY + (" " + kind if kind else "")

    @classmethod
    def style(cls, rng):
        return cls(rng.choice(cls.KINDS))

    def operators(self):
        names = sorted(BUILDERS[self.KEY])
        return names + [n for n in names if n in self.COMMON] * 4

    def other_input(self, d):
        """Indices, sometimes."""
        if d.chance(0.15):
            d.input([1, d.rng.randint(1, 5)], "i32", -5, 5)

    def scale_of(self, d, lo, hi, kind=None):
        """Scale and zero point of a range, which contains 0."""
        low, high = ENDS[kind or self.kind]
        lo, hi = min(lo, 0.0), max(hi, 0.0)
        if (kind or self.kind) == "i16" or d.chance(0.2):
            scale = max(-lo, hi, 0.01) / ((high - low) // 2)
            return float(numpy.float32(scale)), (low + high + 1) // 2
        scale = max(hi - lo, 0.01) / (high - low)
        return float(numpy.float32(scale)), int(numpy.clip(numpy.rint(low - lo / scale), low, high))

    def quantized(self, d, tensor, like=None):
        if not self.kind or tensor.kind != "f32":
            return tensor
        tensor.kind = self.kind
        if like is not None:
            tensor.kind, tensor.scale, tensor.zero = like.kind, like.scale, like.zero
        else:
            lo, hi = tensor.limits or (tensor.lo, tensor.hi)
            if d.chance(0.1):  # that saturates
                lo, hi = lo * 0.7, hi * 0.7
            tensor.scale, tensor.zero = self.scale_of(d, lo, hi)
        tensor.values = [tensor.rounded(v) for v in tensor.values]
        return tensor

    def input_kind(self, d):
        """Type, least and greatest value of an input."""
        return "f32", -4, 4

    def described(self, d, tensor):
        """What a format says of an input besides."""

    def can_meet(self, x, y):
        return x.kind == y.kind and (x.scale is None) == (y.scale is None)

    def operand(self, d, x, array):
        """A constant that a layer takes as it takes activations."""
        if not self.kind:
            return d.constant(array)
        scale, zero = self.scale_of(d, float(array.min()), float(array.max()))
        return d.constant(array, self.kind, scale, zero)

    def filters(self, d, w, axis):
        """Weights, with a scale for each channel of the axis or one."""
        if not self.kind:
            return d.constant(w)
        kind = "u8" if self.kind == "u8" and d.chance(0.7) else "i8"
        if kind == "u8":
            scale, zero = self.scale_of(d, float(w.min()), float(w.max()), "u8")
            return d.constant(w, "u8", scale, zero)
        if axis is None or d.chance(0.4):
            return d.constant(w, "i8", float(numpy.float32(max(numpy.abs(w).max(), 0.01) / 127)))
        others = tuple(i for i in range(w.ndim) if i != axis)
        most = numpy.maximum(numpy.abs(w).max(others, keepdims=True), 0.01)
        return d.constant(w, "i8", (most / 127).astype(numpy.float32).astype(float))

    def biases(self, d, b, x, w, wide="i32"):
        """At the scale of the products."""
        if not self.kind:
            return d.constant(b)
        return d.constant(b, wide, numpy.ravel(w.scale) * x.scale if numpy.size(w.scale) > 1 else
                          float(numpy.ravel(w.scale)[0]) * x.scale)


def need_real(t):
    if t.kind != "f32" and t.scale is None:
        raise Unfit
