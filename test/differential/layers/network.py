"""Networks of layers of any format, with what each layer computes as a function of numpy.

Tensors have an element type as in ../networks/graph.py (f32, i8, ...); those with a scale are
stored as integers, and the functions compute with the real numbers that they stand for.

Example:
    results = network.evaluate({"x0": [sample, ...]})       # name: list of samples
"""
import math
import os
import random
import sys
from dataclasses import dataclass

import numpy

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../networks"))
from graph import Graph, Node  # noqa: E402

ENDS = {"i8": (-128, 127), "u8": (0, 255), "i16": (-32768, 32767), "u16": (0, 65535),
        "i32": (-2**31, 2**31 - 1), "i64": (-2**62, 2**62)}
DTYPES = {"f32": numpy.float32, "i8": numpy.int8, "u8": numpy.uint8, "i16": numpy.int16,
          "u16": numpy.uint16, "i32": numpy.int32, "bool": numpy.uint8, "u32": numpy.uint32,
          "i64": numpy.int64}
GRID = 1024.0  # what are multiples of its inverse, and not large, floats hold exactly
LARGE = 8192.0


@dataclass
class Tensor:
    """A tensor that is drawn: its samples, and how it is stored."""
    name: str
    values: list         # of arrays, one a sample
    kind: str = "f32"
    scale: float = None  # real = (stored - zero) * scale
    zero: int = 0
    is_constant: bool = False
    limits: tuple = None  # of an input's real numbers
    ir: tuple = None      # of integers of the IR: its scale and zero point

    @property
    def shape(self):
        return list(self.values[0].shape)

    @property
    def rank(self):
        return self.values[0].ndim

    @property
    def size(self):
        return int(self.values[0].size)

    @property
    def lo(self):
        return min(float(v.min()) for v in self.values)

    @property
    def hi(self):
        return max(float(v.max()) for v in self.values)

    @property
    def most(self):
        return max(abs(self.lo), abs(self.hi))

    def stored(self, values):
        """The integers of real numbers."""
        if self.scale is None:
            return values
        low, high = ENDS[self.kind]
        return numpy.clip(numpy.rint(values / self.scale) + self.zero, low, high)

    def of_stored(self, values):
        """The real numbers that stored ones stand for; plain integers stay."""
        if self.ir:
            return (numpy.asarray(values, dtype=float) + self.ir[1]) / self.ir[0]
        if self.scale is not None:
            return (numpy.asarray(values, dtype=float) - self.zero) * self.scale
        return values

    def rounded(self, values):
        """What the tensor holds of real numbers."""
        if self.scale is None:
            return values
        return (self.stored(values) - self.zero) * self.scale


    def drawn(self, seed, number):
        """Samples of an input, as they are stored: one array for each."""
        rng = random.Random("%d:%s" % (seed, self.name))
        lo, hi = self.limits or (self.lo, self.hi)
        n = number * self.size
        if self.kind != "f32" and self.scale is None:
            drawn = [rng.randint(math.ceil(lo), math.floor(hi)) for _ in range(n)]
        else:
            if hi - lo > 8:
                lo, hi = (max(lo, -4), min(hi, 4)) if lo < 4 and hi > -4 else (lo, lo + 8)
            step = 8 if hi - lo >= 1 else 64
            first, last = math.ceil(lo * step), math.floor(hi * step)
            drawn = [rng.randint(first, last) / step if first <= last else rng.uniform(lo, hi)
                     for _ in range(n)]
        dtype = DTYPES[self.kind]
        stored = self.stored(numpy.array(drawn, dtype=float)).astype(dtype)
        return list(stored.reshape([number, *self.shape]))


@dataclass
class Layer(Node):
    """A layer; \\ref reference computes arrays from arrays, None if nobody knows."""
    reference: object = None


class Network(Graph):
    HAS_FUNCTIONS = True

    def heading(self):
        return self.opset  # the format's name

    def layer(self, op, inputs, outputs, reference, **keys):
        self.nodes.append(Layer(op, list(inputs), list(outputs), keys, "", reference))

    def rename(self, mapping):
        super().rename(mapping)
        self.known = {mapping.get(k, k): v for k, v in self.known.items()}

    def evaluate(self, samples, noise=None):
        """Samples of all outputs by name; None where a layer has no function.

        With \\p noise, a generator of random numbers, every layer's result is disturbed as
        rounding could: in its last bits, or by a step of its scale.
        """
        found = {name: [] for name in (v.name for v in self.outputs)}
        for number in range(len(next(iter(samples.values())))):
            known = {name: list(c.values) and numpy.reshape(c.values, c.shape)
                     for name, c in self.constants.items()}
            for name in known:
                known[name] = self.real(name, known[name])
            known.update((name, self.real(name, all_[number])) for name, all_ in samples.items())
            for layer in self.nodes:
                if layer.reference is None:
                    return None
                results = layer.reference(*[known[i] for i in layer.inputs if i])
                results = results if isinstance(results, tuple) else (results,)
                for name, result in zip(layer.outputs, results):
                    tensor = self.known[name]
                    if noise is not None:
                        result = disturbed(result, tensor, noise)
                    known[name] = tensor.rounded(result)
            for name in found:
                found[name].append(numpy.asarray(known[name]))
        return found

    def real(self, name, stored):
        """The real numbers of stored constants and inputs."""
        tensor = self.known.get(name)
        if tensor is None or tensor.scale is None:
            stored = numpy.asarray(stored)
            return stored.astype(float if stored.dtype.kind == "f" else numpy.int64)
        return tensor.of_stored(stored)


def disturbed(values, tensor, noise):
    if tensor.scale is not None:
        return values + noise.uniform(-1, 1, numpy.shape(values)) * tensor.scale
    if tensor.kind != "f32":
        return values
    exact = numpy.all(values * GRID == numpy.rint(values * GRID)) and \
        numpy.all(numpy.abs(values) < LARGE)
    if exact:
        return values
    most = numpy.max(numpy.abs(values), initial=0)
    return values * (1 + noise.uniform(-1, 1, numpy.shape(values)) * 2e-7) + \
        noise.uniform(-1, 1, numpy.shape(values)) * most * 6e-8
