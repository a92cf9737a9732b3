#!/usr/bin/env python3
"""Leaves an axis of an ONNX model's inputs open, as models come from trainers.

    test/driver/open_axis.py net.onnx open.onnx --axes 0

Of protobuf it knows as much as that takes: fields are copied as they are, but for
the lengths of those axes in graph.input, for graph.output and graph.value_info,
which would tell lengths that are not so any more, and for shapes of Reshape, whose
first length becomes what the others leave.
"""
import argparse
import struct

GRAPH, NODE, INITIALIZER, VALUE_INFO, OUTPUT, INPUT = 7, 1, 5, 13, 12, 11


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def to_varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def fields(data):
    """(number, bytes of the whole field, contents or None)"""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        kind, contents = key & 7, None
        if kind == 0:
            _, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            contents, at = data[at:at + size], at + size
        else:
            at += {1: 8, 5: 4}[kind]
        yield key >> 3, data[begin:at], contents


def field(number, contents):
    return to_varint(number << 3 | 2) + to_varint(len(contents)) + contents


def edit(data, path, change):
    """Applies \\p change to the contents of fields that the numbers lead to."""
    out, index = b"", 0
    for number, whole, contents in fields(data):
        if number != path[0]:
            out += whole
        elif len(path) > 1:
            out += field(number, edit(contents, path[1:], change))
        else:
            out += field(number, change(index, contents))
            index += 1
    return out


def texts(data, number):
    return [contents for found, _, contents in fields(data) if found == number]


def shapes_of_reshapes(graph):
    """Names of initializers."""
    return {texts(node, 1)[1] for node in texts(graph, NODE) if texts(node, 4) == [b"Reshape"]}


def with_open_length(tensor):
    """-1, if there is none yet. raw_data of int64."""
    raw = texts(tensor, 9)[0]
    if min(struct.unpack(f"<{len(raw) // 8}q", raw)) < 0:
        return tensor
    return edit(tensor, [9], lambda index, data: b"\xff" * 8 + data[8:])


def open_graph(graph):
    """Tensors between and outputs keep their names and types, without shapes."""
    out, shapes = b"", shapes_of_reshapes(graph)
    for number, whole, contents in fields(graph):
        if number == OUTPUT:  # type.tensor_type.shape
            out += field(number, without(contents, [2, 1, 2]))
        elif number == INITIALIZER and texts(contents, 8)[0] in shapes:
            out += field(number, with_open_length(contents))
        elif number != VALUE_INFO:
            out += whole
    return out


def without(data, path):
    out = b""
    for number, whole, contents in fields(data):
        if number != path[0]:
            out += whole
        elif len(path) > 1:
            out += field(number, without(contents, path[1:]))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("output")
    parser.add_argument("--axes", type=int, nargs="+", default=[0])
    args = parser.parse_args()
    with open(args.model, "rb") as file:
        data = file.read()

    def open_axis(index, dimension):
        return field(2, f"n{index}".encode()) if index in args.axes else dimension

    # graph.input.type.tensor_type.shape.dim
    data = edit(data, [GRAPH, INPUT, 2, 1, 2, 1], open_axis)
    data = edit(data, [GRAPH], lambda index, graph: open_graph(graph))
    with open(args.output, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
