"""Networks of a few layers with random weights, and the way through the program.

Graph writes layers as IR text; Network takes one from floats over integers to the
bytes and cycles of several machines.
"""
import array
import json
import math
import re

import common

TARGETS = "X2_1204", "Z1_0701", "Z2_1104"
CODES = {"float32": "f", "int32": "i"}


def text(items):
    return "[" + ",".join(str(i) for i in items) + "]"


class Graph:
    """Layers as IR text; tensors are (name, shape, type)."""

    def __init__(self, name, weights, rng=None):
        self.name, self.weights, self.rng = name, weights, rng
        self.layers, self.inputs, self.outputs = [], [], []

    def layer(self, kind, bottoms, shape, dtype, *keys, tops=None):
        """The result; with tops the list of them."""
        name = f"{self.name}_{len(self.layers)}"
        all_tops = tops or [(name + "_0", shape, dtype)]
        self.layers.append([
            f"layer_id={len(self.layers)}", f"layer_name={name}", f"layer_type={kind}",
            "layer_bottom=" + text(t[0] for t in bottoms),
            "layer_bottom_shape=" + text(text(t[1]) for t in bottoms),
            "layer_bottom_type=" + text(t[2] for t in bottoms),
            "layer_top=" + text(t[0] for t in all_tops),
            "layer_top_shape=" + text(text(t[1]) for t in all_tops),
            "layer_top_type=" + text(t[2] for t in all_tops), *keys])
        return tops or all_tops[0]

    def input(self, shape, dtype="float32"):
        self.inputs.append(self.layer("Input", [], shape, dtype))
        return self.inputs[-1]

    def blob(self, key, shape, values, dtype="float32"):
        raw = array.array(CODES[dtype], values).tobytes()
        keys = [f"{key}_type={dtype}", f"{key}_offset={len(self.weights)}",
                f"{key}_size={len(raw)}", f"{key}_shape={text(shape)}"]
        self.weights += raw
        return keys

    def constant(self, shape, values, dtype="float32"):
        return self.layer("Constant", [], shape, dtype,
                          *self.blob("weights", shape, values, dtype))

    def connected(self, x, matrix, biases, activation="NONE"):
        rows, columns = len(biases), len(matrix) // len(biases)
        return self.layer("FullyConnected", [x], [x[1][0], rows], "float32",
                          *self.blob("weights", [rows, columns], matrix),
                          *self.blob("biases", [rows], biases),
                          f"num_output={rows}", f"with_activation={activation}")

    def filters(self, count, size, gain):
        """Each without a mean, so that results do not hang on that of their inputs."""
        values = array.array("f")
        for _ in range(count):
            taps = [self.rng.gauss(0, gain / math.sqrt(size)) for _ in range(size)]
            mean = math.fsum(taps) / size
            values.extend(t - mean for t in taps)
        return values

    def conv(self, x, channels, kernel=3, stride=1, activation="RELU", gain=1.5, biases=None,
             group=1):
        _, height, width, depth = x[1]
        depth //= group
        pad = kernel // 2
        shape = [1, (height - 1) // stride + 1, (width - 1) // stride + 1, channels]
        biases = biases or [self.rng.gauss(0, 0.1) for _ in range(channels)]
        after = [kernel - 1 - pad - (stride - 1 if n % stride == 0 else 0)
                 for n in (height, width)]
        return self.layer(
            "Convolution", [x], shape, "float32",
            *self.blob("weights", [channels, kernel, kernel, depth],
                       self.filters(channels, kernel * kernel * depth, gain)),
            *self.blob("biases", [channels], biases), f"num_output={channels}",
            f"kernel_x={kernel}", f"kernel_y={kernel}", f"stride_x={stride}",
            f"stride_y={stride}", f"pad_left={pad}", f"pad_right={max(after[1], 0)}",
            f"pad_top={pad}", f"pad_bottom={max(after[0], 0)}", "dilation_x=1", "dilation_y=1",
            f"group={group}", f"with_activation={activation}")

    def depthwise(self, x, kernel=3, stride=1, activation="RELU"):
        _, height, width, depth = x[1]
        pad = kernel // 2
        shape = [1, (height - 1) // stride + 1, (width - 1) // stride + 1, depth]
        after = [kernel - 1 - pad - (stride - 1 if n % stride == 0 else 0)
                 for n in (height, width)]
        return self.layer(
            "DepthwiseConv", [x], shape, "float32",
            *self.blob("weights", [depth, kernel, kernel, 1],
                       self.filters(depth, kernel * kernel, 1.5)),
            *self.blob("biases", [depth], [self.rng.gauss(0, 0.1) for _ in range(depth)]),
            f"num_output={depth}", f"kernel_x={kernel}", f"kernel_y={kernel}",
            f"stride_x={stride}", f"stride_y={stride}", f"pad_left={pad}",
            f"pad_right={max(after[1], 0)}", f"pad_top={pad}", f"pad_bottom={max(after[0], 0)}",
            "dilation_x=1", "dilation_y=1", f"group={depth}", "multiplier=1",
            f"with_activation={activation}")

    def residual(self, x):
        y = self.conv(self.conv(x, x[1][3]), x[1][3], activation="NONE", gain=0.7)
        return self.layer("Eltwise", [x, y], x[1], "float32", "method=ADD",
                          "with_activation=RELU")

    def pool(self, x, height=2, width=2):
        _, rows, columns, depth = x[1]
        return self.layer(
            "Pooling", [x], [1, rows // height, columns // width, depth], "float32",
            "method=MAX", f"kernel_x={width}", f"kernel_y={height}", f"stride_x={width}",
            f"stride_y={height}", "pad_left=0", "pad_right=0", "pad_top=0", "pad_bottom=0",
            "dilation_x=1", "dilation_y=1", "ceil_mode=false")

    def concat(self, parts, axis):
        shape = list(parts[0][1])
        shape[axis] = sum(p[1][axis] for p in parts)
        return self.layer("Concat", parts, shape, parts[0][2], f"axis={axis}")

    def shuffle(self, x, group=2):
        return self.layer("ChannelShuffle", [x], x[1], x[2], f"group={group}", "splits=1")

    def reshape(self, x, shape):
        return self.layer("Reshape", [x], shape, x[2], f"shape={text(shape)}")

    def slice(self, x, begin, end):
        """Of the last axis."""
        shape = [*x[1][:-1], end - begin]
        return self.layer("Slice", [x], shape, x[2],
                          "begin=" + text([0] * (len(shape) - 1) + [begin]),
                          "end=" + text([*shape[:-1], end]), "strides=" + text([1] * len(shape)))

    def softmax(self, x):
        return self.layer("Softmax", [x], x[1], "float32", "axis=-1")

    def write(self):
        header = [f"layer_number={len(self.layers)}", "precision=float32",
                  "compat_quantized_model=false",
                  "input_tensors=" + text(t[0] for t in self.inputs),
                  "output_tensors=" + text(t[0] for t in self.outputs)]
        first = "model_name=net" if self.name == "main" else f"subgraph_name={self.name}"
        return "\n\n".join("\n".join(part) for part in [[first, *header], *self.layers])


def write_graphs(folder, graphs):
    """The main graph first; all of them have the same weights."""
    with open(folder + "float.txt", "w", encoding="utf-8") as f:
        f.write("\n\n".join(graph.write() for graph in graphs) + "\n\n")
    with open(folder + "float.bin", "wb") as f:
        f.write(graphs[0].weights)


class Network:
    """A graph in a folder, its inputs, and what becomes of it on every machine."""

    def __init__(self, tools, name, graph, calibration, data):
        """Samples are lists of the inputs' values."""
        self.tools, self.name, self.graph = tools, name, graph
        self.folder = tools.path(name.replace(" ", "-"), "")
        write_graphs(self.folder, [graph])
        self.calibration = self.write_samples("calibration", calibration)
        self.data = self.write_samples("data", data)
        self.first = self.write_samples("first", data[:1])

    def write_samples(self, stem, samples):
        files = [f"{self.folder}{stem}{i}.npy" for i in range(len(self.graph.inputs))]
        for i, (file, (_, shape, dtype)) in enumerate(zip(files, self.graph.inputs)):
            values = array.array(CODES[dtype])
            for sample in samples:
                values.extend(sample[i])
            common.write_npy(file, [len(samples) * shape[0], *shape[1:]], values)
        return ",".join(files)

    def compile(self, stem, target):
        exe = self.folder + stem + target + ".bin"
        self.tools.yarrow("compile", self.folder + stem + ".txt", "-w",
                          self.folder + stem + ".bin", "--target", target, "-o", exe)
        return exe

    def run(self, exe):
        """The outputs in real numbers, [sample][output]."""
        files = [self.folder + f"out{i}.npy" for i in range(len(self.graph.outputs))]
        self.tools.yarrow("run", exe, "-i", self.data, "-o", ",".join(files), "--dequantize")
        samples = []
        for file, (_, shape, _) in zip(files, self.graph.outputs):
            values, size = common.read_npy(file)[2], math.prod(shape)
            for i in range(len(values) // size):
                if i == len(samples):
                    samples.append([])
                samples[i].append(list(values[i * size:][:size]))
        return samples

    def floats(self):
        return self.run(self.compile("float", TARGETS[0]))

    def quantize(self, *keys):
        """By a configuration file, as the reference's: weights by channel."""
        config = self.folder + "net.cfg"
        with open(config, "w", encoding="utf-8") as f:
            f.write("\n".join([
                "[Common]", "mode = build", "[Optimizer]", f"graph = {self.folder}float.txt",
                f"bin = {self.folder}float.bin", "model_name = net", "dataset = NumpyDataset",
                f"calibration_data = {self.calibration}", "calibration_batch_size = 24",
                "quantize_method_for_weight = per_channel_symmetric_restricted_range", *keys,
                f"output_dir = {self.folder}", "[GBuilder]", f"target = {TARGETS[0]}",
                f"outputs = {self.folder}aipu.bin", ""]))
        self.tools.yarrow("build", config, "--brief")

    def integers(self, first_of_part):
        """Outputs in real numbers. On every machine those are the evaluator's bytes; cycles
        of the layers from one on are told."""
        network, table = self.folder + "net_o", []
        for target in TARGETS:
            exe = self.compile("net_o", target)
            said = self.tools.yarrow("eval", "--int", f"{network}.txt,{network}.bin", "--exe", exe,
                                     "--data", self.data, ok=(0, 3))
            self.tools.check("int and npu: 0 of" in said, f"{self.name} on {target}: {said}")
            table.append(self.cycles(exe, first_of_part))
        print(f"{self.name:34}" + "".join(f"{target:>10}" for target in TARGETS))
        for label in (k for k in table[0] if any(cycles[k] for cycles in table)):
            print(f"  {label:32}" + "".join(f"{cycles[label]:10}" for cycles in table))
        print(f"  {'share behind the backbone':32}" + "".join(
            f"{100 - 100 * c['backbone'] / c['all']:9.1f}%" for c in table), flush=True)
        return self.run(network + TARGETS[0] + ".bin")

    def cycles(self, exe, first_of_part):
        """By layer from the one of this number on, by its type."""
        report = self.folder + "report.json"
        self.tools.yarrow("run", exe, "-i", self.first, "-o", self.folder + "unread.npy",
                          "--timed", "--report", report)
        with open(report, encoding="utf-8") as f:
            performance = json.load(f)["performance"]
        kinds = [next(k for k in layer if k.startswith("layer_type="))[11:]
                 for layer in self.graph.layers]
        cycles = {"all": performance["cycles"], "backbone": 0}
        cycles.update((f"{kinds[i]} {i}", 0) for i in range(first_of_part, len(kinds)))
        for row in performance["layers"]:
            number = re.match(r"main_(\d+)", row["name"])  # none: to start and to end
            label = f"{kinds[int(number[1])]} {number[1]}" if number else "backbone"
            cycles[label if label in cycles else "backbone"] += row["cycles"]
        return cycles
