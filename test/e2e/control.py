"""Control flow on the device: If and Loop against an interpreter of their own.

Random networks of integers with nested If and Loop layers are written as IR and
computed here, from the definition, in whole numbers. Evaluator and NPU, on
several machines, timed and not, optimised and not, must give the same bytes for
every sample. A loop is there once, however often it is repeated: an executable of
a thousand trips is as large as that of one.
"""
import array
import os
import random

import common

WIDTH = 8  # elements of a vector, [1, WIDTH]; scalars are [1]
LOW, HIGH = -128, 127
RANGES = {"int8": "[-128,127]", "int16": "[-32768,32767]"}
CODES = {"int8": "b", "int16": "h"}
METHODS = {"ADD": lambda a, b: a + b, "SUB": lambda a, b: a - b, "MAX": max, "MIN": min}


def clip(value):
    return min(max(value, LOW), HIGH)


def column(values):
    return "[" + ",".join(values) + "]"


class Value:
    """A tensor of integers with scale 1 and no zero point."""

    def __init__(self, name, length, shape=None):
        self.name, self.length, self.dtype = name, length, "int8"
        self.shape = shape or ([1, length] if length > 1 else [1])


def shape_text(shape):
    return column(map(str, shape))


class Graph:
    """A graph as IR text, and a function that computes it."""

    def __init__(self, net, name, lengths, wide=()):
        """Inputs are int8, those whose places are in wide int16."""
        self.net, self.name = net, name
        self.layers, self.steps = [], []
        self.inputs = [self.value(length) for length in lengths]
        for i in wide:
            self.inputs[i].dtype = "int16"
        for value in self.inputs:
            self.layer("Input", [], [value])
        self.outputs = []

    def value(self, length):
        return Value(self.net.fresh("t"), length)

    def layer(self, kind, bottoms, tops, keys=()):
        self.layers.append([
            f"layer_id={len(self.layers)}", f"layer_name={self.net.fresh('layer')}",
            f"layer_type={kind}", "layer_bottom=" + column(b.name for b in bottoms),
            "layer_bottom_shape=" + column(shape_text(b.shape) for b in bottoms),
            "layer_bottom_type=" + column(b.dtype for b in bottoms),
            "layer_top=" + column(t.name for t in tops),
            "layer_top_shape=" + column(shape_text(t.shape) for t in tops),
            "layer_top_type=" + column(t.dtype for t in tops),
            "layer_top_scale=" + column("1.0" for _ in tops),
            "layer_top_zp=" + column("0" for _ in tops),
            "layer_top_range=" + column(RANGES[t.dtype] for t in tops), *keys])

    def eltwise(self, method, a, b):
        out = self.value(max(a.length, b.length))
        self.layer("Eltwise", [a, b], [out], [
            f"method={method}", "with_activation=NONE", "scale_value=[1,1,1]",
            "scale_type=[uint16,uint16,uint16]", "shift_value=0", "shift_type=int8"])

        def step(env):
            x, y = env[a.name], env[b.name]
            n = out.length
            x, y = x * (n // len(x)), y * (n // len(y))
            env[out.name] = [clip(METHODS[method](p, q)) for p, q in zip(x, y)]
        self.steps.append(step)
        return out

    def connected(self, a, length):
        """On the tensor engine, with weights of its own."""
        out = self.value(length)
        weights = [self.net.rng.randint(-3, 3) for _ in range(length * a.length)]
        biases = [self.net.rng.randint(-9, 9) for _ in range(length)]
        self.layer("FullyConnected", [a], [out], [
            f"num_output={length}", "with_activation=NONE", "scale_value=1", "shift_value=1",
            "scale_type=uint8", "shift_type=int8",
            *self.net.constant("weights", "b", "int8", [length, a.length], weights),
            *self.net.constant("biases", "i", "int32", [length], biases)])

        def step(env):
            result = []
            for o in range(length):
                row = weights[o * a.length:(o + 1) * a.length]
                acc = biases[o] + sum(p * w for p, w in zip(env[a.name], row))
                half = acc >> 1  # halves to even
                result.append(clip(half + (1 if acc % 2 and half % 2 else 0)))
            env[out.name] = result
        self.steps.append(step)
        return out

    def choose(self, flag, operands, then, otherwise):
        """Both sub-graphs take all operands and give as many results."""
        outs = [self.value(v.length) for v in then.outputs]
        self.layer("If", [flag, *operands, *operands], outs, [
            f"then_branch={then.name}", f"else_branch={otherwise.name}",
            f"then_branch_inputs_num={len(operands)}", f"else_branch_inputs_num={len(operands)}"])

        def step(env):
            graph = then if env[flag.name][0] else otherwise
            for out, result in zip(outs, graph.run([env[v.name] for v in operands])):
                env[out.name] = result
        self.steps.append(step)
        return outs

    def loop(self, count, flag, carried, others, body, trips):
        """The body gives a condition, what goes round, and one vector to collect."""
        outs = [self.value(v.length) for v in carried]
        rows = Value(self.net.fresh("t"), trips * WIDTH, [trips, WIDTH])
        self.layer("Loop", [count, flag, *carried, *others], [*outs, rows], [
            f"dependency_inputs_num={len(carried)}", "scan_outputs_num=1", f"body={body.name}",
            f"loop_default_count={trips}"])

        def step(env):
            values = [env[v.name] for v in carried]
            fixed = [env[v.name] for v in others]
            going, i, collected = env[flag.name][0], 0, []
            while i < env[count.name][0] and going:
                results = body.run([[i], [going], *values, *fixed])
                going, values = results[0][0], results[1:-1]
                collected.append(results[-1])
                i += 1
            for out, value in zip(outs, values):
                env[out.name] = value
            collected += [[0] * WIDTH] * trips
            env[rows.name] = sum(collected[:trips], [])
        self.steps.append(step)
        return outs, rows

    def run(self, inputs):
        env = {v.name: data for v, data in zip(self.inputs, inputs)}
        for step in self.steps:
            step(env)
        return [env[v.name] for v in self.outputs]

    def text(self):
        header = [f"layer_number={len(self.layers)}",
                  "input_tensors=" + column(v.name for v in self.inputs),
                  "output_tensors=" + column(v.name for v in self.outputs)]
        first = "model_name=net" if self.name == "main" else f"subgraph_name={self.name}"
        return "\n\n".join("\n".join(part) for part in [[first, *header], *self.layers])


class Net:
    def __init__(self, rng):
        self.rng, self.weights, self.graphs, self.count = rng, b"", [], 0

    def fresh(self, what):
        self.count += 1
        return f"{what}{self.count}"

    def graph(self, lengths, wide=()):
        graph = Graph(self, self.fresh("graph") if self.graphs else "main", lengths, wide)
        self.graphs.append(graph)
        return graph

    def constant(self, name, code, dtype, shape, values):
        raw = array.array(code, values).tobytes()
        keys = [f"{name}_type={dtype}", f"{name}_offset={len(self.weights)}",
                f"{name}_size={len(raw)}", f"{name}_shape={shape_text(shape)}"]
        self.weights += raw
        return keys

    def write(self, path):
        with open(path + ".txt", "w", encoding="utf-8") as f:
            f.write("\n\n".join(graph.text() for graph in self.graphs) + "\n\n")
        with open(path + ".bin", "wb") as f:
            f.write(self.weights)


def some_layers(net, graph, vectors, scalars, depth):
    """Adds layers to a graph; the values that there are then."""
    vectors, scalars = list(vectors), list(scalars)
    for _ in range(net.rng.randint(1, 4)):
        kind = net.rng.choice(["eltwise", "eltwise", "scalar", "connected", "if", "loop"])
        if kind == "eltwise" or (depth == 0 and kind in ("if", "loop")):
            other = net.rng.choice(vectors + scalars)
            vectors.append(graph.eltwise(net.rng.choice(list(METHODS)), net.rng.choice(vectors),
                                         other))
        elif kind == "scalar":
            scalars.append(graph.eltwise(net.rng.choice(list(METHODS)), net.rng.choice(scalars),
                                         net.rng.choice(scalars)))
        elif kind == "connected":
            vectors.append(graph.connected(net.rng.choice(vectors), WIDTH))
        elif kind == "if":
            operands = [net.rng.choice(vectors), net.rng.choice(scalars)]
            branches = []
            for _ in range(2):
                branch = net.graph([WIDTH, 1])
                inner, deep = some_layers(net, branch, branch.inputs[:1], branch.inputs[1:],
                                          depth - 1)
                branch.outputs = [inner[-1], deep[-1]]
                branches.append(branch)
            vector, scalar = graph.choose(net.rng.choice(scalars), operands, *branches)
            vectors.append(vector)
            scalars.append(scalar)
        else:
            vectors, scalars, _ = some_loop(net, graph, vectors, scalars, depth)
    return vectors, scalars


def some_loop(net, graph, vectors, scalars, depth):
    # Iteration, condition, a vector and a scalar that go round, and one that stays.
    body = net.graph([1, 1, WIDTH, 1, WIDTH])
    iteration, condition, state, counter, fixed = body.inputs
    inner, deep = some_layers(net, body, [state, fixed], [iteration, counter], depth - 1)
    going = condition if net.rng.random() < 0.5 else net.rng.choice(deep)
    # A value may be given twice, and an input handed on.
    body.outputs = [going, inner[-1], net.rng.choice(deep), net.rng.choice(inner)]
    trips = net.rng.randint(1, 4)
    count = net.rng.choice(scalars)
    outs, rows = graph.loop(count, net.rng.choice(scalars),
                            [net.rng.choice(vectors), net.rng.choice(scalars)],
                            [net.rng.choice(vectors)], body, trips)
    return vectors + [outs[0]], scalars + [outs[1]], rows


def write_samples(folder, inputs, samples):
    """Files of samples, one for each input."""
    files = []
    for i, value in enumerate(inputs):
        files.append(folder + f"in{i}.npy")
        common.write_npy(files[-1], (len(samples), value.length),
                         array.array(CODES[value.dtype], sum((s[i] for s in samples), [])))
    return ",".join(files)


def check_network(tools, seed, targets):
    rng = random.Random(seed)
    net = Net(rng)
    main = net.graph([WIDTH, WIDTH, 1, 1])
    vectors, scalars = some_layers(net, main, main.inputs[:2], main.inputs[2:], depth=2)
    vectors, scalars, rows = some_loop(net, main, vectors, scalars, depth=2)
    main.outputs = [vectors[-1], scalars[-1], rows]
    samples = [[[rng.randint(-20, 20) for _ in range(v.length)] for v in main.inputs[:2]] +
               [[rng.randint(-1, 4)] for _ in main.inputs[2:]] for _ in range(4)]
    check_runs(tools, f"net{seed}", net, samples, targets)


def check_runs(tools, name, net, samples, targets):
    """Sizes of the executables, in bytes."""
    main = net.graphs[0]
    folder = tools.path(name, "")
    net.write(folder + "net")
    inputs = write_samples(folder, main.inputs, samples)
    results = zip(*(main.run(sample) for sample in samples))
    expected = [sum(result, []) for result in results]
    names = [f"out{i}.npy" for i in range(len(expected))]
    sizes = []
    for target in targets:
        for level in ("-O0", "-O"):
            exe = folder + "aipu.bin"
            tools.yarrow("compile", folder + "net.txt", "-w", folder + "net.bin", "--target",
                         target, level, "-o", exe)
            sizes.append(os.path.getsize(exe))
            tools.yarrow("prove", exe)
            tools.yarrow("eval", "--int", folder + "net.txt," + folder + "net.bin", "--exe", exe,
                         "--data", inputs)
            for mode in ([], ["--timed"]):
                tools.yarrow("run", exe, "-i", inputs, "-o",
                             ",".join(folder + n for n in names), *mode)
                for wanted, file in zip(expected, names):
                    _, _, found = common.read_npy(folder + file)
                    tools.check(list(found) == wanted,
                                f"{name} on {target} {level} {mode}: {file}")
    return sizes


def check_trips(tools):
    """A loop is there once: its trips cost time, and no bytes."""
    sizes = {}
    for trips in (1, 1000):
        net = Net(random.Random(1))
        main = net.graph([WIDTH, 1, 1], wide=[1])
        body = net.graph([1, 1, WIDTH, 1, WIDTH], wide=[0])
        _, condition, state, counter, fixed = body.inputs
        state = body.connected(body.eltwise("ADD", state, fixed), WIDTH)
        body.outputs = [condition, state, counter, state]
        outs, rows = main.loop(main.inputs[1], main.inputs[2], [main.inputs[0], main.inputs[2]],
                               [main.inputs[0]], body, trips)
        main.outputs = [*outs, rows]
        samples = [[[3, -4, 5, 0, 1, 2, -7, 9], [trips], [1]]]
        sizes[trips] = check_runs(tools, f"trips{trips}", net, samples, ["X2_1204"])
    for once, often in zip(sizes[1], sizes[1000]):
        tools.check(often <= once * 1.02, f"{once} bytes for one trip, {often} for a thousand")


def main():
    tools = common.arguments("Check control flow on the device")
    for seed in range(int(os.environ.get("YARROW_CONTROL_NETWORKS", "12"))):
        check_network(tools, seed, ["X2_1204", "Z1_0701"])
    check_trips(tools)
    tools.finish()


if __name__ == "__main__":
    main()
