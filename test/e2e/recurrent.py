"""Recurrent layers against formulas of their own, in floats and on the device.

Random LSTMs and GRUs of every form (directions, batches, first states, results,
activations with their parameters, clips) are computed here from the definition,
and the evaluator's floats compared with that. Then they are quantized, and
evaluator and NPU must give the same bytes on several machines.
"""
import array
import math
import os
import random
import subprocess

import common
from networks import text

SIGMOID = "SIGMOID"
# Of a function: its formula in x, alpha and beta, and which of the two it has.
FUNCTIONS = {
    SIGMOID: (lambda x, a, b: 1 / (1 + math.exp(-x)), ""),
    "TANH": (lambda x, a, b: math.tanh(x), ""),
    "RELU": (lambda x, a, b: max(x, 0), ""),
    "LEAKYRELU": (lambda x, a, b: x if x >= 0 else a * x, "a"),
    "THRESHOLDEDRELU": (lambda x, a, b: x if x >= a else 0, "a"),
    "HARDSIGMOID": (lambda x, a, b: min(max(a * x + b, 0), 1), "ab"),
    "ELU": (lambda x, a, b: x if x >= 0 else a * (math.exp(x) - 1), "a"),
    "SOFTSIGN": (lambda x, a, b: x / (1 + abs(x)), ""),
    "SOFTPLUS": (lambda x, a, b: math.log(1 + math.exp(x)), ""),
}
GRU_FUNCTIONS = dict(FUNCTIONS, AFFINE=(lambda x, a, b: a * x + b, "ab"))
# What the gates of a GRU may be in integers.
WITHIN_ONE = (SIGMOID, "TANH", "SOFTSIGN")


class Layer:
    """A random layer, its tensors and its results."""

    def __init__(self, rng):
        self.rng = rng
        self.kind = rng.choice(["BasicLSTM", "GRUv1", "GRUv3"])
        self.is_lstm = self.kind == "BasicLSTM"
        self.batch, self.steps = rng.randint(1, 3), rng.randint(1, 6)
        self.inputs, self.cells = rng.randint(1, 20), rng.randint(1, 40)
        self.direction = rng.choice(["forward", "reverse"])
        words = ["Y", "H", "C"] if self.is_lstm else ["H", "Hn"]
        self.words = sorted(rng.sample(words, rng.randint(1, len(words))), key=words.index)
        self.choose_functions()
        self.threshold = rng.choice([None, None, 0.75])
        self.cell_clip = rng.choice([None, None, 0.5]) if self.is_lstm else None
        gates = 4 if self.is_lstm else 3
        biases = 3 if self.kind == "GRUv3" else 4
        width = self.inputs + self.cells
        self.weights = self.floats(gates * self.cells * width, 1.5 / math.sqrt(width))
        self.biases = self.floats(biases * self.cells, 0.4)
        shapes = [[self.batch, self.steps, self.inputs]]
        shapes += [[self.batch, self.cells]] * rng.randint(0, 2 if self.is_lstm else 1)
        self.tensors = [(s, self.floats(math.prod(s), 0.8)) for s in shapes]

    def floats(self, count, deviation):
        # Through float32, as the files hold them.
        return array.array("f", (self.rng.gauss(0, deviation) for _ in range(count)))

    def choose_functions(self):
        known = FUNCTIONS if self.is_lstm else GRU_FUNCTIONS
        count = 3 if self.is_lstm else 2
        self.functions = [SIGMOID, "TANH", "TANH"][:count]
        if self.rng.random() < 0.6:
            self.functions = [self.rng.choice(list(known)) for _ in range(count)]
        self.alpha = [round(self.rng.uniform(0.1, 0.6), 3) for _ in range(count)]
        self.beta = [round(self.rng.uniform(0.1, 0.6), 3) for _ in range(count)]
        self.formulas = [known[f] for f in self.functions]

    def value(self, which, x, clips=True):
        if self.threshold and clips:
            x = min(max(x, -self.threshold), self.threshold)
        return self.formulas[which][0](x, self.alpha[which], self.beta[which])

    def parameters(self, values, letter):
        """One for each activation, or one for each that has it."""
        has = [letter in known for _, known in self.formulas]
        if self.rng.random() < 0.5:
            return values
        return [v for v, h in zip(values, has) if h] or values

    def product(self, gate, cell, x, state):
        """Parts of x and of the state, without a bias."""
        width = self.inputs + self.cells
        row = self.weights[(gate * self.cells + cell) * width:][:width]
        return (math.fsum(w * v for w, v in zip(row, x)),
                math.fsum(w * v for w, v in zip(row[self.inputs:], state)))

    def bias(self, gate, cell):
        return self.biases[gate * self.cells + cell]

    def sums(self, gate, x, state):
        return [sum(self.product(gate, k, x, state)) + self.bias(gate, k)
                for k in range(self.cells)]

    def lstm_step(self, x, state, cell):
        i, g, f, o = (self.sums(k, x, state) for k in range(4))
        i, f, o = ([self.value(0, v) for v in gate] for gate in (i, f, o))
        cell = [a * self.value(1, b) + c * d for a, b, c, d in zip(i, g, f, cell)]
        if self.cell_clip:
            cell = [min(max(c, -self.cell_clip), self.cell_clip) for c in cell]
        return [a * self.value(2, c, clips=False) for a, c in zip(o, cell)], cell

    def gru_step(self, x, state, _):
        r, u = ([self.value(0, v) for v in self.sums(k, x, state)] for k in (0, 1))
        if self.kind == "GRUv1":
            parts = [self.product(2, k, x, state) for k in range(self.cells)]
            c = [p + self.bias(2, k) + r[k] * (q + self.bias(3, k))
                 for k, (p, q) in enumerate(parts)]
        else:
            c = self.sums(2, x, [a * b for a, b in zip(r, state)])
        c = [self.value(1, v) for v in c]
        return [(1 - a) * b + a * h for a, b, h in zip(u, c, state)], None

    def results(self):
        """In the order of the words."""
        sequence, last, cells = [], [], []
        step = self.lstm_step if self.is_lstm else self.gru_step
        for n in range(self.batch):
            x = self.tensors[0][1][n * self.steps * self.inputs:]
            first = [list(t[n * self.cells:][:self.cells]) for _, t in self.tensors[1:]]
            state, cell = (first + [[0.0] * self.cells] * 2)[:2]
            rows = [None] * self.steps
            order = range(self.steps)
            for t in order if self.direction == "forward" else reversed(order):
                state, cell = step(x[t * self.inputs:][:self.inputs], state, cell)
                rows[t] = state
            sequence += sum(rows, [])
            last += state
            cells += cell or []
        every = "Y" if self.is_lstm else "H"
        one = [self.batch, self.cells]
        found = {"H": (one, last), "Hn": (one, last), "C": (one, cells)}
        found[every] = ([self.batch, self.steps, self.cells], sequence)
        return [found[word] for word in self.words]

    def write(self, folder):
        """float.txt, float.bin, inK.npy and foutK.npy."""
        results = self.results()
        names = [f"in{i}" for i in range(len(self.tensors))]
        tops = [f"out{i}" for i in range(len(results))]
        width = self.inputs + self.cells
        lines = ["model_name=net", f"layer_number={len(names) + 1}", "precision=float32",
                 "model_bin=./float.bin", "input_tensors=" + text(names),
                 "output_tensors=" + text(tops)]
        for i, (name, (shape, _)) in enumerate(zip(names, self.tensors)):
            lines += ["", f"layer_id={i}", f"layer_name={name}", "layer_type=Input",
                      "layer_bottom=[]", "layer_bottom_shape=[]", "layer_bottom_type=[]",
                      f"layer_top=[{name}]", f"layer_top_shape=[{text(shape)}]",
                      "layer_top_type=[float32]"]
        lines += ["", f"layer_id={len(names)}", "layer_name=op", f"layer_type={self.kind}",
                  "layer_bottom=" + text(names),
                  "layer_bottom_shape=" + text(text(s) for s, _ in self.tensors),
                  "layer_bottom_type=" + text("float32" for _ in names),
                  "layer_top=" + text(tops),
                  "layer_top_shape=" + text(text(s) for s, _ in results),
                  "layer_top_type=" + text("float32" for _ in tops),
                  "weights_type=float32", "weights_offset=0",
                  f"weights_size={4 * len(self.weights)}",
                  f"weights_shape=[{len(self.weights) // width},{width}]",
                  "biases_type=float32", f"biases_offset={4 * len(self.weights)}",
                  f"biases_size={4 * len(self.biases)}", f"biases_shape=[{len(self.biases)}]",
                  f"time_steps={self.steps}", f"input_size={self.inputs}",
                  f"cell_size={self.cells}", f"direction={self.direction}",
                  "activations=" + text(self.functions),
                  "activation_alpha=" + text(self.parameters(self.alpha, "a")),
                  "activation_beta=" + text(self.parameters(self.beta, "b")),
                  "out_sequence=" + text(self.words)]
        for key, value in (("threshold", self.threshold), ("cell_clip", self.cell_clip)):
            if value:
                lines.append(f"{key}={value}")
        with open(folder + "float.txt", "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n\n")
        with open(folder + "float.bin", "wb") as f:
            f.write(self.weights.tobytes() + self.biases.tobytes())
        for i, (shape, values) in enumerate(self.tensors):
            common.write_npy(folder + f"in{i}.npy", shape, values)
        for i, (shape, values) in enumerate(results):
            common.write_npy(folder + f"fout{i}.npy", shape, array.array("f", values))


def check_integers(tools, name, layer, folder):
    """Quantized in some way, the NPU gives the evaluator's bytes."""
    rng = layer.rng
    inputs = ",".join(folder + f"in{i}.npy" for i in range(len(layer.tensors)))
    options = []
    if layer.is_lstm and rng.random() < 0.4:
        options += ["--activation-bits", "16"]
    if rng.random() < 0.5:
        options += ["--quantize-method-for-weight", "per_channel_symmetric_restricted_range"]
    if rng.random() < 0.5:
        options += ["--quantize-method-for-activation", "per_tensor_asymmetric"]
    tools.yarrow("quantize", "--recipe", "compass", folder + "float.txt", "-w", folder + "float.bin", "-c", inputs, "-o",
                 folder, "--brief", *options)
    network = folder + "net_o.txt," + folder + "net_o.bin"
    for target in ("X2_1204", "Z1_0701"):
        for level in ("-O0", "-O"):
            exe = folder + "aipu.bin"
            tools.yarrow("compile", folder + "net_o.txt", "--target", target, level, "-o", exe)
            found = tools.yarrow("eval", "--int", network, "--exe", exe, "--data", inputs,
                                 ok=(0, 3))
            tools.check("int and npu: 0 of" in found, f"{name} {options} on {target} {level}")


def main():
    tools = common.arguments("Check recurrent layers")
    layers = []
    for seed in range(int(os.environ.get("YARROW_RECURRENT_NETWORKS", "16"))):
        layer = Layer(random.Random(seed))
        folder = tools.path("packs", "opzoo", layer.kind, f"c{seed}", "")
        layer.write(folder)
        layers.append((f"{seed}: {layer.kind} {layer.functions}", layer, folder))
    # The evaluator's floats, in one run.
    conformance = os.path.join(os.path.dirname(tools.program), "yarrow-conformance")
    done = subprocess.run([conformance, "--packs", tools.path("packs", ""), "--stage", "float"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not tools.check(done.returncode == 0, "floats"):
        print(done.stdout)
    for name, layer, folder in layers:
        if layer.is_lstm or layer.functions[0] in WITHIN_ONE:
            check_integers(tools, name, layer, folder)
    tools.finish()


if __name__ == "__main__":
    main()
