"""Networks that read lines of text: convolutions, columns, recurrence, CTC.

Lines of random glyphs go through a CRNN with random weights: two GRUs, one of them
backwards, or an LSTM. What is behind the convolutions is computed here from the
definition and compared with the evaluator's floats, down to the labels. Quantized,
evaluator and NPU give the same bytes on three machines, and the labels are mostly
those of the floats.
"""
import array
import math
import random

import common
from boxes import rows, sigmoid
from networks import Graph, Network, text

HEIGHT, WIDTH, GLYPHS, STROKE = 16, 64, 10, 8
STEPS, CELLS, CLASSES = WIDTH // 2, 32, GLYPHS + 1
CALIBRATED, EVALUATED = 24, 16


class Recurrence:
    """A layer of the graph, and its formulas: GRUv3 or BasicLSTM."""

    def __init__(self, graph, x, kind, direction):
        self.is_lstm, self.is_reverse = kind == "BasicLSTM", direction == "reverse"
        inputs, rng = x[1][2], graph.rng
        gates, width = 4 if self.is_lstm else 3, inputs + CELLS
        weights = array.array("f", (rng.gauss(0, 1.5 / math.sqrt(width))
                                    for _ in range(gates * CELLS * width)))
        self.rows = rows(weights, width)
        self.biases = array.array("f", (rng.gauss(0, 0.2) for _ in range(gates * CELLS)))
        functions = ["SIGMOID", "TANH", "TANH"][:gates - 1]
        self.result = graph.layer(
            kind, [x], [1, STEPS, CELLS], "float32",
            *graph.blob("weights", [gates * CELLS, width], weights),
            *graph.blob("biases", [gates * CELLS], self.biases), f"time_steps={STEPS}",
            f"input_size={inputs}", f"cell_size={CELLS}", f"activations={text(functions)}",
            f"direction={direction}", f"out_sequence=[{'Y' if self.is_lstm else 'H'}]")

    def sums(self, gate, x, state):
        both = x + state
        return [self.biases[k] + math.fsum(w * v for w, v in zip(self.rows[k], both))
                for k in range(gate * CELLS, (gate + 1) * CELLS)]

    def lstm(self, x, state, cell):
        i, g, f, o = (self.sums(gate, x, state) for gate in range(4))
        cell = [sigmoid(a) * math.tanh(b) + sigmoid(c) * d for a, b, c, d in zip(i, g, f, cell)]
        return [sigmoid(a) * math.tanh(c) for a, c in zip(o, cell)], cell

    def gru(self, x, state, _):
        r, z = ([sigmoid(v) for v in self.sums(gate, x, state)] for gate in range(2))
        c = self.sums(2, x, [a * h for a, h in zip(r, state)])
        return [a * h + (1 - a) * math.tanh(b) for a, b, h in zip(z, c, state)], None

    def states(self, sequence):
        state, cell, states = [0.0] * CELLS, [0.0] * CELLS, []
        for x in reversed(sequence) if self.is_reverse else sequence:
            state, cell = (self.lstm if self.is_lstm else self.gru)(x, state, cell)
            states.append(state)
        return states[::-1] if self.is_reverse else states


class Crnn:
    """Outputs: labels, scores of the steps, and the sequence before the recurrence."""

    def __init__(self, rng, kind, directions):
        self.graph = g = Graph("main", bytearray(), rng)
        x, lengths = g.input([1, HEIGHT, WIDTH, 1]), g.input([1], "int32")
        x = g.pool(g.conv(x, 16))
        x = g.pool(g.conv(x, 24), 2, 1)
        height, depth = x[1][1], x[1][3]
        x = g.layer("Transpose", [x], [1, STEPS, height, depth], "float32", "perm=[0,2,1,3]")
        sequence = g.reshape(x, [1, STEPS, height * depth])
        self.first_behind = len(g.layers)
        self.parts = [Recurrence(g, sequence, kind, d) for d in directions]
        states = [part.result for part in self.parts]
        size = CELLS * len(states)
        states = g.concat(states, 2) if len(states) > 1 else states[0]
        self.matrix = g.filters(CLASSES, size, 8)
        self.biases = [0.0] * GLYPHS + [0.5]
        scores = g.connected(g.reshape(states, [STEPS, size]), self.matrix, self.biases)
        scores = g.reshape(scores, [1, STEPS, CLASSES])
        labels = g.layer("CTCGreedyDecoder", [scores, lengths], [1, STEPS, 1, 1], "int32",
                         "merge_repeated=true")
        g.outputs = [labels, scores, sequence]

    def scores(self, sequence):
        sequence = rows(sequence, len(sequence) // STEPS)
        states = [sum(s, []) for s in zip(*(part.states(sequence) for part in self.parts))]
        return [b + math.fsum(w * h for w, h in zip(row, state)) for state in states
                for row, b in zip(rows(self.matrix, len(state)), self.biases)]


def decoded(scores, length):
    """The best path, without repetitions and blanks."""
    path = [row.index(max(row)) for row in rows(scores, CLASSES)[:length]]
    return [c for i, c in enumerate(path) if c != CLASSES - 1 and path[i - 1:i] != [c]]


def labels_of(sample):
    return [round(c) for c in sample[0] if c < CLASSES]


def distance(a, b):
    """Of two lists, by insertions, removals and changes."""
    line = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, line[0] = line[0], i
        for j, y in enumerate(b, 1):
            above, line[j] = line[j], min(line[j] + 1, line[j - 1] + 1, above + (x != y))
    return line[-1]


def line_of_text(rng, glyphs):
    """Glyphs beside one another, and how many steps of them count."""
    columns = [c for _ in range(WIDTH // STROKE) for c in rng.choice(glyphs)]
    image = array.array("f", (columns[x][y] + rng.gauss(0, 0.1)
                              for y in range(HEIGHT) for x in range(WIDTH)))
    return [image, [rng.randint(STEPS // 2, STEPS)]]


def check(tools, name, crnn, lines):
    data = lines[CALIBRATED:]
    network = Network(tools, name, crnn.graph, lines[:CALIBRATED], data)
    floats = network.floats()
    worst = 0
    for sample, (_, (length,)) in zip(floats, data):
        scores = crnn.scores(sample[2])
        worst = max([worst, *(abs(a - b) for a, b in zip(scores, sample[1]))])
        tools.check(labels_of(sample) == decoded(scores, length), name + ": float labels")
    print(f"{name}: floats differ from the definition by {worst:.1e}")
    tools.check(worst < 1e-4, name + ": float scores")
    network.quantize()
    integers = network.integers(crnn.first_behind)
    wanted = [labels_of(s) for s in floats]
    wrong = sum(distance(w, labels_of(s)) for w, s in zip(wanted, integers))
    count, kinds = sum(map(len, wanted)), len(set(sum(wanted, [])))
    print(f"{name}: {wrong} mistakes in {count} labels of {kinds} kinds")
    tools.check(count > 4 * EVALUATED and kinds > GLYPHS // 2 and wrong < 0.15 * count,
                name + ": labels of integers")


def main():
    tools = common.arguments("Check networks that read lines")
    rng = random.Random(0)
    glyphs = [[[rng.choice((-1, 1)) for _ in range(HEIGHT)] for _ in range(STROKE)]
              for _ in range(GLYPHS)]
    lines = [line_of_text(rng, glyphs) for _ in range(CALIBRATED + EVALUATED)]
    check(tools, "crnn of two grus", Crnn(rng, "GRUv3", ["forward", "reverse"]), lines)
    check(tools, "crnn of an lstm", Crnn(rng, "BasicLSTM", ["forward"]), lines)
    tools.finish()


if __name__ == "__main__":
    main()
