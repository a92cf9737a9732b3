"""Feature maps and weights that do not fit into the SRAM, against the evaluator.

Writes integer networks of one layer with random weights, compiles them for
the largest and the smallest machine, and compares what the NPU computes with
what the integer evaluator does: every byte must be the same. Needs no
reference packs.

Example:
    python3 big.py --yarrow build/bin/yarrow
"""
import array
import json
import math
import random

import common

TARGETS = ("X2_1204", "Z1_0701")
# A sum of K products of two values uniform in -128..127 has about this
# deviation for K = 1; results should fill 8 bits without all being clipped.
DEVIATION_OF_PRODUCT = 5476
DEVIATION_OF_RESULT = 40
SHIFT = 24


class Network:
    """Integer IR of one layer."""

    def __init__(self, name, kind, inputs, output, output_type="int8"):
        self.name, self.inputs = name, inputs
        self.source = random.Random(name)
        self.weights = bytearray()
        self.records = []
        for i, shape in enumerate(inputs):
            self.record("input%d" % i, "Input", [], [], shape, "int8")
        self.record(name, kind, ["input%d_0" % i for i in range(len(inputs))],
                    inputs, output, output_type)

    def record(self, name, kind, bottoms, bottom_shapes, shape, output_type):
        def lists(shapes):
            return "[" + ",".join(
                "[" + ",".join(map(str, s)) + "]" for s in shapes) + "]"
        self.records.append([
            "layer_id=%d" % len(self.records), "layer_name=" + name,
            "layer_type=" + kind, "layer_bottom=[%s]" % ",".join(bottoms),
            "layer_bottom_shape=" + lists(bottom_shapes),
            "layer_bottom_type=[%s]" % ",".join("int8" for _ in bottoms),
            "layer_top=[%s_0]" % name, "layer_top_shape=" + lists([shape]),
            "layer_top_type=[%s]" % output_type,
            "layer_top_range=[[%s]]" % (
                "0,255" if output_type == "uint8" else "-128,127"),
            "layer_top_scale=[10.0]", "layer_top_zp=[0]"])

    def keys(self, **values):
        self.records[-1] += ["%s=%s" % item for item in values.items()]
        return self

    def constant(self, name, kind, shape, data):
        self.keys(**{name + "_type": kind, name + "_offset": len(self.weights),
                     name + "_size": len(data),
                     name + "_shape": str(list(shape)).replace(" ", "")})
        self.weights += data
        return self

    def filters(self, shape):
        """Random weights and biases, and a requantization that suits them."""
        count = math.prod(shape)
        self.constant("weights", "int8", shape, self.source.randbytes(count))
        biases = array.array("i", (self.source.randrange(-9999, 9999)
                                   for _ in range(shape[0])))
        self.constant("biases", "int32", shape[:1], biases.tobytes())
        products = count // shape[0]
        scale = DEVIATION_OF_RESULT / DEVIATION_OF_PRODUCT / products ** 0.5
        return self.keys(num_output=shape[0], with_activation="NONE",
                         scale_value=round(scale * 2 ** SHIFT),
                         scale_type="uint16", shift_value=SHIFT,
                         shift_type="int8", weights_scale=1.0, weights_zp=0,
                         biases_scale=1.0, biases_zp=0)

    def window(self, side, stride, pad):
        return self.keys(kernel_x=side, kernel_y=side, stride_x=stride,
                         stride_y=stride, pad_left=pad, pad_right=pad,
                         pad_top=pad, pad_bottom=pad, dilation_x=1,
                         dilation_y=1)

    def write(self, tools):
        """(text, weights, data files)"""
        text, weights = tools.path("net.txt"), tools.path("net.bin")
        header = ["model_name=" + self.name, "model_domain=other",
                  "layer_number=%d" % len(self.records), "precision=int8",
                  "model_bin=./net.bin",
                  "input_tensors=[%s]" % ",".join(
                      "input%d_0" % i for i in range(len(self.inputs))),
                  "output_tensors=[%s_0]" % self.name]
        with open(text, "w") as file:
            for record in [header] + self.records:
                file.write("\n".join(record) + "\n\n")
        with open(weights, "wb") as file:
            file.write(self.weights)
        data = []
        for i, shape in enumerate(self.inputs):
            data.append(tools.path("input%d.npy" % i))
            values = array.array("b", self.source.randbytes(math.prod(shape)))
            common.write_npy(data[-1], shape, values)
        return text, weights, data


def convolution(name, image, filters, side):
    height, width, channels = image
    return Network(name, "Convolution", [(1,) + image],
                   (1, height, width, filters)).filters(
        (filters, side, side, channels)).window(
        side, 1, side // 2).keys(group=1)


def depthwise(name, image):
    channels = image[2]
    return Network(name, "DepthwiseConv", [(1,) + image],
                   (1,) + image).filters((channels, 3, 3, 1)).window(
        3, 1, 1).keys(group=channels, multiplier=1)


def fully_connected(name, inputs, outputs):
    return Network(name, "FullyConnected", [(1, inputs)],
                   (1, outputs)).filters((outputs, inputs))


def max_pool(name, image):
    height, width, channels = image
    return Network(name, "Pooling", [(1,) + image],
                   (1, height // 2, width // 2, channels)).window(
        2, 2, 0).keys(method="MAX", ceil_mode="false")


def add(name, image):
    return Network(name, "Eltwise", [(1,) + image] * 2, (1,) + image).keys(
        with_activation="NONE", method="ADD", scale_value="[196,32767,28710]",
        shift_value=23, scale_type="[uint16,uint16,uint16]", shift_type="int8")


def softmax(name, rows, columns):
    table = array.array("I", (round(65535 * math.exp((i - 255) / 16))
                              for i in range(256)))
    return Network(name, "Softmax", [(rows, columns)], (rows, columns),
                   "uint8").constant("lut", "uint32", (256,), table.tobytes()
        ).keys(axis=1, quantize_method="LUT", scale_value=198,
               scale_type="uint8", shift_value=-1, shift_type="int8")


NETWORKS = [
    convolution("conv_512x512_16_to_32", (512, 512, 16), 32, 3),
    convolution("conv_1x1_2048_to_2048", (14, 14, 2048), 2048, 1),
    convolution("conv_3x3_1024_to_256", (7, 7, 1024), 256, 3),
    fully_connected("fully_25088_to_512", 25088, 512),
    depthwise("depthwise_300x300x96", (300, 300, 96)),
    max_pool("max_pool_512x512x32", (512, 512, 32)),
    add("add_256x256x96", (256, 256, 96)),
    softmax("softmax_8x20000", 8, 20000),
]


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    print("%-24s %-8s %11s %10s" % ("layer", "target", "bytes", "differing"))
    for network in NETWORKS:
        text, weights, data = network.write(tools)
        for target in TARGETS:
            executable = tools.path("aipu.bin")
            figures = tools.path("figures.json")
            tools.yarrow("compile", text, "-w", weights, "--target", target,
                         "-o", executable)
            tools.yarrow("eval", "--int", text + "," + weights,
                         "--exe", executable, "--data", ",".join(data),
                         "--json", figures, ok=(0, 3))
            with open(figures) as file:
                result = json.load(file)["accuracy"]
            print("%-24s %-8s %11d %10d" % (
                network.name, target, result["compared_bytes"],
                result["differing_bytes"]), flush=True)
            tools.check(result["compared_bytes"] > 0 and
                        result["differing_bytes"] == 0,
                        "%s on %s differs" % (network.name, target))
    tools.finish()


if __name__ == "__main__":
    main()
