"""State on the device: streaming networks against their definitions, step by step.

A convolution that keeps the frames that it has seen must give what the same
convolution gives over all frames at once; a gated cell what its formula gives. Then
both are quantized, and evaluator and NPU must give the same bytes for fifty steps on
several machines, from the first state and from others, in one run and in several.
"""
import array
import math
import os
import random
import subprocess
import sys

import common

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lit"))
sys.dont_write_bytecode = True
import onnx
import tflite

STEPS = 50
MACHINES = ["X2_1204", "Z1_0701", "X2_1204MP3"]


def write(tools, name, data):
    path = tools.path(name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def floats(tools, name, shape, rng, deviation=1.0):
    values = array.array("f", [rng.gauss(0, deviation) for _ in range(math.prod(shape))])
    common.write_npy(tools.path(name), shape, values)
    return values


def same_bytes(a, b):
    return common.read_npy(a)[2].tobytes() == common.read_npy(b)[2].tobytes()


def largest_difference(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def check_window(tools, rng):
    """Over frames one by one and over all of them, which begin with two of zeros."""
    x = floats(tools, "x.npy", [STEPS, 4, 1, 8], rng)
    whole = array.array("f", bytes(4 * 4 * (STEPS + 2) * 8))
    for t in range(STEPS):
        for c in range(4):
            for w in range(8):
                whole[(c * (STEPS + 2) + t + 2) * 8 + w] = x[(t * 4 + c) * 8 + w]
    common.write_npy(tools.path("whole.npy"), [1, 4, STEPS + 2, 8], whole)
    net = write(tools, "window.onnx", onnx.window(1))
    write(tools, "frames.onnx", onnx.frames(STEPS + 2))
    tools.yarrow("eval", net, "--state", "cache=new_cache", "-i", tools.path("x.npy"), "-o",
                 tools.path("y.npy"))
    tools.yarrow("eval", tools.path("frames.onnx"), "-i", tools.path("whole.npy"), "-o",
                 tools.path("all.npy"))
    steps, at_once = common.read_npy(tools.path("y.npy"))[2], common.read_npy(
        tools.path("all.npy"))[2]
    turned = [at_once[(c * STEPS + t) * 8 + w]
              for t in range(STEPS) for c in range(6) for w in range(8)]
    tools.check(largest_difference(steps, turned) < 1e-5, "a window is not its convolution")
    check_integers(tools, net, "cache=new_cache", "window")


def check_cell(tools, rng):
    x = floats(tools, "x.npy", [STEPS, 8], rng)
    net = write(tools, "cell.onnx", onnx.cell(1))
    tools.yarrow("eval", net, "-i", tools.path("x.npy"), "-o", tools.path("y.npy"))
    weights = {name: onnx.spread(8 * onnx.CELLS, 0.4) for name in ("Wz", "Wn")}
    weights |= {name: onnx.spread(onnx.CELLS ** 2, 0.3) for name in ("Uz", "Un")}
    out = onnx.spread(3 * onnx.CELLS, 0.5)

    def product(row, matrix, columns):
        return [math.fsum(row[i] * matrix[i * columns + j] for i in range(len(row)))
                for j in range(columns)]
    h, expected = [0.0] * onnx.CELLS, []
    for t in range(STEPS):
        row = x[8 * t:8 * t + 8]
        sums = {gate: [a + b for a, b in zip(product(row, weights["W" + gate], onnx.CELLS),
                                             product(h, weights["U" + gate], onnx.CELLS))]
                for gate in "zn"}
        z = [1 / (1 + math.exp(-s)) for s in sums["z"]]
        n = [math.tanh(s) for s in sums["n"]]
        h = [a * b + (1 - a) * c for a, b, c in zip(z, h, n)]
        expected += product(h, out, 3)
    y = common.read_npy(tools.path("y.npy"))[2]
    tools.check(largest_difference(y, expected) < 1e-5, "a cell is not its formula")
    check_integers(tools, net, "h=h_next", "cell")


def check_integers(tools, net, state, name):
    tools.yarrow("quantize", net, "--state", state, "-c", tools.path("x.npy"), "-o",
                 tools.path("int"), "--brief", "--reset-every", 25)
    ir = tools.path("int", name + "_o.txt")
    compare(tools, ir, state.split("=")[0], name)


def compare(tools, ir, state, name):
    """Evaluator and NPU, in one run and in parts."""
    x, expected = tools.path("x.npy"), tools.path("expected.npy")
    tools.yarrow("eval", ir, "-i", x, "-o", expected, "--stored")
    for number, machine in enumerate(MACHINES):
        exe = tools.path("aipu.bin")
        more = ["--no-optimize"] if number == 1 else []
        tools.yarrow("compile", ir, "-t", machine, "-o", exe, *more)
        tools.yarrow("run", exe, "-i", x, "-o", tools.path("npu.npy"), "--stored")
        tools.check(same_bytes(expected, tools.path("npu.npy")),
                    f"{name} on {machine} differs from the evaluator")
    check_parts(tools, exe, state, name, expected)
    check_reset(tools, exe, ir, name)
    found = tools.yarrow("eval", "--int", ir, "--exe", exe, "--data", x)
    tools.check("0 of" in found, f"{name}: eval --int --exe says {found}")


def part(tools, path, first, last, to):
    shape, _, values = common.read_npy(path)
    size = math.prod(shape[1:])
    common.write_npy(tools.path(to), [last - first, *shape[1:]],
                     values[first * size:last * size])
    return tools.path(to)


def check_parts(tools, exe, state, name, expected):
    """A state that is written and read goes on where it was."""
    x, outputs = tools.path("x.npy"), []
    for i, (first, last) in enumerate([(0, 20), (20, STEPS)]):
        given = ["--state", f"{state}={tools.path('state.npy')}"] if i else []
        tools.yarrow("run", exe, "-i", part(tools, x, first, last, "part.npy"), "-o",
                     tools.path("part_out.npy"), "--stored", "--final-state",
                     tools.path("next.npy"), *given)
        os.replace(tools.path("next.npy"), tools.path("state.npy"))
        outputs.append(common.read_npy(tools.path("part_out.npy"))[2].tobytes())
    tools.check(b"".join(outputs) == common.read_npy(expected)[2].tobytes(),
                f"{name} in two runs is not the same as in one")


def check_reset(tools, exe, ir, name):
    """The same ten samples, five times."""
    shape, _, values = common.read_npy(tools.path("x.npy"))
    ten = values[:10 * math.prod(shape[1:])]
    common.write_npy(tools.path("again.npy"), shape, ten * 5)
    results = []
    for reset in ([], ["--reset-every", 10]):
        tools.yarrow("run", exe, "-i", tools.path("again.npy"), "-o", tools.path("npu.npy"),
                     "--stored", *reset)
        tools.yarrow("eval", ir, "-i", tools.path("again.npy"), "-o", tools.path("host.npy"),
                     "--stored", *reset)
        tools.check(same_bytes(tools.path("npu.npy"), tools.path("host.npy")),
                    f"{name} with {reset} differs from the evaluator")
        results.append(common.read_npy(tools.path("npu.npy"))[2].tobytes())
    blocks = {results[1][i * len(results[1]) // 5:(i + 1) * len(results[1]) // 5]
              for i in range(5)}
    tools.check(len(blocks) == 1, f"{name}: sequences that are reset differ")
    tools.check(results[0] != results[1], f"{name}: a reset changes nothing")


def odd_networks():
    """Nodes, states and what y is of a step's x and states, by name."""
    def add(x, y, to):
        return onnx.node("Add", [x, y], [to])

    def same(x, to):
        return onnx.node("Identity", [x], [to])
    k = [1.0, 2.0, 3.0, 4.0]
    ones = onnx.floats("k", [1, 4], k)
    return {
        # Never changed, and always the same from the first run on.
        "stays": (add("x", "h", "y") + same("h", "new_h"), "h", lambda x, s: (x, s)),
        "constant": (ones + add("x", "h", "y") + same("k", "new_h"), "h",
                     lambda x, s: ([a + b for a, b in zip(x, s[0])], [k])),
        # What it becomes, or was, is an output, too.
        "both": (add("x", "h", "new_h") + same("new_h", "y"), "h",
                 lambda x, s: ([a + b for a, b in zip(x, s[0])],
                               [[a + b for a, b in zip(x, s[0])]])),
        "before": (add("x", "h", "new_h") + same("h", "y"), "h",
                   lambda x, s: (s[0], [[a + b for a, b in zip(x, s[0])]])),
        "unread": (onnx.node("Neg", ["x"], ["y"]) + onnx.node("Abs", ["x"], ["new_h"]), "h",
                   lambda x, s: ([-a for a in x], [[abs(a) for a in x]])),
        # Each becomes the other one.
        "swap": (ones + add("a", "k", "c") + add("x", "c", "y") + same("c", "new_b") +
                 same("b", "new_a"), "ab",
                 lambda x, s: ([u + v + w for u, v, w in zip(x, s[0], k)],
                               [s[1], [v + w for v, w in zip(s[0], k)]])),
    }


def check_odd(tools, rng):
    """States that are hardly any, or have several uses."""
    x = floats(tools, "x.npy", [6, 4], rng)
    for number, (name, (nodes, states, step)) in enumerate(odd_networks().items()):
        tensors = b"".join(onnx.value(11, t, [1, 4]) for t in "x" + states)
        tensors += b"".join(onnx.value(12, t, [1, 4])
                            for t in ["y"] + ["new_" + s for s in states])
        net = write(tools, name + ".onnx", onnx.model(nodes + tensors))
        now, expected = [[0.0] * 4 for _ in states], []
        for t in range(6):
            y, now = step(list(x[4 * t:4 * t + 4]), now)
            expected += y
        tools.yarrow("eval", net, "-i", tools.path("x.npy"), "-o", tools.path("y.npy"))
        found = common.read_npy(tools.path("y.npy"))[2]
        tools.check(largest_difference(found, expected) < 1e-5, f"the state {name} is another")
        tools.yarrow("compile", net, "-t", MACHINES[number % 3], "-o", tools.path("aipu.bin"))
        tools.yarrow("run", tools.path("aipu.bin"), "-i", tools.path("x.npy"), "-o",
                     tools.path("npu.npy"))
        tools.check(same_bytes(tools.path("y.npy"), tools.path("npu.npy")),
                    f"the state {name} differs on {MACHINES[number % 3]}")


def check_delays(tools, rng):
    """States that become one another."""
    x = floats(tools, "x.npy", [STEPS, 4], rng)
    net = write(tools, "delays.onnx", onnx.delays(1))
    tools.yarrow("eval", net, "-i", tools.path("x.npy"), "-o", tools.path("y.npy"))
    expected = [sum(x[4 * (t - d) + i] for d in range(min(t, 2) + 1))
                for t in range(STEPS) for i in range(4)]
    y = common.read_npy(tools.path("y.npy"))[2]
    tools.check(largest_difference(y, expected) < 1e-5, "delays are not what they were")
    tools.yarrow("import", net, "-o", tools.path("float"))
    for machine in MACHINES:
        tools.yarrow("compile", tools.path("float", "delays.txt"), "-t", machine, "-o",
                     tools.path("aipu.bin"))
        tools.yarrow("run", tools.path("aipu.bin"), "-i", tools.path("x.npy"), "-o",
                     tools.path("npu.npy"))
        tools.check(same_bytes(tools.path("y.npy"), tools.path("npu.npy")),
                    f"delays in floats on {machine} differ")


def check_tflite(tools, rng):
    """A model that is quantized already keeps its integers, and its first state."""
    values = array.array("b", [rng.randint(-128, 127) for _ in range(STEPS * 8 * 4)])
    common.write_npy(tools.path("x.npy"), [STEPS, 1, 8, 4], values)
    tools.yarrow("quantize", write_tflite(tools, "sliding"), "-o", tools.path("given"))
    ir = tools.path("given", "sliding_o.txt")
    compare(tools, ir, "frames", "sliding")
    # The convolution's sums in whole numbers, rounded once.
    weights = [(i * 37 + 11) % 101 - 50 for i in range(6 * 3 * 4)]
    y, wrong = common.read_npy(tools.path("expected.npy"))[2], 0
    frames = [[-3] * 32, [-3] * 32] + [list(values[32 * t:32 * t + 32]) for t in range(STEPS)]
    for t in range(STEPS):
        for w in range(8):
            for o in range(6):
                total = 7 * o - 20 + sum(
                    (frames[t + k][4 * w + c] + 3) * weights[(o * 3 + k) * 4 + c]
                    for k in range(3) for c in range(4))
                real = total * 0.0005 / 0.08 + 4
                wrong += abs(min(max(real, -128), 127) - y[(t * 8 + w) * 6 + o]) > 0.501
    tools.check(wrong == 0, f"{wrong} values of a sliding window are not its convolution")


def check_scales(tools, rng):
    """A model whose integers have one scale before a sum and another behind it."""
    floats(tools, "x.npy", [STEPS, 8], rng)
    net = write(tools, "scaled_cell.onnx", onnx.scaled_cell(1))
    tools.yarrow("import", net, "-o", tools.path("qdq"))
    tools.yarrow("eval", net, "-i", tools.path("x.npy"), "-o", tools.path("y.npy"), "--stored")
    tools.yarrow("compile", net, "-o", tools.path("aipu.bin"))
    tools.yarrow("run", tools.path("aipu.bin"), "-i", tools.path("x.npy"), "-o",
                 tools.path("npu.npy"), "--stored")
    tools.check(same_bytes(tools.path("y.npy"), tools.path("npu.npy")),
                "a state between scales differs")
    # h' = round((x + h / 2) / 0.2) * 0.2, each sum's terms in steps of their own.
    x, y, wrong = common.read_npy(tools.path("x.npy"))[2], common.read_npy(
        tools.path("y.npy"))[2], 0
    h = [0.0] * 8
    for t in range(STEPS):
        for i in range(8):
            taken = round(x[8 * t + i] / 0.0625) * 0.0625
            kept = round(round(h[i] / 0.125) * 0.125 / 2 / 0.125) * 0.125
            h[i] = round((taken + kept) / 0.2) * 0.2
            wrong += abs(max(h[i], 0) - y[8 * t + i]) > 0.2 + 1e-4  # a step
    tools.check(wrong == 0, f"{wrong} values of a leaky sum differ by more than a step")


def write_tflite(tools, model):
    path = tools.path(model + ".tflite")
    subprocess.run([sys.executable, tflite.__file__, model, "-o", path], check=True)
    return path


def check_variables(tools, rng, model, code):
    """A sequence in two runs of three steps is the same as in one of six."""
    number = (lambda: rng.randint(-128, 127)) if code == "b" else (lambda: rng.gauss(0, 1))
    values = array.array(code, [number() for _ in range(2 * 6 * 4)])
    common.write_npy(tools.path("long.npy"), [2, 6, 4], values)
    halves = array.array(code)
    for half in range(2):
        for sample in range(2):
            at = sample * 24 + half * 12
            halves += values[at:at + 12]
    common.write_npy(tools.path("x.npy"), [4, 3, 4], halves)
    tools.yarrow("eval", write_tflite(tools, model + "_long"), "--input-shape", "x=2,6,4", "-i",
                 tools.path("long.npy"), "-o", tools.path("whole.npy"), "--stored")
    net = write_tflite(tools, model)
    keeps = ["--state", "variables", "--input-shape", "x=2,3,4"]
    tools.yarrow("eval", net, *keeps, "-i", tools.path("x.npy"), "-o", tools.path("y.npy"),
                 "--stored")
    whole, y = common.read_npy(tools.path("whole.npy"))[2], common.read_npy(
        tools.path("y.npy"))[2]
    turned = [whole[sample * 30 + half * 15 + i]
              for half in range(2) for sample in range(2) for i in range(15)]
    tools.check(list(y) == turned, f"{model} in two runs is not the same as in one")
    tools.yarrow("compile", net, *keeps, "-o", tools.path("aipu.bin"))
    tools.yarrow("run", tools.path("aipu.bin"), "-i", tools.path("x.npy"), "-o",
                 tools.path("npu.npy"), "--stored")
    tools.check(same_bytes(tools.path("y.npy"), tools.path("npu.npy")),
                f"{model} on the NPU differs")


def check_svdf(tools, rng, model, bias, error):
    x = floats(tools, "x.npy", [STEPS, 4], rng)
    net = write_tflite(tools, model)
    keeps = ["--state", "variables"]
    tools.yarrow("eval", net, *keeps, "-i", tools.path("x.npy"), "-o", tools.path("y.npy"),
                 "--stored")
    tools.yarrow("compile", net, *keeps, "-o", tools.path("aipu.bin"))
    tools.yarrow("run", tools.path("aipu.bin"), "-i", tools.path("x.npy"), "-o",
                 tools.path("npu.npy"), "--stored")
    tools.check(same_bytes(tools.path("y.npy"), tools.path("npu.npy")),
                f"{model} on the NPU differs")
    memory, expected = [[0.0] * 5 for _ in range(6)], []
    for t in range(STEPS):
        for f in range(6):
            newest = sum(x[4 * t + i] * tflite.SVDF_FEATURES[4 * f + i] for i in range(4))
            memory[f] = memory[f][1:] + [newest]
        for unit in range(3):
            expected.append(bias[unit] + sum(
                memory[f][s] * tflite.SVDF_TIME[5 * f + s]
                for f in (2 * unit, 2 * unit + 1) for s in range(5)))
    y = common.read_npy(tools.path("y.npy"))[2]
    if y.typecode == "b":
        y, expected = [0.05 * (v + 2) for v in y], [
            min(max(v, 0.05 * (-128 + 2)), 0.05 * (127 + 2)) for v in expected]
    tools.check(largest_difference(y, expected) < error, f"{model} is not its formula: "
                f"{largest_difference(y, expected)}")


def check_mistakes(tools):
    """Coded errors, and nothing written."""
    exe = tools.path("aipu.bin")
    common.write_npy(tools.path("wrong.npy"), [1, 5], array.array("f", [0] * 5))
    for given, code in [(["--state", f"h={tools.path('wrong.npy')}"], "E0"),
                        (["--state", "nobody=x.npy"], "E0")]:
        done = subprocess.run([tools.program, "run", exe, "-i", tools.path("x.npy"), "-o",
                               tools.path("never.npy"), *given], capture_output=True, text=True)
        tools.check(done.returncode == 1 and "error " + code in done.stderr,
                    f"{given}: {done.returncode} {done.stderr}")
    tools.check(not os.path.exists(tools.path("never.npy")), "outputs of a refused run")


def main():
    tools = common.arguments(__doc__)
    rng = random.Random(46)
    check_window(tools, rng)
    check_cell(tools, rng)
    check_mistakes(tools)
    check_odd(tools, rng)
    check_delays(tools, rng)
    check_scales(tools, rng)
    check_tflite(tools, rng)
    check_variables(tools, rng, "lstm", "b")
    check_variables(tools, rng, "float_lstm", "f")
    check_svdf(tools, rng, "svdf", [0.1, -0.2, 0.3], 1e-5)
    check_svdf(tools, rng, "stored_svdf", [0.0002, -0.0004, 0.0006], 0.1)
    tools.finish()


if __name__ == "__main__":
    main()
