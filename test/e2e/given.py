"""Models that are quantized already, beside our own quantization of their twins.

MLPerf Tiny publishes ResNet-8 as floats and as an int8 TFLite model. The model's
own integers are taken over (yarrow eval model.tflite) and compiled; the float
network is quantized by `yarrow quantize`. Both answer the CIFAR-10 images, and
the NPU gives the evaluator's bytes. TFLite's two roundings (--tflite-rounding
reference) change a few values by one.

Example:
    python3 given.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import json

import common

LARGEST_LOSS = 1.0  # points of top-1 to float, which of 1,000 images chance loses
SAMPLES_OF_EVALUATOR = 100


def accuracy(tools, name, *networks):
    """What eval says of each network: {"float": {...}, "int": {...}}."""
    report = tools.path(name + ".json")
    tools.yarrow("eval", *networks, "--data", tools.pack("cifar10", "eval1000_u8_nhwc.npy"),
                 "--label", tools.pack("cifar10", "eval1000_label.npy"), "--metric", "top1",
                 "--json", report)
    with open(report) as file:
        return json.load(file)


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    tools.need_packs()
    model = tools.pack("tflite", "resnet8_int8", "model.tflite")
    twin = tools.pack("models", "resnet8_tiny_pc_asym", "float")
    calibration = tools.pack("cifar10", "calib256_u8_nhwc.npy")

    print(tools.yarrow("compile", model, "-o", tools.path("given.bin")).strip())
    tools.yarrow("quantize", twin + ".txt", "-w", twin + ".bin", "-c", calibration,
                 "-o", tools.path("own", ""), "--model-name", "own", "--brief")
    floats = twin + ".txt," + twin + ".bin"
    own = tools.path("own", "own_o.txt") + "," + tools.path("own", "own_o.bin")
    given = accuracy(tools, "given", "--float", floats, "--int", model, "--exe",
                     tools.path("given.bin"))
    ours = accuracy(tools, "own", "--float", floats, "--int", own)
    print(json.dumps(given, indent=1))
    print(json.dumps(ours, indent=1))
    tools.finish()


main()
