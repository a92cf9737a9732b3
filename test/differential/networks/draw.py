"""What builders of operators draw with: tensors that are there, constants, shapes, new nodes.

Each tensor has a range and, if its values are multiples of a power of two that floats hold
exactly, that power. Operators with jumps (Floor, ArgMax, comparisons) read such tensors
alone, so that a difference in the last bit of a float cannot become a large one.

Example:
    d = Draw(random.Random(7), opset=17)
    x = d.input([1, 4])
    y = d.node("Relu", [x], x.shape, lo=0, hi=x.hi, bits=x.bits)
"""
import math
import random
from dataclasses import dataclass

import records
from graph import Constant, Graph, Value, count

MOST = 3000      # elements of a tensor
EXACT = 1 << 21  # steps that an exact tensor reaches
GRID = 3         # inputs are multiples of 2^-GRID
BUILDERS = {}    # operator: function of Draw
RECORDS = records.load()


class Unfit(Exception):
    """A builder cannot use what is there."""


def builder(*operators):
    def register(function):
        for name in operators:
            BUILDERS[name] = function
        return function
    return register


@dataclass
class Tensor:
    name: str
    shape: list
    kind: str = "f32"
    lo: float = -4.0
    hi: float = 4.0
    bits: int = None  # multiples of 2^-bits, exactly; None if rounded somewhere

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return count(self.shape)

    def most(self):
        return max(abs(self.lo), abs(self.hi))


class Draw:
    def __init__(self, rng, opset):
        self.rng = rng
        self.opset = opset
        self.graph = Graph(opset)
        self.tensors = []
        self.op = ""  # the operator that is built
        self.numbers = 0
        self.most = MOST
        self.shared = []  # weights that another layer can have, too
        self.computed_weights = False

    # Names, constants and inputs.

    def name(self, prefix="t"):
        self.numbers += 1
        return "%s%d" % (prefix, self.numbers)

    def chance(self, share):
        return self.rng.random() < share

    def input(self, shape, kind="f32", lo=-4, hi=4):
        name = "x%d" % len(self.graph.inputs)
        self.graph.inputs.append(Value(name, list(shape), kind))
        tensor = Tensor(name, list(shape), kind, lo, hi, GRID if kind == "f32" else 0)
        self.graph.known[name] = tensor
        self.tensors.append(tensor)
        return tensor

    def constant(self, shape, values, kind="f32", bits=None):
        """A constant of these values, as an initializer or as a node."""
        name = self.name("c")
        c = Constant(kind, list(shape), list(values))
        if self.chance(0.1) and kind != "f16":
            self.graph.add("Constant", [], [name], value=c)
        else:
            self.graph.constants[name] = c
        values = c.values or [0]
        return Tensor(name, c.shape, kind, min(values), max(values), bits)

    def weights(self, shape, size=2.0, bits=GRID):
        """Weights on a grid, so that sums of products stay exact."""
        step = 2.0 ** -bits
        most = max(1, int(size / step))
        if self.chance(0.1):  # those of another layer, or a tensor
            others = [t for t in self.shared if t.shape == list(shape) and t.bits == bits] + \
                [t for t in self.tensors if t.shape == list(shape) and t.kind == "f32" and
                 t.most() <= 8 and self.computed_weights]
            if others:
                return self.rng.choice(others)
        values = [self.rng.randint(-most, most) * step for _ in range(count(shape))]
        made = self.constant(shape, values, bits=bits)
        self.shared.append(made)
        return made

    def reals(self, shape, lo, hi):
        return self.constant(shape, [self.rng.uniform(lo, hi) for _ in range(count(shape))])

    def ints(self, values, kind="i64"):
        return self.constant([len(values)], values, kind, 0)

    def scalar(self, value, kind="f32", bits=None):
        shape = [1] if self.chance(0.2) and all(t.shape for t in self.tensors) else []
        return self.constant(shape, [value], kind, 0 if kind != "f32" else bits)

    # Tensors that are there.

    def pick(self, kind="f32", rank=None, exact=False, fits=lambda t: True):
        """A tensor, a late one rather than an early one."""
        ranks = range(9) if rank is None else [rank] if isinstance(rank, int) else rank
        found = [t for t in self.tensors if t.kind == kind and t.rank in ranks and t.size and
                 (not exact or t.bits is not None) and fits(t)]
        if not found:
            raise Unfit
        at = int(self.rng.expovariate(0.5))
        return found[-1 - at] if at < len(found) else self.rng.choice(found)

    def shaped(self, rank, kind="f32", exact=False):
        """A tensor of the rank: one that is there or a reshaped one."""
        ranks = [rank] if isinstance(rank, int) else list(rank)
        try:
            return self.pick(kind, ranks, exact)
        except Unfit:
            x = self.pick(kind, exact=exact)
            return self.reshape(x, self.factored(x.size, self.rng.choice(ranks)))

    def factored(self, size, rank):
        """A shape of so many elements."""
        shape = [1] * rank
        divisor = 2
        while size > 1:
            while size % divisor:
                divisor += 1
            small = min(range(rank), key=lambda i: (shape[i], self.rng.random()))
            at = small if self.chance(0.7) else self.rng.randrange(rank)
            shape[at] *= divisor
            size //= divisor
        if rank and self.chance(0.7) and 1 in shape:
            shape.remove(1)
            shape.insert(0, 1)
        return shape

    def image(self, least=1, exact=False):
        """One of rank 4 with height and width."""
        fits = lambda t: min(t.shape[2:]) >= least
        try:
            return self.pick(rank=4, exact=exact, fits=fits)
        except Unfit:
            x = self.shaped(4, exact=exact)
            if not fits(x):
                raise Unfit from None
            return x

    # New nodes.

    def node(self, op, inputs, shape, kind="f32", lo=-8.0, hi=8.0, bits=None, keep=True,
             domain="", **attributes):
        """The result of a node, with only those attributes that this version has."""
        if count(shape) > self.most or any(n <= 0 for n in shape):
            raise Unfit
        return self.nodes(op, inputs, [(shape, kind, lo, hi, bits)], keep, domain,
                          **attributes)[0]

    def nodes(self, op, inputs, results, keep=True, domain="", **attributes):
        record = RECORDS.get(op)
        if record and not domain:
            if not record.is_in(self.opset):
                raise Unfit
            attributes = {k: v for k, v in attributes.items() if record.has(k, self.opset)}
        attributes = {k: v for k, v in attributes.items() if v is not None}
        tensors = []
        for shape, kind, lo, hi, bits in results:
            if not lo <= hi or max(abs(lo), abs(hi)) > 1e6:
                raise Unfit
            if bits is not None and max(abs(lo), abs(hi)) * 2.0 ** bits > EXACT:
                bits = None
            if kind != "f32":
                bits = 0
            tensors.append(Tensor(self.name(), list(shape), kind, lo, hi, bits))
        self.graph.add(op, [i.name if i else "" for i in inputs], [t.name for t in tensors],
                       domain, **attributes)
        for t in tensors:
            self.graph.known[t.name] = t
            if keep:
                self.tensors.append(t)
        return tensors

    def like(self, op, x, *others, shape=None, **attributes):
        """A node whose values are among those of x."""
        return self.node(op, [x, *others], x.shape if shape is None else shape, x.kind, x.lo, x.hi,
                         x.bits, **attributes)

    def axes_in(self, op, since):
        """Whether axes and the like are an input in this version."""
        return self.opset >= since

    def reshape(self, x, shape):
        given = list(shape)
        if self.chance(0.3) and given:
            given[self.rng.randrange(len(given))] = -1
        return self.node("Reshape", [x, self.ints(given)], shape, x.kind, x.lo, x.hi, x.bits)

    def transpose(self, x, perm):
        return self.like("Transpose", x, shape=[x.shape[p] for p in perm], perm=list(perm))

    def tame(self, x, lo, hi):
        """x within a range, by one of several ways."""
        if lo <= x.lo and x.hi <= hi:
            return x
        way = self.rng.choice(("clip", "tanh", "affine") if x.bits is None else ("clip", "affine"))
        if way == "clip":
            return self.clip(x, lo, hi)
        if way == "tanh":
            x = self.node("Tanh", [x], x.shape, lo=-1, hi=1)
            factor, shift = (hi - lo) / 2, (hi + lo) / 2
        else:
            factor = (hi - lo) / max(x.hi - x.lo, 1e-3)
            shift = lo - x.lo * factor
        if lo < 0 < hi and min(-lo, hi) > 0.2 * max(-lo, hi):
            shift = 0.0
            factor = min(-lo, hi) / x.most()
        y = self.node("Mul", [x, self.scalar(factor)], x.shape, lo=lo - 1, hi=hi + 1)
        if shift:
            y = self.node("Add", [y, self.scalar(shift)], x.shape, lo=lo, hi=hi)
        y.lo, y.hi = lo, hi
        return y

    def clip(self, x, lo, hi):
        bits = x.bits
        if bits is not None:
            step = 2.0 ** -bits
            lo, hi = math.ceil(lo / step) * step, math.floor(hi / step) * step
            if lo > hi:
                raise Unfit
        lo, hi = float(lo), float(hi)
        if self.opset >= 11:
            inputs = [x, self.constant([], [lo]), self.constant([], [hi])]
            return self.node("Clip", inputs, x.shape, lo=max(lo, min(x.lo, hi)), hi=min(hi, max(x.hi, lo)), bits=bits)
        return self.node("Clip", [x], x.shape, lo=max(lo, min(x.lo, hi)), hi=min(hi, max(x.hi, lo)), bits=bits, min=lo, max=hi)

    def broadcast(self, *shapes):
        rank = max(len(s) for s in shapes)
        padded = [[1] * (rank - len(s)) + list(s) for s in shapes]
        result = []
        for lengths in zip(*padded):
            most = max(lengths)
            if any(n not in (1, most) for n in lengths):
                raise Unfit
            result.append(most)
        if count(result) > self.most:
            raise Unfit
        return result

    def partner_shape(self, shape):
        """A shape that broadcasts with this one: equal, fewer axes, ones, or more of either."""
        result = list(shape)
        way = self.rng.randrange(7)
        if way == 0:
            return result
        if way == 1:
            return result[self.rng.randint(0, len(result)):]
        if way == 2:
            return [n if self.chance(0.5) else 1 for n in result]
        if way == 3:
            return [1] * len(result)
        if way == 4:  # the channels of an image
            return [n if i == 1 else 1 for i, n in enumerate(result)][min(1, len(result)) if self.chance(0.5) else 0:]
        if way == 5:  # what has one element becomes longer
            return [n if n > 1 else self.rng.choice((1, 2, 3)) for n in result]
        result = [n if self.chance(0.5) else 1 for n in result][self.rng.randint(0, len(result)):]
        return [1] * self.rng.randint(0, max(0, 4 - len(result))) + result

    def partner(self, x, exact=False, lo=-4, hi=4):
        """Another operand for x: a tensor of a shape that fits or a constant."""
        others = []
        for t in self.tensors:
            try:
                if t.kind == x.kind and t.size and t.lo >= lo * 1e3 and (not exact or t.bits is not None):
                    self.broadcast(t.shape, x.shape)
                    others.append(t)
            except Unfit:
                pass
        if len(others) > 1 and self.chance(0.5):
            return self.rng.choice(others[-8:])
        shape = self.partner_shape(x.shape)
        if x.kind == "f32":
            if exact or self.chance(0.6):
                return self.weights(shape, min(-lo, hi) if lo < 0 else hi)
            return self.reals(shape, lo, hi)
        if x.kind == "bool":
            return self.constant(shape, [self.rng.randint(0, 1) for _ in range(count(shape))], "bool", 0)
        low = 0 if x.kind.startswith("u") else -5
        return self.constant(shape, [self.rng.randint(low, 5) for _ in range(count(shape))], x.kind, 0)

    def axis(self, x, least=0):
        """An axis of x, sometimes counted from the end: (as it is written, as it is)."""
        if x.rank <= least:
            raise Unfit
        at = self.rng.randrange(least, x.rank)
        return (at - x.rank if self.chance(0.4) else at), at
