"""Networks with scales of 31 bits: the same bytes, and what they cost.

Takes int8 networks of the reference packs and gives every layer that multiplies,
and every sum, the same scale with more bits: scale * 2^k and shift + k, k as
large as 31 bits allow. The values are those of before, so outputs must be, byte
for byte; but the tensor engine executes its mode for wide scales. Its cycles
are held against those of 16 bits: at most 5 % more. A machine without the mode
gives the bytes on its TECs.

Example:
    python3 wide_scales.py --yarrow build/bin/yarrow --packs ../shared/packs \\
        --update docs/performance.md
"""
import array
import json
import os
import re

import common

NETWORKS = [  # pack, its name in the table, all targets or those with DDR to spare
    "resnet20_nhwc_pc_sym", "resnet20_nhwc_pc_asym", "resnet8_tiny_pc_asym",
    "kws_dscnn_pt_sym", "ad01_pt_sym", "squeezenet1_1_rand_pt_sym",
    "mobilenet_v2_rand_pt_sym"]
TARGETS = ("X2_1204", "Z2_1104", "Z1_0701")
MOST_PERCENT = 5.0
MULTIPLY = ("Convolution", "DepthwiseConv", "ConvTranspose", "FullyConnected",
            "MatMul")
MARKS = ("<!-- begin measured: wide-scales -->", "<!-- end measured -->")
CODES = {"uint8": "B", "uint16": "H", "int8": "b", "int32": "i"}


def spare_bits(scales):
    return 31 - max(1, *scales).bit_length()


class Constants:
    """The weights file; what is changed is appended."""

    def __init__(self, data):
        self.data = bytearray(data)

    def read(self, layer, name):
        begin = int(layer[name + "_offset"])
        values = array.array(CODES[layer[name + "_type"]])
        values.frombytes(bytes(self.data[begin:begin + int(layer[name + "_size"])]))
        return values

    def replace(self, layer, name, kind, values):
        raw = array.array(CODES[kind], values).tobytes()
        self.data += bytes(-len(self.data) % 64)
        layer[name + "_type"] = kind
        layer[name + "_offset"] = str(len(self.data))
        layer[name + "_size"] = str(len(raw))
        self.data += raw


def widen(layer, constants):
    """Whether the layer has scales, which are wide now."""
    kind = layer.get("layer_type")
    is_sum = kind == "Eltwise" and layer.get("method") == "ADD"
    if kind not in MULTIPLY and not is_sum:
        return False
    if "scale_offset" in layer:
        scales = constants.read(layer, "scale")
        shifts = constants.read(layer, "shift")
        bits = spare_bits(scales)
        constants.replace(layer, "scale", "int32", [s << bits for s in scales])
        constants.replace(layer, "shift", "int8", [s + bits for s in shifts])
        return True
    if "scale_value" not in layer:
        return False
    scales = [int(s) for s in re.findall(r"\d+", layer["scale_value"])]
    if is_sum:
        # Both operands' scales; that of the sum is the first.
        bits = spare_bits(scales[1:])
        wide = scales[:1] + [s << bits for s in scales[1:]]
        # |sum| * scale has to keep within 62 bits: 9 and 1 of the operands.
        while (sum(wide[1:]) << 9) * wide[0] > 1 << 62:
            bits -= 1
            wide = scales[:1] + [s << bits for s in scales[1:]]
        layer["scale_value"] = "[" + ",".join(map(str, wide)) + "]"
        layer["scale_type"] = "[int32,int32,int32]"
    else:
        bits = spare_bits(scales)
        layer["scale_value"] = str(scales[0] << bits)
        layer["scale_type"] = "int32"
    shift = int(re.search(r"-?\d+", layer["shift_value"]).group())
    layer["shift_value"] = str(shift + bits)
    return True


def widen_network(source, text, weights):
    """Writes the network with wide scales; how many layers have them."""
    header, *layers = common.read_layers(source + "/int.txt")
    with open(source + "/int.bin", "rb") as file:
        constants = Constants(file.read())
    changed = sum(widen(layer, constants) for layer in layers)
    header.pop("weights_digest", None)
    with open(text, "w") as file:
        for layer in [header, *layers]:
            file.writelines("%s=%s\n" % item for item in layer.items())
            file.write("\n")
    with open(weights, "wb") as file:
        file.write(constants.data)
    return changed


class Run:
    """A network, compiled and timed."""

    def __init__(self, tools, text, weights, target, sample):
        executable, report = tools.path("aipu.bin"), tools.path("report.json")
        output = tools.path("out.npy")
        tools.yarrow("compile", text, "-w", weights, "--target", target,
                     "-o", executable)
        tools.yarrow("run", executable, "-i", sample, "-o", output, "--timed",
                     "--report", report)
        with open(report) as file:
            performance = json.load(file)["performance"]
        self.cycles = performance["cycles"]
        self.tec_cycles = sum(performance["tec_busy_cycles"])
        with open(output, "rb") as file:
            self.bytes = file.read()


def input_of(pack):
    with open(pack + "/tensors.json") as file:
        first = json.load(file)["samples"][0]
    return pack + "/sample0/" + next(
        t["file"] for t in first if t["io"] == "input")


def compare(tools, name, rows):
    pack = tools.pack("models", name)
    wide_text, wide_weights = tools.path("wide.txt"), tools.path("wide.bin")
    layers = widen_network(pack, wide_text, wide_weights)
    cells = []
    for target in TARGETS:
        title = "%s on %s" % (name, target)
        narrow = Run(tools, pack + "/int.txt", pack + "/int.bin", target,
                     input_of(pack))
        wide = Run(tools, wide_text, wide_weights, target, input_of(pack))
        percent = 100.0 * (wide.cycles - narrow.cycles) / narrow.cycles
        print("%-48s %9d %9d cycles %+.2f %%" % (
            title, narrow.cycles, wide.cycles, percent))
        tools.check(wide.bytes == narrow.bytes, title + ": outputs differ")
        tools.check(percent <= MOST_PERCENT, title + ": too slow")
        cells += ["{:,}".format(narrow.cycles), "{:,}".format(wide.cycles),
                  "%+.1f %%" % percent]
    rows.append("| %s | %d | %s |" % (name, layers, " | ".join(cells)))


def check_other_machine(tools):
    """Without the mode TECs do the same."""
    pack = tools.pack("models", "resnet8_tiny_pc_asym")
    machine = tools.path("narrow.json")
    with open(machine, "w") as file:
        json.dump({"name": "X2_narrow", "base": "X2_1204",
                   "outputStage": {"widePasses": 0}}, file)
    text, weights = tools.path("wide.txt"), tools.path("wide.bin")
    widen_network(pack, text, weights)
    narrow = Run(tools, pack + "/int.txt", pack + "/int.bin", machine,
                 input_of(pack))
    wide = Run(tools, text, weights, machine, input_of(pack))
    tools.check(wide.bytes == narrow.bytes, "without the mode outputs differ")
    tools.check(wide.tec_cycles > 10 * narrow.tec_cycles,
                "without the mode the TECs work")


def write_table(path, rows):
    head = "| network | wide layers | " + " | ".join(
        "%s | 31 bits | more" % t for t in TARGETS) + " |"
    rule = "|---|" + "---|" * (1 + 3 * len(TARGETS))
    with open(path) as file:
        text = file.read()
    begin = text.index(MARKS[0]) + len(MARKS[0])
    end = text.index(MARKS[1], begin)
    table = "\n\n" + "\n".join([head, rule, *rows]) + "\n\n"
    with open(path, "w") as file:
        file.write(text[:begin] + table + text[end:])


def main():
    tools = common.arguments("Check wide scales", lambda parser: parser.add_argument(
        "--update", help="the document whose table to write"))
    tools.need_packs()
    rows = []
    for name in NETWORKS:
        if os.path.isdir(tools.pack("models", name)):
            compare(tools, name, rows)
    check_other_machine(tools)
    if tools.options.update:
        write_table(tools.options.update, rows)
    tools.finish()


if __name__ == "__main__":
    main()
