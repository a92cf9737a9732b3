"""Networks with recurrent layers: from floats to accuracy and cycles in a command.

`yarrow build` takes two LSTM networks of the reference packs and a GRU network that
is made here. Sequences are random, the labels are the classes that the float network
itself decides for, so that top-1 says how often integers decide otherwise. Other
sequences calibrate than are evaluated. A GRU of 16 bits stays in float16, and that
is told.
"""
import array
import json
import random

import common
import recurrent

CALIBRATED, EVALUATED = 128, 24
CLASSES = 5
# Least signal to noise in dB, and top-1 in percent.
LEAST = {"lstm_rand": (33, 90), "mnist_lstm": (45, 95), "gru": (27, 85), "gru of 16 bits": (38, 95)}


class GruNetwork(recurrent.Layer):
    """A GRU, its last state, and a fully connected layer."""

    def __init__(self, rng):
        super().__init__(rng)
        self.kind, self.is_lstm, self.words = "GRUv1", False, ["Hn"]
        self.batch, self.steps, self.inputs, self.cells = 1, 10, 12, 24
        self.direction, self.threshold = "forward", None
        self.functions = [recurrent.SIGMOID, "TANH"]
        self.formulas = [recurrent.GRU_FUNCTIONS[f] for f in self.functions]
        width = self.inputs + self.cells
        self.weights = self.floats(3 * self.cells * width, 0.35)
        self.biases = self.floats(4 * self.cells, 0.3)
        self.last = self.floats(CLASSES * self.cells, 0.4)
        self.offsets = self.floats(CLASSES, 0.1)

    def label(self, sequence):
        self.tensors = [([1, self.steps, self.inputs], sequence)]
        state = self.results()[0][1]
        rows = [self.last[i * self.cells:][:self.cells] for i in range(CLASSES)]
        logits = [sum(w * h for w, h in zip(row, state)) + b
                  for row, b in zip(rows, self.offsets)]
        return logits.index(max(logits))

    def write(self, folder):
        super().write(folder)
        with open(folder + "float.txt", encoding="utf-8") as f:
            ir = f.read()
        offset = 4 * (len(self.weights) + len(self.biases))
        last, offsets = 4 * len(self.last), 4 * len(self.offsets)
        ir = ir.replace("layer_number=2", "layer_number=3")
        ir = ir.replace("output_tensors=[out0]", "output_tensors=[logits]")
        ir += "\n".join([
            "layer_id=2", "layer_name=dense", "layer_type=FullyConnected",
            "layer_bottom=[out0]", f"layer_bottom_shape=[[1,{self.cells}]]",
            "layer_bottom_type=[float32]", "layer_top=[logits]",
            f"layer_top_shape=[[1,{CLASSES}]]", "layer_top_type=[float32]",
            "weights_type=float32", f"weights_offset={offset}", f"weights_size={last}",
            f"weights_shape=[{CLASSES},{self.cells}]", "biases_type=float32",
            f"biases_offset={offset + last}", f"biases_size={offsets}",
            f"biases_shape=[{CLASSES}]", f"num_output={CLASSES}", "with_activation=NONE", "", ""])
        with open(folder + "float.txt", "w", encoding="utf-8") as f:
            f.write(ir)
        with open(folder + "float.bin", "ab") as f:
            f.write(self.last.tobytes() + self.offsets.tobytes())


def sequences(rng, count, shape, draw):
    elements = count * shape[0] * shape[1]
    return array.array("f", (draw(rng) for _ in range(elements)))


def labels_of_floats(tools, graph, weights, data):
    """What the network decides, computed in floats by the NPU's program."""
    exe, logits = tools.path("float.bin"), tools.path("logits.npy")
    tools.yarrow("compile", graph, "-w", weights, "--target", "X2_1204", "-o", exe)
    tools.yarrow("run", exe, "-i", data, "-o", logits)
    shape, _, values = common.read_npy(logits)
    rows = [list(values[i:i + shape[-1]]) for i in range(0, len(values), shape[-1])]
    return [row.index(max(row)) for row in rows]


def build(tools, name, graph, weights, calibration, data, labels, keys=()):
    """The report of one `yarrow build`."""
    label = tools.path("label.npy")
    common.write_npy(label, [len(labels)], array.array("i", labels))
    config = tools.path("net.cfg")
    with open(config, "w", encoding="utf-8") as f:
        f.write("\n".join([
            "[Common]", "mode = run", "[Optimizer]", "graph = " + graph, "bin = " + weights,
            "model_name = net", "dataset = NumpyDataset", "calibration_data = " + calibration,
            "calibration_batch_size = 32", "metric = TopKMetric", "data = " + data,
            "label = " + label, *keys, "output_dir = " + tools.path("out"), "[GBuilder]",
            "target = X2_1204", "outputs = output.bin", ""]))
    tools.yarrow("build", config, "--brief")
    with open(tools.path("out", "report.json"), encoding="utf-8") as f:
        report = json.load(f)
    accuracy, cycles = report["accuracy"], report["performance"]["cycles"]
    npu = accuracy["networks"]["npu"]
    least_db, least_top1 = LEAST[name]
    decibels, top1 = npu["to_float"]["sqnr_db"], npu["top1"]
    print("%s: SQNR %.1f dB, top1 %.1f %%, %d cycles" % (name, decibels, top1, cycles))
    tools.check(decibels >= least_db, name + ": SQNR")
    tools.check(top1 >= least_top1, name + ": top1")
    tools.check(cycles > 0 and accuracy["differing_bytes"] == 0, name + ": bytes of the NPU")
    return report


def main():
    tools = common.arguments("Check networks with recurrent layers")
    tools.need_packs()
    rng = random.Random(0)
    calibration, data = tools.path("calibration.npy"), tools.path("data.npy")

    def write(shape, draw):
        for path, count in ((calibration, CALIBRATED), (data, EVALUATED)):
            common.write_npy(path, [count, *shape], sequences(rng, count, shape, draw))

    for name, shape, draw in (("lstm_rand", (12, 16), lambda r: r.gauss(0, 1)),
                              ("mnist_lstm", (28, 28), lambda r: r.random())):
        write(shape, draw)
        graph, weights = (tools.pack("float_ir", name + end) for end in (".txt", ".bin"))
        labels = labels_of_floats(tools, graph, weights, data)
        build(tools, name, graph, weights, calibration, data, labels)

    network = GruNetwork(rng)
    shape = (network.steps, network.inputs)
    write(shape, lambda r: r.gauss(0, 1))
    values, size = common.read_npy(data)[2], shape[0] * shape[1]
    labels = [network.label(values[i * size:][:size]) for i in range(EVALUATED)]
    folder = tools.path("gru", "")
    network.write(folder)
    graph, weights = folder + "float.txt", folder + "float.bin"
    build(tools, "gru", graph, weights, calibration, data, labels)
    report = build(tools, "gru of 16 bits", graph, weights, calibration, data, labels,
                   ["activation_bits = 16"])
    codes = [d["code"] for d in report["diagnostics"]]
    tools.check("W0508" in codes and "W0603" in codes, "a GRU of 16 bits is float16, and told")
    tools.finish()


if __name__ == "__main__":
    main()
