"""A greedy decoder whose loop runs on the device, from floats to bytes.

A recurrent cell picks its next token from its last one until it meets the end
token or the most steps, all in a Loop; an If behind it takes one of two classifiers
by the last token. The float network is computed here from the definition and
compared with the evaluator's floats; then it is quantized, with its sub-graphs,
and evaluator and NPU must give the same bytes on several machines. A constant
condition leaves nothing of the If; a loop that never ends stops with an error.
"""
import array
import math
import os
import random
import subprocess

import common
from networks import Graph, write_graphs

STATE, EMBEDDING, TOKENS, STEPS, CLASSES = 24, 12, 10, 6, 5
END = 0


def affine(matrix, biases, x):
    return [b + math.fsum(w * v for w, v in zip(matrix[i * len(x):], x))
            for i, b in enumerate(biases)]


class Decoder:
    def __init__(self, rng, end=END):
        self.end = end

        def floats(count, deviation):
            return array.array("f", (rng.gauss(0, deviation) for _ in range(count)))
        width = EMBEDDING + STATE
        self.embedding = floats(TOKENS * EMBEDDING, 1)
        self.cell = floats(STATE * width, 2 / math.sqrt(width)), floats(STATE, 0.2)
        self.head = floats(TOKENS * STATE, 1), floats(TOKENS, 0.2)
        self.classifiers = [(floats(CLASSES * STATE, 0.4), floats(CLASSES, 0.2)) for _ in range(2)]

    def compute(self, count, token, state):
        """Tokens, and the classes' scores."""
        tokens, going = [], True
        while len(tokens) < min(count, STEPS) and going:
            x = list(self.embedding[token * EMBEDDING:(token + 1) * EMBEDDING]) + state
            state = [math.tanh(v) for v in affine(*self.cell, x)]
            scores = affine(*self.head, state)
            token = scores.index(max(scores))
            tokens.append(token)
            going = token != self.end
        which = 0 if token > TOKENS // 2 else 1
        return tokens + [0] * (STEPS - len(tokens)), affine(*self.classifiers[which], state)

    def body(self, weights):
        g = Graph("step", weights)
        g.input([1], "int32")  # iteration
        g.input([1], "uint8")  # condition
        state, token = g.input([1, STATE], "float32"), g.input([1], "int32")
        table = g.constant([TOKENS, EMBEDDING], self.embedding)
        x = g.layer("Gather", [table, token], [1, EMBEDDING], "float32", "axis=0", "batch_dims=0")
        x = g.layer("Concat", [x, state], [1, EMBEDDING + STATE], "float32", "axis=1")
        state = g.layer("Activation", [g.connected(x, *self.cell)], [1, STATE], "float32",
                        "method=TANH")
        best = g.layer("ArgMinMax", [g.connected(state, *self.head)], [1, 1], "int32",
                       "method=MAX", "axis=1", "select_last_index=false")
        token = g.layer("Reshape", [best], [1], "int32", "shape=[1]")
        going = g.layer("Logical", [token, g.constant([1], [self.end], "int32")], [1], "uint8",
                        "method=NOT_EQUAL")
        g.outputs = [going, state, token, token]
        return g

    def classifier(self, name, weights, which):
        g = Graph(name, weights)
        g.outputs = [g.connected(g.input([1, STATE], "float32"), *self.classifiers[which])]
        return g

    def write(self, folder, condition=None):
        """With a \\p condition, the If does not look at the last token."""
        weights = bytearray()
        main = Graph("main", weights)
        count, going = main.input([1], "int32"), main.input([1], "uint8")
        state, token = main.input([1, STATE], "float32"), main.input([1], "int32")
        last = ("state", [1, STATE], "float32"), ("last", [1], "int32")
        rows = ("tokens", [STEPS, 1], "int32")
        main.layer("Loop", [count, going, state, token], None, None, "dependency_inputs_num=2",
                   "scan_outputs_num=1", "body=step", f"loop_default_count={STEPS}",
                   tops=[*last, rows])
        if condition is None:
            flag = main.layer("Logical", [last[1], main.constant([1], [TOKENS // 2], "int32")],
                              [1], "uint8", "method=GREATER")
        else:
            flag = main.constant([1], [condition], "int32")
        scores = main.layer("If", [flag, last[0], last[0]], None, None, "then_branch=first",
                            "else_branch=second", "then_branch_inputs_num=1",
                            "else_branch_inputs_num=1",
                            tops=[("scores", [1, CLASSES], "float32")])[0]
        main.outputs = [rows, scores]
        write_graphs(folder, [main, self.body(weights), self.classifier("first", weights, 0),
                              self.classifier("second", weights, 1)])


def write_samples(folder, samples):
    files = []
    for i, (code, length) in enumerate((("i", 1), ("B", 1), ("f", STATE), ("i", 1))):
        values = sum((list(s[i]) for s in samples), [])
        files.append(folder + f"in{i}.npy")
        common.write_npy(files[-1], (len(samples), length), array.array(code, values))
    return ",".join(files)


def check_decoder(tools, seed, summary):
    rng = random.Random(seed)
    decoder = Decoder(rng)
    folder = tools.path(f"net{seed}", "")
    decoder.write(folder)
    samples = [([rng.randint(1, STEPS)], [1], array.array("f", (rng.gauss(0, 0.6)
                                                              for _ in range(STATE))),
                [rng.randrange(TOKENS)]) for _ in range(32)]
    inputs = write_samples(folder, samples)
    expected = [decoder.compute(s[0][0], s[3][0], list(s[2])) for s in samples]
    outputs = ",".join(folder + f"out{i}.npy" for i in range(2))
    tools.yarrow("compile", folder + "float.txt", "-w", folder + "float.bin", "--target",
                 "X2_1204", "-o", folder + "float.exe")
    tools.yarrow("run", folder + "float.exe", "-i", inputs, "-o", outputs)
    _, _, tokens = common.read_npy(folder + "out0.npy")
    tools.check(list(tokens) == sum((e[0] for e in expected), []), f"net{seed}: float tokens")
    _, _, scores = common.read_npy(folder + "out1.npy")
    tools.check(common.sqnr_db(sum((e[1] for e in expected), []), scores) > 90,
                f"net{seed}: float scores")
    tools.yarrow("quantize", "--recipe", "compass", folder + "float.txt", "-w", folder + "float.bin", "-c", inputs,
                 "-o", folder, "--model-name", "net", "--brief")
    network = folder + "net_o.txt"
    for target in ("X2_1204", "Z1_0701"):
        exe = folder + target + ".bin"
        tools.yarrow("compile", network, "-w", folder + "net_o.bin", "--target", target, "-o", exe)
        tools.yarrow("run", exe, "-i", inputs, "-o", outputs)
        found = common.read_npy(folder + "out0.npy")[2]
        said = tools.yarrow("eval", "--int", network + "," + folder + "net_o.bin", "--exe", exe,
                            "--data", inputs, ok=(0, 3))
        tools.check("int and npu: 0 of" in said, f"net{seed} on {target}: {said}")
    # Later tokens follow from earlier ones: as far as they agree, and the next.
    for i, (tokens, _) in enumerate(expected):
        for mine, wanted in zip(found[i * STEPS:], tokens):
            summary.append(mine == wanted)
            if mine != wanted:
                break


def check_constant(tools, condition):
    """One branch alone is left, in the main graph."""
    folder = tools.path(f"constant{condition}", "")
    Decoder(random.Random(1)).write(folder, condition)
    tools.yarrow("compile", folder + "float.txt", "-w", folder + "float.bin", "--target",
                 "X2_1204", "--stop-after", "cleanup", "-o", folder + "net.mlir")
    with open(folder + "net.mlir", encoding="utf-8") as f:
        module = f.read()
    tools.check("compass.if" not in module and "@first" not in module and
                "@second" not in module and "@step" in module,
                f"an If of a constant {condition} is still there")


def check_endless(tools):
    """A loop without an end stops, and the error tells in which layer."""
    folder = tools.path("endless", "")
    Decoder(random.Random(1), end=-1).write(folder)
    inputs = write_samples(folder, [([2**31 - 1], [1], [0.1] * STATE, [3])])
    tools.yarrow("compile", folder + "float.txt", "-w", folder + "float.bin", "--target",
                 "X2_1204", "-o", folder + "aipu.bin")
    done = subprocess.run([tools.program, "run", folder + "aipu.bin", "-i", inputs, "-o",
                           folder + "a.npy," + folder + "b.npy", "--budget", "20000000"],
                          stderr=subprocess.PIPE, text=True)
    tools.check(done.returncode == 1 and "error E0803: layer '" in done.stderr,
                "an endless loop: " + done.stderr)
    done = subprocess.run([tools.program, "quantize", "--recipe", "compass", folder + "float.txt", "-w",
                           folder + "float.bin", "-c", inputs, "-o", folder],
                          stderr=subprocess.PIPE, text=True)
    tools.check(done.returncode == 1 and "error E0803: layer '" in done.stderr,
                "an endless loop on the host: " + done.stderr)


def main():
    tools = common.arguments("Check a decoder with a loop")
    same = []
    for seed in range(int(os.environ.get("YARROW_DECODERS", "4"))):
        check_decoder(tools, seed, same)
    print(f"tokens as in floats: {sum(same)} of {len(same)}")
    tools.check(sum(same) >= 0.92 * len(same), "the quantized decoder picks other tokens")
    for condition in (0, 1):
        check_constant(tools, condition)
    check_endless(tools)
    tools.finish()


if __name__ == "__main__":
    main()
