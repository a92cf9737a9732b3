"""Whole networks drawn by chance.

Example:
    graph = network(1234)
    graph.inputs, graph.nodes, graph.opset
"""
import random

import axes, contrib, contrib_stored, control, elementwise, images, indices, movement, norms, products, quantized, sequences, spectra, windows  # noqa: E401,F401 (they register builders)
import patterns
import records
from draw import BUILDERS, MOST, RECORDS, Draw, Tensor, Unfit
from graph import Value, count

OPSETS = (7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24)
# Operators that go on from tensors of other kinds than floats.
READERS = {"bool": ("Not", "And", "Or", "Xor", "Where", "Where", "Cast"),
           "i64": ("OneHot", "Gather", "Cast", "Add", "Mul", "Mod", "Div"),
           "i32": ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "Cast", "Sub", "Mod"),
           "u8": ("BitShift", "BitwiseAnd", "BitwiseNot", "Cast"), "i8": ("BitwiseOr", "Cast")}
# Operators without a record of their attributes, and their first versions.
MORE = {"DFT": 17, "STFT": 17, "SimplifiedLayerNormalization": 7}


def operators(opset):
    """Operators that can be drawn in this version."""
    return [name for name in BUILDERS if name.startswith(contrib.DOMAIN) or
            (RECORDS[name].is_in(opset) if name in RECORDS else MORE[name] <= opset)]


def without_builder():
    """Imported operators that are not drawn."""
    ours = {contrib.DOMAIN + "." + name for name in records.contrib()} - set(contrib.ELSEWHERE)
    return sorted((set(RECORDS) | set(MORE) | ours) - set(BUILDERS))


def first_input(d):
    rng = d.rng
    kind = rng.choice(("image", "image", "image", "sequence", "vector", "any"))
    batch = rng.choice((1,) * 7 + (2,))
    if kind == "image":
        if d.most > MOST:
            return d.input([1, rng.choice((3, 8, 16)), rng.randint(20, 40), rng.randint(20, 40)])
        return d.input([batch, rng.choice((1, 3, 4, 6, 8)), rng.randint(1, 9), rng.randint(1, 9)])
    if kind == "sequence":
        return d.input([batch, rng.randint(1, 8), rng.choice((1, 4, 6, 8, 12))])
    if kind == "vector":
        return d.input([batch, rng.choice((1, 4, 10, 16))])
    return d.input([rng.choice((1, 1, 2, 3)) for _ in range(rng.randint(1, 5))] + [rng.randint(1, 6)])


def step(d, names, style):
    if d.chance(style["patterns"]):
        return d.rng.choice(patterns.PATTERNS)(d)
    if d.chance(style["quantized"]):
        return quantized.quantized_layer(d, d.pick())
    following = [n for n in READERS.get(d.tensors[-1].kind, ()) if n in operators(d.opset)]
    d.op = d.rng.choice(following if following and d.chance(0.6) else names)
    return BUILDERS[d.op](d)


def choose_outputs(d):
    """Tensors that nobody reads are outputs, at most four; other nodes are in vain."""
    graph = d.graph
    read = {name for node in graph.nodes for name in node.reads()}
    made = [name for node in graph.nodes for name in node.outputs]
    ends = [d.graph.known[name] for name in made if name in graph.known and name not in read]
    ends = [t for t in ends if t.kind in ("f32", "i32", "i64", "bool", "i8", "u8")]
    if len(ends) > 4:
        ends = d.rng.sample(ends, 4)
    inner = [graph.known[n] for n in made if n in read and n in graph.known and
             graph.known[n].kind == "f32"]
    if inner and d.chance(0.15):
        ends.append(d.rng.choice(inner))
    if not ends:
        raise Unfit
    made = {name for node in graph.nodes for name in node.outputs}
    ends = [t for t in ends if t.name in made]
    graph.outputs = [Value(t.name, t.shape, t.kind) for t in ends]


def network(seed):
    """A graph; the same for the same seed."""
    rng = random.Random(seed)
    while True:
        d = Draw(rng, rng.choice(OPSETS))
        wanted = rng.choice((3, 4, 5, 6, 8, 10, 12, 16, 20, 28, 36))
        style = {"patterns": rng.choice((0, 0.15, 0.3, 0.6)),
                 "quantized": rng.choice((0,) * 5 + (0.1, 0.9))}
        if d.chance(0.05):  # more than a small memory holds
            d.most, wanted = 60000, min(wanted, 8)
        d.computed_weights = d.chance(0.1)
        first_input(d)
        if d.chance(0.2):  # a part that depends on constants alone
            first = d.tensors[-1]
            d.tensors.insert(0, d.weights(d.rng.choice((first.shape, d.partner_shape(first.shape)))))
        if d.chance(0.3):
            first = d.tensors[-1]
            d.input(rng.choice((first.shape, d.partner_shape(first.shape) or [1], [1, 4], [2, 3])))
        if d.chance(0.1):
            d.input([1, rng.randint(1, 5)], "i32", -5, 5)
        names = operators(d.opset)
        if d.chance(0.4):  # a few kinds that meet often
            names = rng.sample(names, rng.randint(3, 8))
        for _ in range(6 * wanted):
            before = len(d.graph.nodes), len(d.tensors)
            try:
                step(d, names, style)
            except (Unfit, IndexError):  # or a choice among nothing
                del d.graph.nodes[before[0]:]
                del d.tensors[before[1]:]
            if len(d.graph.nodes) >= wanted:
                break
        try:
            choose_outputs(d)
        except Unfit:
            continue
        used = {name for node in d.graph.nodes for name in node.reads()}
        d.graph.constants = {k: v for k, v in d.graph.constants.items() if k in used}
        d.graph.inputs = [v for v in d.graph.inputs if v.name in used]
        if d.graph.inputs and 3 <= len(d.graph.nodes) <= 40:
            return d.graph
