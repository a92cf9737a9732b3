"""Cycles of ResNet-20 and MobileNetV2 against bounds that no machine beats.

Quantizes both networks, runs one sample timed and checks the report: no layer
and no total is under its bound, MACs are the network's, no unit is busy for
longer than the run. The bounds are computed here, from the shapes in the
integer IR and the machine's description, not taken from the report:

  array   MACs / peak, and the same with each side of the array rounded up
  ddr     weights once, network input and output once, over the bandwidth
  B2      sum over the layers of max(array, ddr of the layer): no layer's
          weights arrive before the layer starts
  B1      max(sum of array, sum of ddr): everything arrives in time
  shape   as B1 with the rounded sides: the least for this array

A layer's weights may be loaded while others compute, so its bytes are held
against its span (first load to last result), its MACs against the cycles of
the tensor engine.

Example:
    python3 cycles.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import array
import json
import math
import os
import random
import re
import subprocess
import sys

import common

# network, folder of its float IR, targets, least efficiency against B1
NETWORKS = [
    ("resnet20_nhwc", ("X2_1204", "Z2_1104", "Z1_0701"), 0.5),
    ("mobilenet_v2_rand", ("X2_1204", "Z2_1104"), 0),
]
CALIBRATION_SAMPLES = 4
# The table of a network for roofline.py, and what it needs to know of X2_1204.
ROOFLINE = {"resnet20_nhwc": "layers_resnet20.json",
            "mobilenet_v2_rand": "layers_mobilenetv2.json"}
CONVOLUTIONS = ("Convolution", "DepthwiseConv")


def numbers(text):
    return [int(n) for n in re.findall(r"-?\d+", text)]


class Layer:
    """What the bounds need to know of a layer of the integer IR."""

    def __init__(self, record, machine):
        self.name = record["layer_name"]
        sizes = machine["macArray"]
        lanes_in, lanes_out = sizes["inputLanes"], sizes["outputLanes"]
        pixels_at_once = sizes["pixels"]
        kind = record["layer_type"]
        self.weight_bytes = sum(int(record.get(key, 0)) for key in (
            "weights_size", "biases_size"))
        self.macs = self.array_cycles = 0
        if kind == "FullyConnected":
            filters, channels = numbers(record["weights_shape"])
            self.macs = filters * channels
            self.array_cycles = (math.ceil(filters / lanes_out) *
                                 math.ceil(channels / lanes_in))
        elif kind in CONVOLUTIONS:
            _, height, width, filters = numbers(record["layer_top_shape"])
            channels = numbers(record["layer_bottom_shape"])[3]
            cells = int(record["kernel_x"]) * int(record["kernel_y"])
            rows = math.ceil(height * width / pixels_at_once)
            if kind == "DepthwiseConv":
                self.macs = height * width * cells * filters
                blocks = math.ceil(filters / min(lanes_in, lanes_out))
                self.array_cycles = blocks * cells * rows
                if machine.get("depthwise", {}).get("rowBufferBytes"):
                    # A row of the input enters once for each row of the kernel.
                    columns = math.ceil(width / pixels_at_once)
                    self.array_cycles = min(
                        self.array_cycles, blocks * height *
                        int(record["kernel_y"]) * columns)
                return
            groups = int(record.get("group", 1))
            self.macs = height * width * cells * filters * channels // groups
            # The columns of a kernel may lie side by side on the input lanes,
            # as more channels.
            steps = min(cells * math.ceil(channels / groups / lanes_in),
                        int(record["kernel_y"]) * math.ceil(
                            int(record["kernel_x"]) * channels / lanes_in)
                        if groups == 1 else math.inf)
            self.array_cycles = (groups * steps * rows *
                                 math.ceil(filters / groups / lanes_out))


class Bounds:
    def __init__(self, network, machine):
        self.peak = math.prod(machine["macArray"].values())
        self.bandwidth = machine["ddrBytesPerCycle"]
        header, *records = common.read_layers(network)
        self.layers = {r["layer_name"]: Layer(r, machine) for r in records}
        self.macs = sum(l.macs for l in self.layers.values())
        # An 8-bit network: elements are bytes.
        first = next(r for r in records if r["layer_type"] == "Input")
        self.io_bytes = (math.prod(numbers(first["layer_top_shape"])) +
                         math.prod(numbers(records[-1]["layer_top_shape"])))
        weight_bytes = sum(l.weight_bytes for l in self.layers.values())
        self.ddr = (weight_bytes + self.io_bytes) / self.bandwidth
        self.b1 = max(self.macs / self.peak, self.ddr)
        self.shape = max(sum(l.array_cycles for l in self.layers.values()),
                         self.ddr)
        self.b2 = self.io_bytes / self.bandwidth + sum(
            max(l.macs / self.peak, l.weight_bytes / self.bandwidth)
            for l in self.layers.values())


def check_layers(tools, title, report, bounds):
    print("%-52s %9s %9s %9s %9s %9s %7s %s" % (
        "layer", "cycles", "engine", "span", "array", "ddr", "use", "limit"))
    for row in report["layers"]:
        parts = [bounds.layers[n] for n in row["name"].split(" + ")
                 if n in bounds.layers]
        macs = sum(l.macs for l in parts)
        array_cycles = sum(l.array_cycles for l in parts)
        ddr = sum(l.weight_bytes for l in parts) / bounds.bandwidth
        name = title + ", " + row["name"]
        # Rows that two bands of a cascade see are computed twice. A layer without
        # multiplications has those of the commands that add up or move for it.
        tools.check(not macs or macs <= row["macs"] <= 1.25 * macs,
                    "%s: %d MACs are not %d" % (name, row["macs"], macs))
        # A layer that is left to the TECs does not use the array.
        engine = row["tensor_engine_cycles"]
        if macs:
            tools.check(max(engine, row["tec_cycles"]) >= array_cycles,
                        "%s: %d cycles on the array are too few for %d" % (
                            name, engine, array_cycles))
        tools.check(row["span_cycles"] >= math.floor(ddr),
                    "%s: its weights take longer than its span" % name)
        tools.check(row["span_cycles"] >= row["bound_cycles"],
                    name + ": span is under the reported bound")
        if row["cycles"]:
            use = macs / bounds.peak / engine if engine else 0
            print("%-52s %9d %9d %9d %9d %9.0f %6.1f%% %s" % (
                row["name"][-52:], row["cycles"], engine, row["span_cycles"], array_cycles,
                ddr, 100 * use, row["limit"]))


def check_totals(tools, title, report, bounds, machine, least):
    cycles = report["cycles"]
    tools.check(bounds.macs <= report["macs"] <= 1.05 * bounds.macs, title + ": MACs")
    tools.check(sum(l["cycles"] for l in report["layers"]) == cycles,
                title + ": the layers' cycles are not the total")
    tools.check(cycles >= bounds.shape, title + ": total is under its bound")
    busy = [report["tensor_engine_busy_cycles"], *report["tec_busy_cycles"],
            report["dma_load_busy_cycles"] / machine["dma"]["loadChannels"],
            report["dma_store_busy_cycles"] / machine["dma"]["storeChannels"]]
    tools.check(max(busy) <= cycles, title + ": busy for longer than the run")
    efficiency = bounds.b1 / cycles
    print("%s: %d cycles, %.3f ms, MAC utilisation %.1f %%, DDR %d bytes" % (
        title, cycles, cycles / machine["clockMhz"] / 1000,
        100 * bounds.macs / bounds.peak / cycles, report["total"]["ddr_bytes"]))
    print("  reached of the bound: B1 %.1f %% of %.0f, shape %.1f %% of %.0f, "
          "B2 %.1f %% of %.0f" % (
              100 * efficiency, bounds.b1, 100 * bounds.shape / cycles,
              bounds.shape, 100 * bounds.b2 / cycles, bounds.b2), flush=True)
    tools.check(efficiency >= least, "%s: only %.1f %% of the bound" % (
        title, 100 * efficiency))


def check_roofline(tools, name, title, report, machine):
    """The independent calculator must not find the total impossible."""
    folder = os.path.join(tools.packs, "..", "tools")
    program = os.path.join(folder, "roofline.py")
    if not os.path.exists(program):
        return
    lanes = machine["tecs"] * machine["tec"]["vectorDatapathBits"] // 8
    # Pooling and additions run on the tensor engine's lanes as well.
    lanes = max(lanes, machine["macArray"]["outputLanes"] *
                machine["macArray"]["pixels"])
    done = subprocess.run(
        [sys.executable, program,
         os.path.join(folder, "layers", ROOFLINE[name]),
         "--macs", str(report["peak_macs_per_cycle"]),
         "--ddr", str(machine["ddrBytesPerCycle"]),
         "--sram", "%dk" % (machine["sramBytes"] // 1024),
         "--vec", str(lanes), "--freq", str(machine["clockMhz"] * 1e6),
         "--cycles", str(report["cycles"])],
        stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        if "reported" in line:
            print("  roofline.py:" + re.sub(r"\s+", " ", line))
    tools.check(done.returncode == 0 and "IMPOSSIBLE" not in done.stdout,
                title + ": roofline.py says impossible")


def make_samples(tools, shape):
    """Normally distributed samples: the weights are random too."""
    source = random.Random(1)
    size = math.prod(shape) * CALIBRATION_SAMPLES
    values = array.array("f", (source.gauss(0, 1) for _ in range(size)))
    path = tools.path("samples.npy")
    common.write_npy(path, (CALIBRATION_SAMPLES,) + tuple(shape), values)
    return path


def check_network(tools, name, targets, least):
    graph = tools.pack("float_ir", name + ".txt")
    shape = numbers(next(l for l in common.read_layers(graph) if
                         l.get("layer_type") == "Input")["layer_top_shape"])
    samples = make_samples(tools, shape[1:])
    tools.yarrow("quantize", "--recipe", "compass", graph, "-w", tools.pack("float_ir", name + ".bin"),
                 "-c", samples, "-o", tools.folder, "--model-name", "net",
                 "--quantize-method-for-weight",
                 "per_channel_symmetric_restricted_range", "--brief")
    for target in targets:
        title = name + " on " + target
        executable, file = tools.path("aipu.bin"), tools.path("report.json")
        tools.yarrow("compile", tools.path("net_o.txt"),
                     "-w", tools.path("net_o.bin"), "--target", target,
                     "-o", executable)
        one = tools.path("one.npy")
        _, _, values = common.read_npy(samples)
        common.write_npy(one, shape, values[:math.prod(shape)])
        tools.yarrow("run", executable, "-i", one, "-o",
                     tools.path("out.npy"), "--timed", "--report", file)
        with open(file) as stream:
            report = json.load(stream)["performance"]
        with open(os.path.join(tools.root, "targets", target + ".json")) as f:
            machine = json.load(f)
        bounds = Bounds(tools.path("net_o.txt"), machine)
        print("\n" + title)
        check_layers(tools, title, report, bounds)
        check_totals(tools, title, report, bounds, machine, least)
        check_roofline(tools, name, title, report, machine)


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    tools.need_packs()
    for network in NETWORKS:
        check_network(tools, *network)
    tools.finish()


if __name__ == "__main__":
    main()
