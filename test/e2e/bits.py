"""Bits and types: 4- and 12-bit weights and activations, 48-bit biases, weights only.

`examples/digits` is quantized with weight_bits, activation_bits, bias_bits and
quant_type of all kinds. The integer IR has the types that the bits ask for and
reads back as it was written; on three machines the NPU gives the evaluator's
bytes, and what the network answers stays near the float network's. Weights of 4
bits are half as many bytes in the executable and on the DDR bus.

Example:
    python3 bits.py --yarrow build/bin/yarrow
"""
import json
import os
import subprocess

import common

TARGETS = ("X2_1204", "Z1_0904", "Z1_0701")
SAMPLES = 40
PER_CHANNEL = "per_channel_symmetric_restricted_range"

# options; types of weights, biases and results of the convolutions; least
# signal to noise of the logits in dB
CASES = {
    "w4": ({"weight-bits": 4}, ("aligned_int4", "int32", "uint8"), 8),
    "w12": ({"weight-bits": 12}, ("aligned_int12", "int32", "uint8"), 25),
    "a12": ({"activation-bits": 12, "lut-items-in-bits": 10},
            ("int8", "int32", "aligned_uint12"), 25),
    "a10": ({"activation-bits": 10}, ("int8", "int32", "aligned_uint12"), 25),
    "a14w14": ({"activation-bits": 14, "weight-bits": 14}, ("int16", "int32", "uint16"), 40),
    "w4a4": ({"weight-bits": 4, "activation-bits": 4},
             ("aligned_int4", "int32", "aligned_uint4"), 4),
    "a12w4": ({"weight-bits": 4, "activation-bits": 12},
              ("aligned_int4", "int32", "aligned_uint12"), 8),
    "w16a16": ({"quant-type": "w16a16"}, ("int16", "int64", "uint16"), 45),
    "w8a8": ({"quant-type": "w8a8"}, ("int8", "int32", "uint8"), 20),
    "w4afp16": ({"quant-type": "w4afp16"}, ("aligned_int4", "float32", "float16"), 8),
    # An executable has no outputs of bfloat16.
    "w8abfp16": ({"quant-type": "w8abfp16 & <[FullyConnected]:w8afp16>"}, ("int8", "float32", "bfloat16"), 30),
    "blocks": ({"trigger-float-op": "float32_act_int_wht!", "weight-bits": 4,
                "quantize-method-for-weight": "per_block_asymmetric",
                "weight-block-size": "8 & <{/stem.*}:1>"},
               ("aligned_int4", "float32", "float32"), 12),
    "fp16": ({"quant-type": "fp16"}, ("float16", "float32", "float16"), 40),
}


def quantize(tools, name, options):
    digits = os.path.join(tools.root, "examples", "digits")
    flags = {"quantize-method-for-weight": PER_CHANNEL,
             "quantize-method-for-activation": "per_tensor_asymmetric",
             "calibration-batch-size": "32", **options}
    tools.yarrow("quantize", "--recipe", "compass", os.path.join(digits, "digits.txt"),
                 "-c", os.path.join(digits, "calibration.npy"), "-o", tools.path(name, ""),
                 "--brief", *[x for k, v in flags.items() for x in ("--" + k, v)])
    return tools.path(name, "digits_o.txt"), tools.path(name, "digits_o.bin")


def check_types(tools, name, network, types):
    for layer in common.read_layers(network)[1:]:
        if layer["layer_type"] != "Convolution":
            continue
        found = (layer["weights_type"], layer["biases_type"], layer["layer_top_type"].strip("[]"))
        expected = types
        if "uint" in types[2] and layer.get("with_activation", "NONE") == "NONE":
            expected = types[:2] + (types[2].replace("uint", "int"),)
        # Asymmetric results are unsigned, whatever they are.
        tools.check(found in (types, expected),
                    f"{name}: {layer['layer_name']} has {found}, not {expected}")


def check_reading(tools, name, network, weights):
    """It is read without a complaint, and MLIR has the types."""
    tools.yarrow("check", network, "-w", weights)
    module = tools.path(name, "read.mlir")
    tools.yarrow("compile", network, "-w", weights, "--stop-after", "read", "-o", module)
    with open(module) as file:
        text = file.read()
    for word, mlir in (("aligned_int4", "xi4>"), ("aligned_uint12", "u12"),
                       ("aligned_uint4", "u4")):
        with open(network) as file:
            if word in file.read():
                tools.check(mlir in text, f"{name}: {word} is not {mlir} in MLIR")


def check_out_of_type(tools, network, weights):
    """A byte of 100 is no weight of 4 bits."""
    layer = next(l for l in common.read_layers(network)[1:]
                 if l.get("weights_type") == "aligned_int4")
    text, data = tools.path("broken", "net.txt"), tools.path("broken", "net.bin")
    with open(network) as source, open(text, "w") as target:
        target.writelines(l for l in source if not l.startswith("weights_digest"))
    with open(weights, "rb") as source, open(data, "wb") as target:
        content = bytearray(source.read())
        content[int(layer["weights_offset"]) + 5] = 100
        target.write(content)
    done = subprocess.run([tools.program, "check", text, "-w", data], capture_output=True,
                          text=True, check=False)
    tools.check(done.returncode != 0 and "100 at index 5 of aligned_int4" in done.stderr,
                "a weight out of its type: " + done.stderr)


def simulate(tools, name, network, weights, target):
    """The logits, and the report's figures."""
    exe, report = tools.path(name, target + ".bin"), tools.path(name, target + ".json")
    tools.yarrow("compile", network, "-w", weights, "--target", target, "-o", exe)
    said = tools.yarrow("eval", "--int", f"{network},{weights}", "--exe", exe,
                        "--data", tools.path("samples.npy"))
    tools.check("int and npu: 0 of" in said, f"{name}: evaluator and {target} differ: {said}")
    tools.yarrow("run", exe, "-i", tools.path("samples.npy"), "-o", tools.path(name, "out.npy"),
                 "--timed", "--report", report, "--dequantize")
    with open(report) as file:
        performance = json.load(file)["performance"]
    return common.read_npy(tools.path(name, "out.npy"))[2], performance, os.path.getsize(exe)


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    exact = common.read_npy(os.path.join(tools.root, "examples", "digits",
                                         "heldout_logits.npy"))[2]
    shape, _, images = common.read_npy(os.path.join(tools.root, "examples", "digits",
                                                    "heldout.npy"))
    length = len(images) // shape[0]
    common.write_npy(tools.path("samples.npy"), (SAMPLES, *shape[1:]), images[:SAMPLES * length])
    traffic = {}
    for name, (options, types, least) in CASES.items():
        network, weights = quantize(tools, name, options)
        check_types(tools, name, network, types)
        check_reading(tools, name, network, weights)
        if name == "w4":
            check_out_of_type(tools, network, weights)
        for target in TARGETS:
            values, performance, size = simulate(tools, name, network, weights, target)
            traffic[name, target] = (sum(l["ddr_bytes"] for l in performance["layers"]), size)
        noise = common.sqnr_db(exact[:len(values)], values)
        tools.check(noise >= least, f"{name}: {noise:.1f} dB, less than {least}")
        cycles = performance["cycles"]
        print(f"{name:9} {noise:5.1f} dB; {TARGETS[-1]}: {cycles} cycles, "
              f"{traffic[name, TARGETS[-1]][0]} bytes of DDR, executable {size}")
    count = sum(int(l["weights_size"]) for l in common.read_layers(
        tools.path("w8a8", "digits_o.txt"))[1:] if "weights_size" in l)
    for target in TARGETS:
        (wide, wide_file), (narrow, narrow_file) = (traffic["w8a8", target],
                                                    traffic["w4", target])
        tools.check(narrow_file <= wide_file - 0.45 * count,
                    f"{target}: the executable shrinks from {wide_file} to {narrow_file}")
        tools.check(narrow <= wide - 0.45 * count,
                    f"{target}: DDR traffic shrinks from {wide} to {narrow}")
        print(f"{target}: {count} weights, DDR {wide} -> {narrow} bytes, executable "
              f"{wide_file} -> {narrow_file}")
    tools.finish()


if __name__ == "__main__":
    main()
