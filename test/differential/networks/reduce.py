"""Makes a failing network small, and writes what is left into a folder.

A network is cut while the same check fails in the same way: outputs are dropped, a tensor within
becomes the output or an input, a node gives way to one of its inputs or to a constant.

Example:
    small = reduced(graph, fails)        # fails(graph): whether it still does
"""
import copy
import random

from graph import Constant, Value, count

KINDS = ("f32", "i32", "i64", "u8", "i8", "bool")


def with_outputs(graph, names):
    result = copy.copy(graph)
    result.outputs = [Value(n, list(graph.known[n].shape), graph.known[n].kind) for n in names]
    return result.pruned()


def fewer_outputs(graph):
    if len(graph.outputs) > 1:
        for value in graph.outputs:
            yield with_outputs(graph, [value.name])
        for value in graph.outputs:
            yield with_outputs(graph, [v.name for v in graph.outputs if v is not value])


def earlier_ends(graph):
    """A tensor within as the only output, the earliest first."""
    made = [name for node in graph.nodes for name in node.outputs]
    for name in made:
        known = graph.known.get(name)
        if known and known.kind in KINDS and [v.name for v in graph.outputs] != [name]:
            yield with_outputs(graph, [name])


def replaced(graph, name, other):
    result = graph.pruned()
    if any(v.name == name for v in result.outputs):
        if other in result.constants:
            return None
        for value in result.outputs:
            if value.name == name:
                value.name = other
    for node in result.nodes:
        node.inputs = [other if i == name else i for i in node.inputs]
        if any(name in g.outer() for g in node.graphs()):
            return None
    return result.pruned()


def later_beginnings(graph):
    """A tensor within as an input, the last one first."""
    for node in reversed(graph.nodes):
        for name in node.outputs:
            known = graph.known.get(name)
            # Integers with a scale are floats in an exported network.
            if not known or known.kind not in ("f32", "bool", "i32") or not known.size or \
                    not known.shape:
                continue
            result = graph.pruned()
            result.nodes = [n for n in result.nodes if name not in n.outputs]
            if len(node.outputs) > 1 or any(v.name == name for v in result.outputs):
                continue
            result.inputs.append(Value(name, list(known.shape), known.kind))
            result = result.pruned()
            if result.nodes:
                yield result


def bypasses(graph):
    """A node left out: what reads it reads one of its inputs of the same shape."""
    for node in reversed(graph.nodes):
        for name in node.outputs:
            known = graph.known.get(name)
            for other in node.inputs:
                source = graph.known.get(other)
                if known and source and (source.shape, source.kind) == (known.shape, known.kind):
                    yield replaced(graph, name, other)


def constants(graph):
    """A tensor within as a constant."""
    for node in graph.nodes:
        for name in node.outputs:
            known = graph.known.get(name)
            if not known or known.kind not in KINDS or any(v.name == name for v in graph.outputs):
                continue
            if node.op == "Constant":
                continue
            rng = random.Random(name)
            lo, hi = max(known.lo, -4), min(known.hi, 4)
            if lo > hi:
                lo = hi = known.lo
            values = [rng.randint(int(lo * 8), int(hi * 8)) / 8 for _ in range(count(known.shape))]
            result = graph.pruned()
            result.nodes = [n for n in result.nodes if name not in n.outputs]
            result.constants[name] = Constant(known.kind, list(known.shape), values if known.kind == "f32"
                                              else [int(v) for v in values])
            yield result.pruned()


def simpler_nodes(graph):
    """Without an optional last input or an attribute."""
    if graph.HAS_FUNCTIONS:  # they know all inputs and attributes
        return
    for i, node in enumerate(graph.nodes):
        if len(node.inputs) > 1:
            result = graph.pruned()
            if len(result.nodes) == len(graph.nodes):
                result.nodes[i].inputs.pop()
                yield result.pruned()
        for key, value in node.attributes.items():
            if not isinstance(value, (int, float, str)):
                continue
            result = graph.pruned()
            if len(result.nodes) == len(graph.nodes):
                del result.nodes[i].attributes[key]
                yield result


STEPS = fewer_outputs, earlier_ends, later_beginnings, bypasses, constants, simpler_nodes


def weight(graph):
    return (len(graph.nodes), len(graph.outputs), len(graph.inputs) + len(graph.constants),
            sum(len(n.attributes) + len(n.inputs) for n in graph.nodes))


def reduced(graph, fails, most=300):
    """The smallest network found with so many tries."""
    graph = graph.pruned()
    tried = 0
    again = True
    while again and tried < most:
        again = False
        for step in STEPS:
            better = True
            while better and tried < most:
                better = False
                for candidate in step(graph):
                    if candidate is None or not candidate.nodes or not candidate.inputs or \
                            weight(candidate) >= weight(graph):
                        continue
                    tried += 1
                    if fails(candidate):
                        graph, better, again = candidate, True, True
                        break
                    if tried >= most:
                        break
    return graph


def text(graph):
    """The network as lines for people."""
    lines = [graph.heading()]
    lines += ["input %s %s %s" % (v.name, v.kind, v.shape) for v in graph.inputs]
    for name, c in graph.constants.items():
        some = ", ".join("%g" % v for v in c.values[:8]) + (", ..." if len(c.values) > 8 else "")
        lines.append("constant %s %s %s = %s" % (name, c.kind, c.shape, some))
    for node in graph.nodes:
        given = ", ".join("%s=%s" % (k, v) for k, v in node.attributes.items()
                          if isinstance(v, (int, float, str, list)))
        shapes = ["%s" % graph.known[n].shape for n in node.outputs if n in graph.known]
        lines.append("%s = %s(%s) %s %s" % (", ".join(node.outputs), node.op, ", ".join(node.inputs),
                                            given, " ".join(shapes)))
    return "\n".join(lines + ["output %s %s %s" % (v.name, v.kind, v.shape) for v in graph.outputs])
