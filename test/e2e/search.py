"""Mixed precision for ResNet-20: which layers need 16 bits, at what price.

Weights of 4 bits lose points. The Compass Optimizer's search answers that with
16 bits for all layers from the first one on. Here at most 30 % of the layers get
them for the same accuracy on images that neither calibration nor search has seen.
What is told is what `yarrow quantize` makes of the lines, and the same on any
number of threads. A search within a budget of cycles as well, where the check is
thorough; otherwise that of a smaller network keeps its budget.
"""
import json
import os
import re

import common

# Points of top1 by which the mixture may be below all layers at 16 bits: half of
# the standard deviation of a difference on 1,000 images.
SLACK = 0.3


def quantized(tools, network, name, settings):
    """Top1 in percent of the network with these settings, and what was said."""
    flags = [item for key, value in settings.items()
             for item in ("--" + key.replace("_", "-"), value)]
    said = tools.yarrow("quantize", *network, "-o", tools.path(name, ""), "--brief", *flags)
    folder = tools.path(name, "resnet20_nhwc_o")
    report = tools.path(name, "eval.json")
    tools.yarrow("eval", "--float", ",".join((network[0], network[2])),
                 "--int", folder + ".txt," + folder + ".bin",
                 "--data", tools.pack("cifar10", "eval1000_f32_nhwc.npy"),
                 "--label", tools.pack("cifar10", "eval1000_label.npy"), "--json", report)
    with open(report, encoding="utf-8") as f:
        networks = json.load(f)["accuracy"]["networks"]
    return networks["int"]["top1"], networks["float"]["top1"], said


def check_form(tools, search, config):
    """Every layer, by name, with the Optimizer's attributes."""
    bits = {"4": (4, 8), "8": (8, 8), "16": (16, 16)}
    tools.check(list(config) == [layer["name"] for layer in search["layers"]],
                "opt_config has other layers")
    for layer in search["layers"]:
        weight, activation = bits[layer["chosen"]]
        entry = config[layer["name"]]
        tools.check(entry["q_bits_activation"] == activation,
                    f"{layer['name']} has {entry}")
        if "q_bits_weight" in entry:
            tools.check(entry["q_bits_weight"] == weight and "q_bits_bias" in entry,
                        f"{layer['name']} has {entry}")


def check_threads(tools, flags):
    """The same plan on any number of threads, for a network that is searched in seconds."""
    digits = os.path.join(tools.root, "examples", "digits", "")
    report, told = tools.path("threads.json"), []
    for threads in (1, 2, 5):
        tools.yarrow("search", digits + "digits.txt", "-w", digits + "digits.bin", "-c",
                     digits + "calibration.npy", *flags, "--bits", "4,8,16",
                     "--budget-cycles", "130%", "--report", report, threads=threads)
        with open(report, encoding="utf-8") as f:
            told.append(json.load(f)["search"])
    tools.check(told[0]["is_met"], "the budget is not kept")
    tools.check(told[0] == told[1] == told[2], "another number of threads, another plan")


def check_prediction(tools, search):
    """What the mixture costs and loses is near what was predicted of its layers."""
    measured, predicted = search["measured"], search["predicted"]
    tools.check(abs(measured["cycles"] / predicted["cycles"] - 1) < 0.15,
                f"{measured['cycles']} cycles, predicted {predicted['cycles']}")
    tools.check(predicted["loss"] / 3 < measured["loss"] < predicted["loss"] * 3,
                f"loss {measured['loss']}, predicted {predicted['loss']}")


def check_budget(tools, network, flags):
    """The best within a budget of cycles."""
    report = tools.path("budget.json")
    print(tools.yarrow("search", *network, *flags, "--bits", "4,8,16", "--budget-cycles", "130%",
                       "--report", report))
    with open(report, encoding="utf-8") as f:
        search = json.load(f)["search"]
    tools.check(search["is_met"], "the budget is not kept")
    check_prediction(tools, search)
    tools.check(search["measured"]["loss"] < search["uniform"]["8"]["loss"] / 2,
                "for 30 % more cycles, the loss is not halved")


def main():
    tools = common.arguments("Check the search for mixed precision")
    tools.need_packs()
    network = [tools.pack("float_ir", "resnet20_nhwc.txt"), "-w",
               tools.pack("float_ir", "resnet20_nhwc.bin"),
               "-c", tools.pack("cifar10", "calib256_f32_nhwc.npy")]
    base = {"calibration_strategy_for_activation": "extrema",
            "quantize_method_for_weight": "per_channel_symmetric_restricted_range"}
    flags = [item for key, value in base.items()
             for item in ("--" + key.replace("_", "-"), value)]
    report, config = tools.path("search.json"), tools.path("opt_config.json")
    check_threads(tools, flags)
    if tools.options.thorough:
        check_budget(tools, network, flags)
    # As few cycles as possible, as good as 16 bits.
    print(tools.yarrow("search", *network, *flags, "--bits", "4,8,16", "--max-loss",
                       "0.003", "-o", config, "--report", report))
    with open(report, encoding="utf-8") as f:
        search = json.load(f)["search"]
    with open(config, encoding="utf-8") as f:
        check_form(tools, search, json.load(f))
    tools.check(search["is_met"], "no mixture is good enough")
    check_prediction(tools, search)
    chosen = [layer["chosen"] for layer in search["layers"]]
    share = chosen.count("16") / len(chosen)
    # The bits that the search found, and none that quantize adds for its own goal.
    top1, floating, said = quantized(tools, network, "mixed",
                                     {**base, **search["settings"], "goal": "0"})
    wide, _, _ = quantized(tools, network, "wide",
                           {**base, "weight_bits": "16", "activation_bits": "16"})
    narrow, _, _ = quantized(tools, network, "narrow", {**base, "weight_bits": "4"})
    print(f"top1: float {floating}, all 16 bits {wide}, 4-bit weights {narrow}, "
          f"{100 * share:.0f} % of the layers at 16 bits {top1}")
    tools.check(share <= 0.3, f"{100 * share:.0f} % of the layers have 16 bits")
    tools.check(top1 >= wide - SLACK, f"top1 {top1}, with 16 bits {wide}")
    sqnr = float(re.search(r"SQNR ([0-9.]+) dB", said)[1])
    tools.check(abs(sqnr - search["measured"]["sqnr_db"]) < 1.5,
                f"quantize has {sqnr} dB, the search {search['measured']['sqnr_db']}")
    tools.finish()


if __name__ == "__main__":
    main()
