"""What builders of layers draw with: tensors that are there, constants, new layers.

A tensor carries the values that it has for all samples, so a builder gives a function of numpy
and needs no rules for shapes and ranges.

Example:
    d = Draw(random.Random(7), form)
    x = d.input([1, 4, 4, 3])
    y = d.layer("Reduce", [x], lambda v: v.mean((1, 2), keepdims=True), method="MEAN", axis=[1, 2])
"""
import math
import random

import network  # noqa: F401 (it finds the modules of ../networks)
import numpy
import values
from graph import Constant, Value
from network import Network, Tensor

MOST = 3000        # elements of a tensor
REACH = 1000.0     # of its values
BUILDERS = {}      # format: {operator: function of Draw}
DTYPES = {"f32": float}


class Unfit(Exception):
    """A builder cannot use what is there."""


def builder(form, *operators):
    def register(function):
        for name in operators:
            BUILDERS.setdefault(form, {})[name] = function
        return function
    return register


class Draw:
    def __init__(self, rng, form, seed):
        self.rng, self.form, self.seed = rng, form, seed
        self.network = Network(form.NAME)
        self.tensors = []
        self.numbers = 0
        self.op = ""
        self.most = MOST

    def chance(self, share):
        return self.rng.random() < share

    def name(self, prefix):
        self.numbers += 1
        return "%s%d" % (prefix, self.numbers)

    # Inputs and constants.

    def input(self, shape, kind=None, lo=-4, hi=4):
        if kind is None:
            kind, lo, hi = self.form.input_kind(self)
        name = "x%d" % len(self.network.inputs)
        tensor = Tensor(name, [numpy.full(shape, lo), numpy.full(shape, hi)], kind, limits=(lo, hi))
        if kind == "f32":
            tensor = self.form.quantized(self, tensor)
        stored = tensor.drawn(self.seed, values.SAMPLES)
        tensor.values = [(v.astype(float) - tensor.zero) * (tensor.scale or 1) for v in stored]
        if not self.is_kind(tensor, "f32"):
            tensor.values = [v.astype(int) for v in stored]
        self.network.inputs.append(Value(name, list(shape), tensor.kind))
        self.form.described(self, tensor)
        self.network.known[name] = tensor
        self.tensors.append(tensor)
        return tensor

    def constant(self, array, kind="f32", scale=None, zero=0):
        """A constant of these real numbers, stored with the scale if it has one."""
        name = self.name("c")
        array = numpy.asarray(array, dtype=DTYPES.get(kind, int if scale is None else float))
        if kind == "f32":
            array = array.astype(numpy.float32).astype(float)
        tensor = Tensor(name, [array] * values.SAMPLES, kind, scale, zero, True)
        stored = tensor.stored(array)
        tensor.values = [tensor.rounded(array)] * values.SAMPLES
        self.network.constants[name] = Constant(kind, tensor.shape, numpy.ravel(stored).tolist())
        self.network.known[name] = tensor
        return tensor

    def numbers_of(self, shape, lo, hi):
        """Random reals, mostly on a coarse grid, so that sums of products are exact."""
        n = math.prod(shape)
        if self.chance(0.6) and hi - lo >= 0.5:
            found = [self.rng.randint(math.ceil(lo * 8), math.floor(hi * 8)) / 8 for _ in range(n)]
        else:
            found = [self.rng.uniform(lo, hi) for _ in range(n)]
        return numpy.array(found, dtype=numpy.float32).astype(float).reshape(shape)

    def weights(self, shape, lo=-1.0, hi=1.0):
        return self.constant(self.numbers_of(shape, lo, hi))

    def ints(self, array, kind="i32"):
        return self.constant(array, kind)

    # Tensors that are there.

    def pick(self, kind="f32", rank=None, fits=lambda t: True):
        """A tensor, a late one rather than an early one."""
        ranks = range(1, 7) if rank is None else [rank] if isinstance(rank, int) else rank
        found = [t for t in self.tensors if self.is_kind(t, kind) and t.rank in ranks and t.size and
                 fits(t)]
        if not found:
            raise Unfit
        at = int(self.rng.expovariate(0.5))
        return found[-1 - at] if at < len(found) else self.rng.choice(found)

    def is_kind(self, tensor, kind):
        """Whether it holds real numbers (f32), or plain integers of a type."""
        real = tensor.kind == "f32" or tensor.scale is not None
        return real if kind == "f32" else not real and (kind is None or tensor.kind == kind)

    def shaped(self, rank, kind="f32", fits=lambda t: True):
        """A tensor of the rank: one that is there or a reshaped one."""
        ranks = [rank] if isinstance(rank, int) else list(rank)
        try:
            return self.pick(kind, ranks, fits)
        except Unfit:
            x = self.pick(kind)
            x = self.reshape(x, self.factored(x.size, self.rng.choice(ranks)))
            if not fits(x):
                raise Unfit from None
            return x

    def factored(self, size, rank):
        """A shape of so many elements."""
        shape, divisor = [1] * rank, 2
        while size > 1:
            while size % divisor:
                divisor += 1
            shape[self.rng.randrange(rank)] *= divisor
            size //= divisor
        if rank > 1 and self.chance(0.8) and 1 in shape:
            shape.remove(1)
            shape.insert(0, 1)
        return shape

    def image(self, least=1, rank=4):
        return self.shaped(rank, fits=lambda t: min(t.shape[1:-1]) >= least)

    def reshape(self, x, shape):
        return self.form.reshape(self, x, list(shape))

    def within(self, lo, hi, rank=None):
        """A tensor with values in a range, if need be clipped."""
        x = self.pick(rank=rank)
        if lo <= x.lo and x.hi <= hi:
            return x
        return self.form.clip(self, x, lo, hi)

    def axis(self, x, least=0):
        """An axis of x: (as it is written, as it is)."""
        if x.rank <= least:
            raise Unfit
        at = self.rng.randrange(least, x.rank)
        return (at - x.rank if self.form.HAS_NEGATIVE_AXES and self.chance(0.3) else at), at

    def axes(self, x):
        return sorted(self.rng.sample(range(x.rank), self.rng.randint(1, min(3, x.rank))))

    def partner_shape(self, shape):
        """A shape that broadcasts with this one."""
        way = self.rng.randrange(5)
        if way < 2:
            return list(shape)
        if way == 2 and self.form.HAS_SHORT_OPERANDS:
            return list(shape[self.rng.randint(0, len(shape) - 1):])
        if way == 3:
            return [1] * (len(shape) - 1) + [shape[-1]]
        return [n if self.chance(0.5) else 1 for n in shape]

    def partner(self, x, lo=-3.0, hi=3.0):
        """Another operand for x: a tensor of a shape that fits or a constant."""
        others = [t for t in self.tensors if t is not x and self.is_kind(t, "f32") and
                  lo <= t.lo and t.hi <= hi and fits(t.shape, x.shape) and
                  (self.form.HAS_SHORT_OPERANDS or t.rank == x.rank) and
                  self.form.can_meet(x, t)]
        if others and self.chance(0.5):
            return self.rng.choice(others[-6:])
        return self.form.operand(self, x, self.numbers_of(self.partner_shape(x.shape), lo, hi))

    # New layers.

    def layer(self, op, inputs, reference, kinds=("f32",), keep=True, like=None, **keys):
        """The results of a layer, whose function is given; one result, or a list.

        \\p like is the tensor whose scale results keep.
        """
        results = [reference(*[t.values[i] for t in inputs if t])
                   for i in range(values.SAMPLES)]
        results = [r if isinstance(r, tuple) else (r,) for r in results]
        tensors = []
        for number, kind in enumerate(kinds):
            samples = [numpy.asarray(r[number]) for r in results]
            if any(not v.size or v.size > self.most or v.ndim > 6 or not v.ndim
                   for v in samples):
                raise Unfit
            if kind == "f32" and not all(numpy.isfinite(v).all() and numpy.abs(v).max() <= REACH
                                         for v in samples):
                raise Unfit
            tensor = Tensor(self.name("t"), samples, kind)
            if kind == "f32":
                tensor = self.form.quantized(self, tensor, like)
            tensors.append(tensor)
        self.network.layer(op, [t.name if t else "" for t in inputs], [t.name for t in tensors],
                           reference, **{k: v for k, v in keys.items() if v is not None})
        for tensor in tensors:
            self.network.known[tensor.name] = tensor
            if keep:
                self.tensors.append(tensor)
        return tensors[0] if len(tensors) == 1 else tensors


def fits(a, b):
    """Whether shapes broadcast to b."""
    return len(a) <= len(b) and all(m in (1, n) for m, n in zip(a[::-1], b[::-1]))


def choose_outputs(d):
    """Tensors that nobody reads are outputs, at most four."""
    net = d.network
    read = {name for layer in net.nodes for name in layer.reads()}
    made = [name for layer in net.nodes for name in layer.outputs]
    ends = [net.known[name] for name in made if name not in read]
    if len(ends) > 4:
        ends = d.rng.sample(ends, 4)
    inner = [n for n in made if n in read]
    if inner and d.chance(0.15):
        ends.append(net.known[d.rng.choice(inner)])
    if not ends:
        raise Unfit
    net.outputs = [Value(t.name, t.shape, t.kind) for t in ends]


def first_input(d):
    rng = d.rng
    batch = rng.choice((1,) * 7 + (2,))
    kind = rng.choice(("image", "image", "image", "sequence", "vector", "any"))
    if kind == "image":
        d.input([batch, rng.randint(1, 9), rng.randint(1, 9), rng.choice((1, 3, 4, 6, 8))])
    elif kind == "sequence":
        d.input([batch, rng.randint(1, 8), rng.choice((1, 4, 6, 8, 12))])
    elif kind == "vector":
        d.input([batch, rng.choice((1, 4, 10, 16))])
    else:
        d.input([rng.choice((1, 1, 2, 3)) for _ in range(rng.randint(1, 4))] + [rng.randint(1, 6)])


def draw_network(form, seed):
    """A network; the same for the same seed."""
    rng = random.Random("%s %d" % (form.KEY, seed))
    while True:
        d = Draw(rng, form.style(rng), seed)
        wanted = rng.choice((3, 4, 5, 6, 8, 10, 12, 16, 20, 28, 36))
        if d.chance(0.05):  # more than a small memory holds
            d.most, wanted = 60000, min(wanted, 8)
            d.input([1, rng.randint(20, 40), rng.randint(20, 40), rng.choice((3, 8, 16))])
        else:
            first_input(d)
        if d.chance(0.3):
            first = d.tensors[-1]
            d.input(rng.choice((first.shape, [1, 4], [2, 3])))
        d.form.other_input(d)
        names = d.form.operators()
        if d.chance(0.4):  # a few kinds that meet often
            names = rng.sample(names, min(len(names), rng.randint(3, 8)))
        for _ in range(6 * wanted):
            before = len(d.network.nodes), len(d.tensors)
            try:
                d.op = rng.choice(names)
                with numpy.errstate(all="ignore"):
                    BUILDERS[d.form.KEY][d.op](d)
            except (Unfit, IndexError):  # or a choice among nothing
                del d.network.nodes[before[0]:]
                del d.tensors[before[1]:]
            if len(d.network.nodes) >= wanted:
                break
        try:
            choose_outputs(d)
        except Unfit:
            continue
        small = d.network.pruned()
        if small.inputs and 3 <= len(small.nodes) <= 40:
            return small
