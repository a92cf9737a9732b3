"""ResNet-20 through our own quantizer: accuracy of what the NPU computes.

Quantizes the trained network in two layouts, with weights per tensor and per
channel and activations symmetric and asymmetric, compiles, and simulates the
1000 evaluation images. Top-1 may be at most half a point under float, the
NPU must give the integer network's bytes, and logits must be no farther from
float than those of the reference integer network of the same configuration.

Example:
    python3 accuracy.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import json
import os

import common

PER_TENSOR = "per_tensor_symmetric_restricted_range"
PER_CHANNEL = "per_channel_symmetric_restricted_range"
SYMMETRIC = "per_tensor_symmetric_full_range"
ASYMMETRIC = "per_tensor_asymmetric"

# Sums of floats differ in their last bits between hosts.
FLOAT_NOISE = 1e-6
LARGEST_LOSS = 0.5
SMALLEST_COSINE_16_BIT = 0.9999
# The evaluator gives the bytes of the NPU on every sample (conformance), so a
# part of the samples is enough to see that these are the same networks.
SAMPLES_OF_EVALUATOR = 100

# layout, weights, activations, further options, reference network if any. All but
# OF_EACH_KIND are left to the thorough check.
CONFIGURATIONS = [
    ("nhwc", PER_TENSOR, SYMMETRIC, {}, None),
    ("nhwc", PER_TENSOR, ASYMMETRIC, {}, None),
    ("nhwc", PER_CHANNEL, SYMMETRIC, {}, "resnet20_nhwc_pc_sym"),
    ("nhwc", PER_CHANNEL, ASYMMETRIC, {}, "resnet20_nhwc_pc_asym"),
    ("nchw", PER_TENSOR, SYMMETRIC, {}, "resnet20_pt_sym"),
    ("nchw", PER_TENSOR, ASYMMETRIC, {}, None),
    ("nchw", PER_CHANNEL, SYMMETRIC, {}, None),
    ("nchw", PER_CHANNEL, ASYMMETRIC, {}, None),
    ("nhwc", PER_TENSOR, SYMMETRIC,
     {"calibration-strategy-for-activation": "extrema"},
     "resnet20_nhwc_pt_sym_extrema"),
    ("nhwc", PER_TENSOR, SYMMETRIC,
     {"calibration-strategy-for-activation": "3std"},
     "resnet20_nhwc_pt_sym_3std"),
    ("nhwc", PER_CHANNEL, SYMMETRIC,
     {"activation-bits": "16", "lut-items-in-bits": "10"},
     "resnet20_nhwc_a16w8"),
    ("nhwc", PER_CHANNEL, SYMMETRIC,
     {"activation-bits": "16", "lut-items-in-bits": "10",
      "weight-bits": "16"}, None),
]
OF_EACH_KIND = ("resnet20_nhwc_pc_asym", "resnet20_pt_sym", "resnet20_nhwc_a16w8")
# Three standard deviations cut off so much that this network loses 20 points,
# with the reference as with us: only the comparison with it says something.
LOSSY_STRATEGIES = ("3std",)


class Logits:
    """Float logits and labels of the evaluation images."""

    def __init__(self, tools):
        shape, _, self.values = common.read_npy(
            tools.pack("cifar10", "resnet20_float_logits_eval1000.npy"))
        self.samples, self.classes = shape
        self.labels = common.read_npy(
            tools.pack("cifar10", "eval1000_label.npy"))[2]

    def row(self, values, i):
        return values[i * self.classes:(i + 1) * self.classes]

    def top1(self, values):
        """Percentage of images whose class has the highest logit."""
        hits = 0
        for i in range(self.samples):
            row = list(self.row(values, i))
            hits += row.index(max(row)) == self.labels[i]
        return 100 * hits / self.samples

    def mean_cosine(self, values):
        return sum(common.cosine(self.row(self.values, i), self.row(values, i))
                   for i in range(self.samples)) / self.samples


def data(tools, part, layout):
    return tools.pack("cifar10", "%s_f32_%s.npy" % (part, layout))


def simulate(tools, network, layout):
    """Compile an integer network and run all images; the logits."""
    text, weights = network
    executable = tools.path("aipu.bin")
    tools.yarrow("compile", text, "-w", weights, "--target", "X2_1204",
                 "-o", executable)
    outputs = tools.path("logits.npy")
    tools.yarrow("run", executable, "-i", data(tools, "eval1000", layout),
                 "-o", outputs)
    return list(common.read_npy(outputs)[2])


def quantize(tools, configuration):
    layout, weights, activations, options, _ = configuration
    name = "resnet20_nhwc" if layout == "nhwc" else "resnet20"
    flags = {"quantize-method-for-weight": weights,
             "quantize-method-for-activation": activations,
             "calibration-batch-size": "32", **options}
    tools.yarrow("quantize", "--recipe", "compass", tools.pack("float_ir", name + ".txt"),
                 "-w", tools.pack("float_ir", name + ".bin"),
                 "-c", data(tools, "calib256", layout), "--brief",
                 "-o", tools.folder, "--model-name", "net",
                 *[x for k, v in flags.items() for x in ("--" + k, v)])
    return tools.path("net_o.txt"), tools.path("net_o.bin")


def compare_with_evaluator(tools, network, layout, with_float):
    """Run evaluator and NPU; the JSON figures."""
    figures = tools.path("figures.json")
    name = "resnet20_nhwc" if layout == "nhwc" else "resnet20"
    more = ["--float", tools.pack("float_ir", name + ".txt") + "," +
            tools.pack("float_ir", name + ".bin")] if with_float else []
    tools.yarrow("eval", "--int", ",".join(network), *more,
                 "--exe", tools.path("aipu.bin"),
                 "--data", data(tools, "eval1000", layout),
                 "--label", tools.pack("cifar10", "eval1000_label.npy"),
                 "--samples", SAMPLES_OF_EVALUATOR,
                 "--json", figures, ok=(0, 3))
    with open(figures) as file:
        return json.load(file)["accuracy"]


def title(configuration):
    layout, weights, activations, options, _ = configuration
    words = [layout, "per tensor" if weights == PER_TENSOR else "per channel",
             "symmetric" if activations == SYMMETRIC else "asymmetric"]
    strategy = options.get("calibration-strategy-for-activation")
    words += [strategy] if strategy else []
    if "activation-bits" in options:
        words += ["a16 w" + options.get("weight-bits", "8")]
    return ", ".join(words)


def check_configuration(tools, floats, configuration):
    layout, reference = configuration[0], configuration[-1]
    name = title(configuration)
    network = quantize(tools, configuration)
    logits = simulate(tools, network, layout)
    figures = compare_with_evaluator(tools, network, layout, False)
    differing = figures["differing_bytes"]
    top1, cosine = floats.top1(logits), floats.mean_cosine(logits)
    theirs = theirs_top1 = None
    if reference:
        pack = tools.pack("models", reference)
        other = simulate(tools, (os.path.join(pack, "int.txt"),
                                 os.path.join(pack, "int.bin")), layout)
        theirs, theirs_top1 = floats.mean_cosine(other), floats.top1(other)
    print("%-42s %6.2f  %.6f  %6.2f dB  %9d  %s" % (
        name, top1, cosine, common.sqnr_db(floats.values, logits), differing,
        "%6.2f   %.6f" % (theirs_top1, theirs) if reference else "     -"),
        flush=True)
    tools.check(differing == 0, name + ": NPU and evaluator differ")
    loss = floats.top1(floats.values) - top1
    strategy = configuration[3].get("calibration-strategy-for-activation")
    tools.check(loss <= LARGEST_LOSS or strategy in LOSSY_STRATEGIES,
                "%s: top-1 is %.2f points under float" % (name, loss))
    if theirs is not None:
        tools.check(cosine >= theirs - FLOAT_NOISE,
                    "%s: cosine %.6f is below the reference's %.6f"
                    % (name, cosine, theirs))
    # Weights of 8 bits alone make more noise than this bound allows.
    if "a16 w16" in name:
        tools.check(cosine > SMALLEST_COSINE_16_BIT,
                    "%s: cosine is %.6f" % (name, cosine))
    return network


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    tools.need_packs()
    floats = Logits(tools)
    print("float: top-1 %.2f %% of %d images" % (
        floats.top1(floats.values), floats.samples))
    print("%-42s %6s  %8s  %9s  %9s  %-8s %s" % (
        "configuration", "top-1", "cosine", "SQNR", "differing",
        "reference", "its cosine"))
    for configuration in CONFIGURATIONS:
        if not (tools.options.thorough or configuration[-1] in OF_EACH_KIND):
            continue
        network = check_configuration(tools, floats, configuration)
    # The float network here must be the one whose logits were recorded.
    figures = compare_with_evaluator(tools, network, "nhwc", True)
    part = SAMPLES_OF_EVALUATOR
    top1 = sum(list(floats.row(floats.values, i)).index(
        max(floats.row(floats.values, i))) == floats.labels[i]
        for i in range(part)) * 100 / part
    tools.check(figures["networks"]["float"]["top1"] == top1,
                "our float evaluator has another top-1 than was recorded")
    tools.finish()


if __name__ == "__main__":
    main()
