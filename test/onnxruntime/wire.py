"""Reads of an ONNX model what the comparison of outputs has to know.

    facts = wire.facts("net.onnx")
    facts.elements      # numbers of the element types that any tensor has
    facts.is_quantized  # it has QuantizeLinear or DequantizeLinear
    facts.step("y")     # by how much one step of its integers changes an output; None
    data = wire.with_outputs(data, ["h"])   # the model also gives the tensor h

Field numbers are those of ONNX's public format.
"""
import math
import random
import struct

INTEGERS = (2, 3, 4, 5, 6, 7, 12, 13)


def spans(data, at=0, end=None):
    """(number, value, end) of each field; a value is an integer, with end None, or where bytes begin."""
    end = len(data) if end is None else end

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < end:
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint(), None
            continue
        size = varint() if kind == 2 else {1: 8, 5: 4}[kind]
        yield key >> 3, at, at + size
        at += size


def fields(data):
    """(number, value) of each field; a value is an integer, or bytes."""
    for number, value, end in spans(data):
        yield number, value if end is None else data[value:end]


def all_of(data, number):
    return [value for found, value in fields(data) if found == number]


def first_of(data, number, default=b""):
    return next((value for found, value in fields(data) if found == number), default)


def text_of(data, number):
    return first_of(data, number).decode("utf-8", "replace")


def encoded(number, data):
    """A field of bytes."""
    header, size = bytes([number << 3 & 127 | 2]) if number < 16 else None, len(data)
    while size > 127:
        header += bytes([size & 127 | 128])
        size >>= 7
    return header + bytes([size]) + data


def with_outputs(model, tensors):
    """The model with more outputs: fields of a message may follow one another in any order."""
    more = b"".join(encoded(12, encoded(1, tensor.encode())) for tensor in tensors)
    return model + encoded(7, more)


def with_noise(model):
    """The model with other last bits of its constants that are floats."""
    noisy, rng = bytearray(model), random.Random(1)
    for graph in (span for span in spans(model) if span[0] == 7):
        for tensor in (span for span in spans(model, *graph[1:]) if span[0] == 5):
            if first_of(model[tensor[1]:tensor[2]], 2, 0) != 1:
                continue
            for number, begin, end in spans(model, *tensor[1:]):
                if number in (4, 9):
                    for at in range(begin, end - 3, 4):
                        noisy[at] ^= rng.getrandbits(1)
    return bytes(noisy)


class Node:
    def __init__(self, data):
        self.inputs = [v.decode("utf-8", "replace") for v in all_of(data, 1)]
        self.outputs = [v.decode("utf-8", "replace") for v in all_of(data, 2)]
        self.op = text_of(data, 4)
        self.attributes = all_of(data, 5)


def shape_of(tensor):
    """Its lengths, which may be packed."""
    lengths = []
    for value in all_of(tensor, 1):
        if isinstance(value, int):
            lengths.append(value)
            continue
        at = 0
        while at < len(value):
            length = shift = 0
            while value[at] > 127:
                length |= (value[at] & 127) << shift
                at, shift = at + 1, shift + 7
            lengths.append(length | value[at] << shift)
            at += 1
    return lengths


def single(tensor):
    """The only element of a tensor of floats; None of others."""
    elements = first_of(tensor, 9) or first_of(tensor, 4)
    if first_of(tensor, 2, 0) != 1 or len(elements) != 4:
        return None
    return struct.unpack("<f", elements)[0]


class Facts:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        graph = first_of(data, 7)
        self.opset = next((first_of(each, 2, 0) for each in all_of(data, 8) if not text_of(each, 1)), 0)
        self.outputs = [text_of(value, 1) for value in all_of(graph, 12)]
        self.types = {text_of(value, 1): first_of(first_of(first_of(value, 2), 1), 1, 0)
                      for value in all_of(graph, 12)}
        self.is_divided = any(all_of(constant, 13) for constant in all_of(graph, 5))
        self.elements, self.nodes, self.constants = set(), [], {}
        self.scan(graph)
        self.writers = {output: node for node in self.nodes for output in node.outputs}
        self.is_quantized = any(node.op in ("QuantizeLinear", "DequantizeLinear") for node in self.nodes)

    def longest_sum(self):
        """About how many products are added up at most, from the shapes of weights."""
        most = 1
        for constant in self.constants.values():
            shape = shape_of(constant)
            if len(shape) > 1 and max(shape):
                most = max(most, math.prod(shape) // max(shape))
        return most

    def scan(self, graph):
        for number, value in fields(graph):
            if number == 1:
                self.nodes.append(Node(value))
                for attribute in self.nodes[-1].attributes:
                    self.scan_attribute(self.nodes[-1], attribute)
            elif number == 5:
                self.elements.add(first_of(value, 2, 0))
                self.constants[text_of(value, 8)] = value
            elif number in (11, 12, 13):
                self.elements.add(first_of(first_of(first_of(value, 2), 1), 1, 0))

    def scan_attribute(self, node, attribute):
        for number, value in fields(attribute):
            if number == 6:
                self.scan(value)
            elif number == 5:
                self.elements.add(first_of(value, 2, 0))
                if node.op == "Constant":
                    self.constants[node.outputs[0]] = value
            elif number == 3 and node.op == "Cast":
                self.elements.add(value)

    def step(self, output):
        if self.types.get(output) in INTEGERS:
            return 1
        node = self.writers.get(output)
        while node and node.op in ("Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Identity"):
            node = self.writers.get(node.inputs[0])
        if not node or node.op != "DequantizeLinear" or node.inputs[1] not in self.constants:
            return None
        return single(self.constants[node.inputs[1]])


def facts(path):
    return Facts(path)
