"""Builders of control flow."""
from dataclasses import replace

from draw import Unfit, builder
from graph import Constant, Graph, Value


def branch(d, x, op, depth=0):
    """A subgraph that computes a function of the outer x."""
    g = Graph(d.opset)
    name = d.name("b")
    if depth == 0 and d.chance(0.15):  # a loop within
        g.constants[name + "n"] = Constant("i64", [], [d.rng.randint(1, 2)])
        body = branch(d, x, op, 1)
        result = body.outputs[0].name
        names = [d.name("b") for _ in range(4)]
        body.inputs = [Value(names[0], [], "i64"), Value(names[1], [], "bool"),
                       Value(names[2], list(x.shape), "f32")]
        body.add("Add", [result, names[2]], [result + "_sum"])
        body.add("Identity", [names[1]], [names[3]])
        body.outputs = [Value(names[3], [], "bool"), Value(result + "_sum", list(x.shape), "f32")]
        g.add("Loop", [name + "n", "", x.name], [name], body=body)
        g.outputs.append(Value(name, list(x.shape), "f32"))
        return g
    if d.chance(0.2):  # integers within
        g.constants[name + "s"] = Constant("f32", [], [0.0625])
        g.constants[name + "z"] = Constant("u8", [], [128])
        g.add("QuantizeLinear", [x.name, name + "s", name + "z"], [name + "q"])
        g.add("DequantizeLinear", [name + "q", name + "s", name + "z"], [name + "d"])
        x = replace(x, name=name + "d")
    if op == "shift":
        g.constants[name + "c"] = Constant("f32", [], [0.5])
        g.add("Add", [x.name, name + "c"], [name])
    elif op == "twice":
        g.add("Add", [x.name, x.name], [name + "a"])
        g.add("Relu", [name + "a"], [name])
    else:
        g.add(op, [x.name], [name])
    g.outputs.append(Value(name, list(x.shape), "f32"))
    return g


@builder("If")
def conditional(d):
    x = d.pick()
    if d.opset < 10:
        raise Unfit
    if d.chance(0.2):
        condition = d.constant([], [d.rng.randint(0, 1)], "bool")
    else:
        t = d.pick(exact=True, rank=range(1, 5))
        most = d.node("ReduceMax", [t], [], lo=t.lo, hi=t.hi, bits=t.bits, keepdims=0)
        if most.bits is None:
            raise Unfit
        condition = d.node("Greater", [most, d.constant([], [t.hi / 2])], [], "bool", 0, 1)
    ways = d.rng.sample(("Neg", "Abs", "shift", "twice", "Identity", "Tanh"), 2)
    return d.node("If", [condition], x.shape, lo=-7 * x.most() - 3, hi=7 * x.most() + 3,
                  then_branch=branch(d, x, ways[0]), else_branch=branch(d, x, ways[1]))


@builder("Loop")
def loop(d):
    x = d.tame(d.pick(), -8, 8)
    n = d.rng.randint(1, 3)
    g = Graph(d.opset)
    names = [d.name("l") for _ in range(6)]
    number, condition, value, go_on, result, scan = names
    g.inputs = [Value(number, [], "i64"), Value(condition, [], "bool"),
                Value(value, list(x.shape), "f32")]
    g.add("Identity", [condition], [go_on])
    if d.chance(0.5):
        g.add("Add", [value, x.name], [result])
    else:
        g.add("Tanh", [value], [result])
    g.outputs = [Value(go_on, [], "bool"), Value(result, list(x.shape), "f32")]
    results = [(x.shape, "f32", -5 * x.most(), 5 * x.most(), None)]
    if d.chance(0.3):
        g.add("Neg", [value], [scan])
        g.outputs.append(Value(scan, list(x.shape), "f32"))
        results.append(([n, *x.shape], "f32", -5 * x.most(), 5 * x.most(), None))
    if x.rank > 4:
        raise Unfit
    return d.nodes("Loop", [d.constant([], [n], "i64"), d.constant([], [1], "bool") if
                            d.chance(0.5) else None, x], results, body=g)[0]
