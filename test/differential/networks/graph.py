"""ONNX graphs as Python objects, and the bytes of their files.

Example:
    g = Graph(opset=17)
    g.inputs.append(Value("x", [1, 4], "f32"))
    g.add("Relu", ["x"], ["y"])
    g.outputs.append(Value("y", [1, 4], "f32"))
    open("relu.onnx", "wb").write(g.model())
"""
import array
import copy
import os
import struct
import sys
from dataclasses import dataclass, field as slot

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
# This folder's modules first; the examples have the reader of .npy, lit's tests protobuf.
sys.path[1:1] = [os.path.join(ROOT, "examples/vision"), os.path.join(ROOT, "test/lit")]
from onnx import field  # noqa: E402

# Number in the format, and code of struct and array.
ELEMENTS = {"f32": (1, "f"), "u8": (2, "B"), "i8": (3, "b"), "u16": (4, "H"), "i16": (5, "h"),
            "i32": (6, "i"), "i64": (7, "q"), "bool": (9, "B"), "f16": (10, "e"),
            "u32": (12, "I"), "u64": (13, "Q")}
FLOATS, INTS, STRINGS, GRAPH, TENSOR = 6, 7, 8, 5, 4


def count(shape):
    product = 1
    for n in shape:
        product *= n
    return product


@dataclass
class Value:
    """An input or output of a graph."""
    name: str
    shape: list
    kind: str

    def to_bytes(self, number):
        lengths = b"".join(field(1, field(1, n)) for n in self.shape or [])
        shape = b"" if self.shape is None else field(2, lengths)
        return field(number, field(1, self.name) + field(2, field(
            1, field(1, ELEMENTS[self.kind][0]) + shape)))


@dataclass
class Constant:
    kind: str
    shape: list
    values: list

    def body(self, name=""):
        number, code = ELEMENTS[self.kind]
        raw = struct.pack("<%d%s" % (len(self.values), code), *self.values)
        return (b"".join(field(1, n) for n in self.shape) + field(2, number) + field(8, name) +
                field(9, raw))


@dataclass
class Node:
    op: str
    inputs: list
    outputs: list
    attributes: dict
    domain: str = ""

    def reads(self):
        """Names that the node needs, those of its subgraphs' outer tensors included."""
        names = [name for name in self.inputs if name]
        for graph in self.graphs():
            names += graph.outer()
        return names

    def graphs(self):
        return [v for v in self.attributes.values() if isinstance(v, Graph)]

    def body(self):
        return (b"".join(field(1, i) for i in self.inputs) +
                b"".join(field(2, o) for o in self.outputs) + field(3, "n_" + self.outputs[0]) +
                field(4, self.op) +
                b"".join(field(5, attribute_body(k, v)) for k, v in self.attributes.items()) +
                (field(7, self.domain) if self.domain else b""))


def attribute_body(name, value):
    head = field(1, name)
    if isinstance(value, Graph):
        return head + field(6, value.body()) + field(20, GRAPH)
    if isinstance(value, Constant):
        return head + field(5, value.body()) + field(20, TENSOR)
    if isinstance(value, bool) or isinstance(value, int):
        return head + field(3, int(value)) + field(20, 2)
    if isinstance(value, float):
        return head + field(2, value) + field(20, 1)
    if isinstance(value, str):
        return head + field(4, value) + field(20, 3)
    if value and isinstance(value[0], float):
        return head + b"".join(field(7, v) for v in value) + field(20, FLOATS)
    if value and isinstance(value[0], str):
        return head + b"".join(field(9, v) for v in value) + field(20, STRINGS)
    return head + b"".join(field(8, v) for v in value) + field(20, INTS)


@dataclass
class Graph:
    HAS_FUNCTIONS = False  # whether nodes know what they compute
    opset: int
    inputs: list = slot(default_factory=list)
    outputs: list = slot(default_factory=list)
    nodes: list = slot(default_factory=list)
    constants: dict = slot(default_factory=dict)
    # What each tensor is, where it is known: Value by name.
    known: dict = slot(default_factory=dict)

    def add(self, op, inputs, outputs, domain="", **attributes):
        self.nodes.append(Node(op, list(inputs), list(outputs), attributes, domain))

    def heading(self):
        """The first line of its text."""
        return "opset %d" % self.opset

    def outer(self):
        """Names that a subgraph takes from the graphs around it."""
        own = {v.name for v in self.inputs} | set(self.constants)
        found = []
        for node in self.nodes:
            found += [name for name in node.reads() if name not in own]
            own.update(node.outputs)
        return found + [v.name for v in self.outputs if v.name not in own]

    def body(self):
        return (b"".join(field(1, n.body()) for n in self.nodes) + field(2, "g") +
                b"".join(field(5, c.body(name)) for name, c in self.constants.items()) +
                b"".join(v.to_bytes(11) for v in self.inputs) +
                b"".join(v.to_bytes(12) for v in self.outputs))

    def model(self):
        sets = field(8, field(2, self.opset))
        if any(n.domain for n in self.nodes):
            sets += field(8, field(1, "com.microsoft") + field(2, 1))
        return field(1, 10 if self.opset < 24 else 11) + sets + field(7, self.body())

    def operators(self):
        """The operators of all nodes, those of subgraphs included."""
        names = []
        for node in self.nodes:
            names.append(node.op)
            for graph in node.graphs():
                names += graph.operators()
        return names

    def pruned(self):
        """A copy without what no output needs."""
        result = copy.deepcopy(self)
        needed = {v.name for v in result.outputs}
        nodes = []
        for node in reversed(result.nodes):
            if needed.intersection(node.outputs):
                nodes.append(node)
                needed.update(node.reads())
        result.nodes = nodes[::-1]
        result.constants = {k: v for k, v in result.constants.items() if k in needed}
        result.inputs = [v for v in result.inputs if v.name in needed]
        return result

    def shuffled(self, rng, reorder):
        """The same graph under other names; if \p reorder, its nodes in another valid order."""
        result = copy.deepcopy(self)
        ready = {v.name for v in result.inputs} | set(result.constants) | {""}
        left, order = list(result.nodes), []
        while left:
            able = [n for n in left if ready.issuperset(n.reads())]
            node = rng.choice(able) if reorder else able[0]
            left.remove(node)
            ready.update(node.outputs)
            order.append(node)
        result.nodes = order
        names = sorted({name for n in order for name in n.outputs} | set(result.constants))
        new = ["r%d" % i for i in range(len(names))]
        rng.shuffle(new)
        # Inputs keep their places, hence their names matter to nobody.
        mapping = dict(zip(names, new), **{v.name: "in_" + v.name for v in result.inputs})
        result.rename(mapping)
        items = list(result.constants.items())
        rng.shuffle(items)
        result.constants = dict(items)
        return result

    def rename(self, mapping):
        for value in self.inputs + self.outputs:
            value.name = mapping.get(value.name, value.name)
        self.constants = {mapping.get(k, k): v for k, v in self.constants.items()}
        for node in self.nodes:
            node.inputs = [mapping.get(n, n) for n in node.inputs]
            node.outputs = [mapping.get(n, n) for n in node.outputs]
            for graph in node.graphs():
                graph.rename(mapping)


def packed(kind, values):
    """An array of these values as .npy files have them (f16 and bool as what they become)."""
    return array.array({"f16": "f"}.get(kind) or ELEMENTS[kind][1], values)
