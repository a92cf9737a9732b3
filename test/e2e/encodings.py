"""ResNet-20 quantized by encodings files: the integer IR's scales are the file's.

Files of both published versions, for the Compass IR and for the same network as an ONNX
model with its own names of tensors, without calibration data. Each scale and zero point
of the integer IR must be the file's, and the NPU's answers those of the float network to
half a percent.

Example:
    python3 encodings.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import json

import accuracy
import common
import encodings_file

NETWORK = "resnet20_nhwc"
# The input, 19 convolutions, 9 sums and the classifier; all but the sums have weights.
TENSORS, WEIGHTS = 30, 20


def statistics(tools, network, data):
    """Of a calibration with our own ranges."""
    folder = tools.path("measured", "")
    tools.yarrow("quantize", "--recipe", "compass", network, "-c", data, "-o", folder,
                 "--model-name", "net", "--brief", "--save-statistic-info", "true",
                 "--calibration-strategy-for-activation", "extrema")
    return folder + "net_statistic_info.json"


def quantize(tools, network, encodings):
    """The integer IR, and what was said."""
    folder = tools.path("out", "")
    report = tools.path("out", "report.json")
    tools.yarrow("quantize", network, "--encodings", encodings, "-o", folder,
                 "--model-name", "net", "--brief", "--report", report)
    return folder + "net_o.txt", folder + "net_o.bin", report


def check(tools, floats, what, network, layout, **names):
    text, weights, report = quantize(tools, network, tools.path("net.encodings"))
    activations, parameters = encodings_file.read(tools.path("net.encodings"))
    tools.check(len(activations) == TENSORS and len(parameters) == WEIGHTS,
                "%s: the file has %d tensors and %d weights" % (
                    what, len(activations), len(parameters)))
    for difference in encodings_file.differences(text, activations, parameters, **names):
        tools.check(False, "%s: %s" % (what, difference))
    with open(report) as file:
        said = file.read()
    tools.check("N0417" in said and "W041" not in said, what + ": nothing is left out")
    logits = accuracy.simulate(tools, (text, weights), layout)
    top1, best = floats.top1(logits), floats.top1(floats.values)
    print("%-40s top-1 %.2f %% (float %.2f %%), cosine %.5f" % (
        what, top1, best, floats.mean_cosine(logits)))
    tools.check(top1 >= best - accuracy.LARGEST_LOSS, what + ": top-1")


def check_model(tools, floats, network, measured):
    """The same network as an ONNX model. Its names are not those of the IR that it becomes:
    a rectifier is a node there, whose result has the name of the convolution's here."""
    model, names = tools.path("net.onnx"), tools.path("imported", "names.json")
    tools.yarrow("export", network, "--onnx", "-o", model)
    tools.yarrow("import", model, "-o", tools.path("imported", ""), "--names", names)
    with open(names) as file:
        of_model = {t["name"]: t["ir_tensor"] for t in json.load(file)["tensors"]}
    encodings = encodings_file.Encodings(network, measured)
    tools.check(any(of_model[name] != name for name in encodings.activations),
                "the model has names of its own")
    encodings.write(tools.path("net.encodings"), "1.0.0")
    check(tools, floats, "ONNX, version 1.0.0", model, "nhwc", tensor_of=of_model.get)


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    tools.need_packs()
    floats = accuracy.Logits(tools)
    network = tools.pack("float_ir", NETWORK + ".txt")
    measured = statistics(tools, network, accuracy.data(tools, "calib256", "nhwc"))
    for version, per_channel in (("0.6.1", True), ("1.0.0", True), ("0.6.1", False)):
        encodings = encodings_file.Encodings(network, measured, per_channel=per_channel)
        encodings.write(tools.path("net.encodings"), version)
        check(tools, floats, "IR, version %s, weights per %s" % (
            version, "channel" if per_channel else "tensor"), network, "nhwc")
    check_model(tools, floats, network, measured)
    tools.finish()


if __name__ == "__main__":
    main()
