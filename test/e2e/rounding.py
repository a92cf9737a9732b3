"""What each method of global_calibration does to ResNet-20.

The network is quantized with 256 images, once per method (only by the recipe, unless the
check is thorough), and measured on 1000 others:
top-1, share of images with the float network's answer, images lost and won, and SQNR of the
logits. The recipe `auto` must reach the figures of docs/quantization.md, where the table stands;
4-bit weights must be the same on the NPU.

Example:
    python3 rounding.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import json
import os
import re

import common

NETWORK = "resnet20_nhwc"
W4 = ["--weight-bits", "4"]


def only(method):
    """The recipe's scales and ranges, 4-bit weights, and this method."""
    return W4 + ["--global-calibration", method]


# name, options, least agreement in %, least SQNR of the logits in dB.
CASES = [
    ("W8A8 compass", ["--recipe", "compass"], 0, 0),
    ("W8A8 auto", [], 98, 28.5),
    ("W4A8 no method", only("none"), 0, 0),
    ("W4A8 auto", W4, 94, 17.5),
    ("W4A8 gptq_zy", only("gptq_zy[8]"), 90, 13),
    ("W4A8 adaround", only("adaround[8,10,8,0.01]"), 90, 13),
    ("W4A8 adaquant_zy", only("adaquant_zy[8,4,8,0.01,0.001]"), 0, 0),
    ("W4A8 reconstruct", only("mse_ranges & reconstruct"), 93, 17),
    ("W4A8 easy_quant", only("easy_quant[2,1,0.8,1.6,9,0]"), 0, 0),
    ("W4A8 hessian_scales", only("hessian_scales"), 0, 0),
    ("W4A8 bias_correction", only("bias_correction"), 0, 0),
    ("W4A8 equalize", only("equalize"), 0, 0),
    ("W4A8 svd_quant", only("svd_quant[1,0.8,1.2,5,0.09]"), 0, 0),
]
BY_RECIPE = ("W8A8 auto", "W4A8 auto")
# Points of top-1 that W4A8 auto may lose.
LARGEST_DROP = 0.5
TARGET = "X2_1204"


def quantize(tools, name, options, threads=None):
    """Quantize to a folder of its own; its path and what was said."""
    folder = tools.path(re.sub(r"\W", "_", name) + str(threads or ""), "")
    said = tools.yarrow(
        "quantize", tools.pack("float_ir", NETWORK + ".txt"),
        "-w", tools.pack("float_ir", NETWORK + ".bin"),
        "-c", tools.pack("cifar10", "calib256_f32_nhwc.npy"),
        "--calibration-batch-size", 32, "-o", folder, "--brief", *options, threads=threads)
    return folder, said


def measure(tools, folder, samples=1000, executable=None):
    """The figures of eval, by network."""
    report = os.path.join(folder, "report.json")
    network = os.path.join(folder, NETWORK + "_o")
    float_ir = [tools.pack("float_ir", NETWORK + end) for end in (".txt", ".bin")]
    tools.yarrow("eval", "--float", ",".join(float_ir), "--int", f"{network}.txt,{network}.bin",
                 *(["--exe", executable] if executable else []), "--samples", samples,
                 "--data", tools.pack("cifar10", "eval1000_f32_nhwc.npy"),
                 "--label", tools.pack("cifar10", "eval1000_label.npy"), "--json", report)
    with open(report, encoding="utf-8") as file:
        return json.load(file)["accuracy"]["networks"]


def check_case(tools, name, options, least_agreement, least_sqnr):
    """Print a row of the table and hold it to its limits."""
    folder, said = quantize(tools, name, options)
    networks = measure(tools, folder)
    told = {**networks["int"], **networks["int"]["to_float"], **networks["int"]["answers_as_float"]}
    kept = "not kept" if "not kept" in said else ""
    print(f"{name:22} {told['top1']:6.2f} {told['agreed_percent']:7.2f} "
          f"{told['lost']:5} {told['won']:5} {told['sqnr_db']:8.2f}  {kept}", flush=True)
    tools.check(told["agreed_percent"] >= least_agreement, f"{name}: agreement")
    tools.check(told["sqnr_db"] >= least_sqnr, f"{name}: SQNR")
    drop = networks["float"]["top1"] - told["top1"]
    if name == "W4A8 auto":
        tools.check(drop <= LARGEST_DROP, f"{name}: {drop} points lost")
        executable = os.path.join(folder, "aipu.bin")
        tools.yarrow("compile", os.path.join(folder, NETWORK + "_o.txt"), "--target", TARGET,
                     "-o", executable)
        # Other bytes than the evaluator's end eval with another code.
        measure(tools, folder, 50, executable)


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    tools.need_packs()
    print(f"{'':22}  top1 %  agree %  lost   won  SQNR dB")
    for case in CASES:
        if tools.options.thorough or case[0] in BY_RECIPE:
            check_case(tools, *case)
    return tools.finish()


if __name__ == "__main__":
    raise SystemExit(main())
