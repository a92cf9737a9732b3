"""Models that are quantized already, beside our own quantization of their twins.

MLPerf Tiny publishes ResNet-8 as floats and as an int8 TFLite model. The model's
own integers are taken over (yarrow eval model.tflite) and compiled; the float
network is quantized by `yarrow quantize`. Both answer the CIFAR-10 images, and
the NPU gives the evaluator's bytes.

Example:
    python3 prequantized.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import json

import common

LARGEST_LOSS = 1.0  # points of top-1 to float, which of 1,000 images chance loses


def accuracy(tools, name, *networks):
    """What eval says: by network, and how many bytes of NPU and evaluator differ."""
    report = tools.path(name + ".json")
    tools.yarrow("eval", *networks, "--data", tools.pack("cifar10", "eval1000_u8_nhwc.npy"),
                 "--label", tools.pack("cifar10", "eval1000_label.npy"), "--metric", "top1",
                 "--json", report)
    with open(report) as file:
        result = json.load(file)["accuracy"]
    return result["networks"], result["differing_bytes"]


def show(name, network):
    floats = network["to_float"]
    print("%-22s top-1 %.1f %%, as float %.1f %%, %.1f dB to float" % (
        name, network["top1"], network["answers_as_float"]["agreed_percent"], floats["sqnr_db"]))


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    tools.need_packs()
    model = tools.pack("tflite", "resnet8_int8", "model.tflite")
    twin = tools.pack("models", "resnet8_tiny_pc_asym", "float")
    floats = twin + ".txt," + twin + ".bin"
    calibration = tools.pack("cifar10", "calib256_u8_nhwc.npy")

    tools.yarrow("compile", model, "-o", tools.path("given.bin"))
    tools.yarrow("quantize", twin + ".txt", "-w", twin + ".bin", "-c", calibration,
                 "-o", tools.path("own", ""), "--model-name", "own", "--brief")
    own = tools.path("own", "own_o.txt") + "," + tools.path("own", "own_o.bin")
    given, differing = accuracy(tools, "given", "--float", floats, "--int", model, "--exe",
                                tools.path("given.bin"))
    ours, _ = accuracy(tools, "own", "--float", floats, "--int", own)
    print("float                  top-1 %.1f %%" % given["float"]["top1"])
    show("the model's integers", given["int"])
    show("quantized here", ours["int"])
    tools.check(differing == 0, "%d bytes differ between NPU and evaluator" % differing)
    for name, networks in (("the model's", given), ("our", ours)):
        loss = networks["float"]["top1"] - networks["int"]["top1"]
        tools.check(loss <= LARGEST_LOSS, "%s integers lose %.1f points of top-1" % (name, loss))
    tools.finish()


main()
