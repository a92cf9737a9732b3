"""Winograd by decision: faster where it is chosen, harmless, and never slower.

1. ResNet-20 on CIFAR-10 through our own quantizer, --winograd off and auto:
   top-1 and cosine of the logits of the simulated NPU, cycles, and that NPU
   and evaluator agree on every byte.
2. Every executable network of float_ir: auto takes at most the cycles of off,
   on both targets, as compiled and simulated again here.
3. Layers that the multiplier array limits: at least 1.5 times as fast. One
   that waits for its weights: auto takes the form with fewer of them.
4. A machine with 12-bit multipliers: the exact form gives the direct bytes in
   fewer cycles. A machine without the mode never gets it.

Part 1 and 2 need the reference packs. Part 1 is for the thorough check alone; part 2 is
without the networks that take longest and for the targets in turn, and part 3 for some
sizes, unless the check is thorough.

Example:
    python3 winograd.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import array
import filecmp
import json
import math
import os
import random
import re

import common

TARGETS = ("X2_1204", "Z2_1104")
PER_CHANNEL = "per_channel_symmetric_restricted_range"
# One image of 1000 is 0.1 points, and a change of weights as small as rounding
# one layer differently moves half a point either way. So single figures count
# for the default configuration, and the mean for all of them.
LARGEST_LOSS_TOP1 = 0.2
LARGEST_LOSS_AGREEMENT = 1
LARGEST_LOSS_COSINE = 0.001
LEAST_GAIN = 1.5
# Weights, activations; the first is the default.
CONFIGURATIONS = (("per_tensor_symmetric_restricted_range",
                   "per_tensor_symmetric_full_range"),
                  ("per_tensor_symmetric_restricted_range",
                   "per_tensor_asymmetric"),
                  (PER_CHANNEL, "per_tensor_symmetric_full_range"),
                  (PER_CHANNEL, "per_tensor_asymmetric"))
CALIBRATION_SAMPLES = 2
SAMPLES_OF_EVALUATOR = 100
# They contain layers that are known, but not executable yet.
NOT_EXECUTABLE = ("lstm_rand", "mnist_lstm")
# Half a minute and more each, or as another one in other axes.
LONGEST = ("mobilenet_v2_rand", "resnet20", "resnet50_rand", "squeezenet1_1_rand")
# Its weights are made here.
WITHOUT_WEIGHTS = ("resnet50_rand",)
# Channels in, out and side of convolutions that the array limits.
LAYERS = ((128, 128, 28), (64, 64, 57))
LAYERS_OF_THOROUGH = ((64, 64, 56), (64, 128, 56), (256, 256, 28))
# Waits for its weights on X2_1204: F(2x2,3x3) has too many of them.
WEIGHT_BOUND = (256, 256, 14)
NO_LIMITS = ("--winograd-max-loss", "100", "--winograd-max-output-loss", "100")
EXACT_MACHINE = """{ "name": "X2_wide", "base": "X2_1204",
  "winograd": { "weightBits": 12 } }
"""


def numbers(text):
    return [int(n) for n in re.findall(r"-?\d+", text)]


def quantize(tools, graph, weights, samples, name, *flags):
    """Integer IR as its two paths, and what was printed."""
    text = tools.yarrow("quantize", "--recipe", "compass", graph, "-w", weights, "-c", samples,
                        "-o", tools.folder, "--model-name", name, "--brief",
                        *flags)
    return (tools.path(name + "_o.txt"), tools.path(name + "_o.bin")), text


def compile_for(tools, network, target, *flags):
    executable = tools.path("aipu.bin")
    tools.yarrow("compile", network[0], "-w", network[1], "--target", target,
                 "-o", executable, *flags)
    return executable


def cycles_of(tools, executable, sample, output="out.npy"):
    """Cycles of a timed run of one sample."""
    file = tools.path("report.json")
    tools.yarrow("run", executable, "-i", sample, "-o", tools.path(output),
                 "--timed", "--report", file)
    with open(file) as stream:
        return json.load(stream)["performance"]["cycles"]


def random_samples(tools, shape, count):
    source = random.Random(1)
    values = array.array("f", (source.gauss(0, 1)
                               for _ in range(count * math.prod(shape))))
    path = tools.path("samples%d.npy" % count)
    common.write_npy(path, (count,) + tuple(shape), values)
    return path


def chosen_layers(text):
    return int(re.search(r": (\d+) of \d+ convolutions", text).group(1))


# --- 1. accuracy -----------------------------------------------------------

def accuracy(tools, network, target):
    """Top-1, classes as in float, both in percent; mean cosine of logits."""
    images = tools.pack("cifar10", "eval1000_f32_nhwc.npy")
    labels = common.read_npy(tools.pack("cifar10", "eval1000_label.npy"))[2]
    shape, _, floats = common.read_npy(
        tools.pack("cifar10", "resnet20_float_logits_eval1000.npy"))
    executable = compile_for(tools, network, target)
    outputs, figures = tools.path("logits.npy"), tools.path("figures.json")
    tools.yarrow("run", executable, "-i", images, "-o", outputs)
    logits = list(common.read_npy(outputs)[2])
    hits = agrees = cosines = 0
    for i in range(shape[0]):
        part = slice(i * shape[1], (i + 1) * shape[1])
        row, reference = list(logits[part]), list(floats[part])
        found = row.index(max(row))
        hits += found == labels[i]
        agrees += found == reference.index(max(reference))
        cosines += common.cosine(reference, row)
    tools.yarrow("eval", "--int", ",".join(network), "--exe", executable,
                 "--data", images, "--samples", SAMPLES_OF_EVALUATOR,
                 "--json", figures, ok=(0, 3))
    with open(figures) as file:
        differing = json.load(file)["accuracy"]["differing_bytes"]
    tools.check(differing == 0, target + ": NPU and evaluator differ")
    return (100 * hits / shape[0], 100 * agrees / shape[0],
            cosines / shape[0])


def quantize_resnet(tools, name, weights, activations, *flags):
    return quantize(
        tools, tools.pack("float_ir", "resnet20_nhwc.txt"),
        tools.pack("float_ir", "resnet20_nhwc.bin"),
        tools.pack("cifar10", "calib256_f32_nhwc.npy"), name,
        "--quantize-method-for-weight", weights,
        "--quantize-method-for-activation", activations,
        "--calibration-batch-size", "32", *flags)


def check_configuration(tools, weights, activations):
    """What auto loses of top-1 on each target, in points."""
    image = random_samples(tools, (32, 32, 3), 1)
    direct, _ = quantize_resnet(tools, "off", weights, activations)
    # Its bytes are the same on every target.
    top1, agreement, cosine = accuracy(tools, direct, TARGETS[0])
    losses = []
    for target in TARGETS:
        name = "%s, %s, %s" % (
            target, "per tensor" if weights.startswith("per_tensor")
            else "per channel", "asymmetric" if "asym" in activations
            else "symmetric")
        auto, text = quantize_resnet(tools, "auto", weights, activations,
                                     "--winograd", "auto", "--target", target)
        auto_top1, auto_agreement, auto_cosine = accuracy(tools, auto, target)
        before, after = (cycles_of(tools, compile_for(tools, n, target), image)
                         for n in (direct, auto))
        print("%-36s %6d  %5.2f %5.2f  %5.2f %5.2f  %.6f %.6f  %6d %6d" % (
            name, chosen_layers(text), top1, auto_top1, agreement,
            auto_agreement, cosine, auto_cosine, before, after), flush=True)
        tools.check(auto_cosine > cosine - LARGEST_LOSS_COSINE,
                    name + ": auto loses more than 0.001 of the cosine")
        tools.check(auto_agreement >= agreement - LARGEST_LOSS_AGREEMENT,
                    name + ": auto agrees with float less often")
        tools.check(after < before, name + ": auto is not faster")
        losses.append(top1 - auto_top1)
    return losses


def check_accuracy(tools):
    print("%-36s %6s  %11s  %11s  %17s  %13s" % (
        "ResNet-20: off and auto", "layers", "top-1", "as float", "cosine",
        "cycles"))
    losses = [check_configuration(tools, *c) for c in CONFIGURATIONS]
    tools.check(max(losses[0]) <= LARGEST_LOSS_TOP1 + 1e-9,
                "auto loses more than 0.2 points")
    mean = sum(map(sum, losses)) / len(TARGETS) / len(losses)
    print("mean loss of top-1: %.2f points" % mean)
    tools.check(mean <= LARGEST_LOSS_TOP1, "auto loses more than 0.2 points "
                "in the mean of all configurations")


# --- 2. never slower -------------------------------------------------------

def fill_weights(tools, graph):
    """Random weights for an IR that comes without."""
    source = random.Random(1)
    block = [source.uniform(-1, 1) for _ in range(4096)]
    data = bytearray()
    for layer in common.read_layers(graph):
        for key in layer:
            name = key[:-len("_offset")]
            if not key.endswith("_offset") or name + "_size" not in layer:
                continue
            count = int(layer[name + "_size"]) // 4
            outputs = numbers(layer[name + "_shape"])[0]
            scale = (6 * outputs / count) ** 0.5 if name == "weights" else 0.1
            values = array.array("f", [x * scale for x in block])
            values *= count // len(block) + 1
            begin = int(layer[key])
            data.extend(bytes(max(0, begin + 4 * count - len(data))))
            data[begin:begin + 4 * count] = values[:count].tobytes()
    path = tools.path("random.bin")
    with open(path, "wb") as file:
        file.write(data)
    return path


def check_network(tools, name, targets):
    graph = tools.pack("float_ir", name + ".txt")
    weights = (fill_weights(tools, graph) if name in WITHOUT_WEIGHTS
               else tools.pack("float_ir", name + ".bin"))
    shape = numbers(next(l for l in common.read_layers(graph) if
                         l.get("layer_type") == "Input")["layer_top_shape"])
    samples = random_samples(tools, shape[1:], CALIBRATION_SAMPLES)
    one = random_samples(tools, shape[1:], 1)
    off, _ = quantize(tools, graph, weights, samples, "off")
    for target in targets:
        auto, text = quantize(tools, graph, weights, samples, "auto",
                              "--winograd", "auto", "--target", target)
        direct = cycles_of(tools, compile_for(tools, off, target), one)
        decided = direct
        if chosen_layers(text):
            decided = cycles_of(tools, compile_for(tools, auto, target), one)
        else:
            tools.check(filecmp.cmp(off[1], auto[1], shallow=False),
                        name + ": auto chose nothing but changed the weights")
        print("%-20s %-8s %3d layers  %9d -> %9d cycles" % (
            name, target, chosen_layers(text), direct, decided), flush=True)
        tools.check(decided <= direct, "%s on %s: auto is slower than off" % (
            name, target))


def check_networks(tools):
    names = [os.path.splitext(file)[0] for file in sorted(os.listdir(tools.pack("float_ir")))
             if file.endswith(".txt")]
    names = [name for name in names if name not in NOT_EXECUTABLE and (
        tools.options.thorough or name not in LONGEST)]
    for number, name in enumerate(names):
        check_network(tools, name, tools.in_turn(TARGETS, number))


# --- 3. and 4. single layers -----------------------------------------------

def write_layer(tools, channels, filters, side):
    """Float IR of one 3x3 convolution with RELU, and its random weights."""
    source = random.Random(channels)
    count = filters * 9 * channels
    deviation = (2 / 9 / channels) ** 0.5
    values = array.array("f", (source.gauss(0, deviation)
                               for _ in range(count)))
    values.extend(source.uniform(-0.1, 0.1) for _ in range(filters))
    weights = tools.path("layer.bin")
    with open(weights, "wb") as file:
        values.tofile(file)
    graph = tools.path("layer.txt")
    with open(graph, "w") as file:
        file.write(LAYER.format(channels=channels, filters=filters, side=side,
                                weightBytes=4 * count, biasBytes=4 * filters))
    return graph, weights


LAYER = """model_name=layer
layer_number=2
precision=float32
input_tensors=[input_0]
output_tensors=[conv_0]

layer_id=0
layer_name=input
layer_type=Input
layer_bottom=[]
layer_bottom_shape=[]
layer_bottom_type=[]
layer_top=[input_0]
layer_top_shape=[[1,{side},{side},{channels}]]
layer_top_type=[float32]

layer_id=1
layer_name=conv
layer_type=Convolution
layer_bottom=[input_0]
layer_bottom_shape=[[1,{side},{side},{channels}]]
layer_bottom_type=[float32]
layer_top=[conv_0]
layer_top_shape=[[1,{side},{side},{filters}]]
layer_top_type=[float32]
weights_type=float32
weights_offset=0
weights_size={weightBytes}
weights_shape=[{filters},3,3,{channels}]
biases_type=float32
biases_offset={weightBytes}
biases_size={biasBytes}
biases_shape=[{filters}]
num_output={filters}
kernel_x=3
kernel_y=3
stride_x=1
stride_y=1
pad_left=1
pad_right=1
pad_top=1
pad_bottom=1
dilation_x=1
dilation_y=1
group=1
with_activation=RELU
"""


def engine_cycles(tools, executable, sample):
    """Cycles in which the tensor engine worked on the one layer."""
    file = tools.path("report.json")
    tools.yarrow("run", executable, "-i", sample, "-o", tools.path("out.npy"),
                 "--timed", "--report", file)
    with open(file) as stream:
        report = json.load(stream)["performance"]
    return sum(layer["tensor_engine_cycles"] for layer in report["layers"])


def check_layers(tools):
    print("%-24s %-8s %9s %9s  %s" % (
        "3x3 convolution", "target", "direct", "winograd", "ratio"))
    more = LAYERS_OF_THOROUGH if tools.options.thorough else ()
    for channels, filters, side in LAYERS + more:
        graph, weights = write_layer(tools, channels, filters, side)
        samples = random_samples(tools, (side, side, channels), 1)
        for target in TARGETS:
            off, _ = quantize(tools, graph, weights, samples, "off")
            every, text = quantize(tools, graph, weights, samples, "all",
                                   "--winograd", "all", "--target", target)
            tools.check(chosen_layers(text) == 1, "the layer was not changed")
            direct, fast = (
                engine_cycles(tools, compile_for(tools, n, target), samples)
                for n in (off, every))
            print("%3d -> %3d, %2d x %2d %8s %-8s %9d %9d  %.2f" % (
                channels, filters, side, side, "", target, direct, fast,
                direct / fast), flush=True)
            tools.check(direct >= LEAST_GAIN * fast,
                        "%s: %d channels gain less than 1.5" % (
                            target, channels))


def check_weight_bound(tools):
    channels, filters, side = WEIGHT_BOUND
    graph, weights = write_layer(tools, channels, filters, side)
    samples = random_samples(tools, (side, side, channels), 1)
    cycles = {}
    for use in ("off", "auto", "all"):
        network, text = quantize(tools, graph, weights, samples, use,
                                 "--winograd", use, *NO_LIMITS)
        cycles[use] = cycles_of(tools, compile_for(tools, network, "X2_1204"),
                                samples)
        if use == "auto":
            tools.check(re.search(r"^conv .* F\(2,3\) +saves", text, re.M),
                        "the layer that waits for weights is not F(2,3)")
    print("%d -> %d, %d x %d on X2_1204: direct %d, F(2,3) %d, "
          "F(2x2,3x3) %d cycles" % (channels, filters, side, side,
                                    cycles["off"], cycles["auto"],
                                    cycles["all"]))
    tools.check(cycles["auto"] < min(cycles["off"], cycles["all"]),
                "F(2,3) is not the fastest form")


def check_other_machines(tools):
    # So many that multiplications take longer than the bands of the input.
    channels = 96
    graph, weights = write_layer(tools, channels, channels, 28)
    samples = random_samples(tools, (28, 28, channels), 1)
    off, _ = quantize(tools, graph, weights, samples, "off")
    machine = tools.path("wide.json")
    with open(machine, "w") as file:
        file.write(EXACT_MACHINE)
    cycles = {}
    for use in ("off", "auto"):
        executable = compile_for(tools, off, machine, "--winograd", use)
        cycles[use] = cycles_of(tools, executable, samples, use + ".npy")
    print("exact form on 12-bit multipliers: %d -> %d cycles" % (
        cycles["off"], cycles["auto"]))
    tools.check(cycles["auto"] < cycles["off"], "the exact form is not faster")
    tools.check(filecmp.cmp(tools.path("off.npy"), tools.path("auto.npy"),
                            shallow=False), "the exact form changes bytes")
    # From float, that machine gets the exact form as well: no weights change.
    exact, text = quantize(tools, graph, weights, samples, "exact",
                           "--winograd", "all", "--target", machine)
    tools.check("exact" in text and chosen_layers(text) == 1,
                "no exact form from float IR")
    cycles_of(tools, compile_for(tools, exact, machine), samples, "exact.npy")
    tools.check(filecmp.cmp(tools.path("off.npy"), tools.path("exact.npy"),
                            shallow=False), "the exact IR changes bytes")
    # A machine without the mode never gets it.
    none, text = quantize(tools, graph, weights, samples, "none",
                          "--winograd", "all", "--target", "Z1_0904")
    tools.check(chosen_layers(text) == 0 and "no Winograd mode" in text,
                "Z1_0904 was given Winograd")
    tools.check(filecmp.cmp(off[1], none[1], shallow=False),
                "Z1_0904 was given other weights")


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    check_layers(tools)
    check_weight_bound(tools)
    check_other_machines(tools)
    if os.path.isdir(tools.packs):
        if tools.options.thorough:
            check_accuracy(tools)
        check_networks(tools)
    else:
        print("skipped: no reference packs")
    tools.finish()


if __name__ == "__main__":
    main()
