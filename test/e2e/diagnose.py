"""What `yarrow diagnose` says of ResNet-20 with the Compass Optimizer's defaults.

Ranges by the mean of single samples clip the classifier. That layer is named, the first
remedy gains 7 dB or more at the outputs, all together reach 26 dB, and `yarrow quantize`
with the lines that are told has the figure that is told.
"""
import json
import re

import common


def main():
    tools = common.arguments("Check the diagnosis of ResNet-20")
    tools.need_packs()
    network = [tools.pack("float_ir", "resnet20_nhwc.txt"), "-w",
               tools.pack("float_ir", "resnet20_nhwc.bin"),
               "-c", tools.pack("cifar10", "calib256_f32_nhwc.npy")]
    report = tools.path("report.json")
    said = tools.yarrow("diagnose", "--recipe", "compass", *network, "--report", report)
    print(said)
    with open(report, encoding="utf-8") as f:
        diagnosis = json.load(f)["diagnosis"]
    worst = min((layer for layer in diagnosis["layers"] if layer["own"]),
                key=lambda layer: layer["own"]["sqnr_db"])
    tools.check(worst["type"] == "FullyConnected" and worst["clipped_share"] > 0.01,
                f"the classifier is not named, but {worst}")
    first, after = diagnosis["remedies"][0], diagnosis["after"]
    tools.check(first["gain_db"] >= 7, f"the first remedy gains {first['gain_db']} dB")
    tools.check(after["sqnr_db"] >= 26, f"all together reach {after['sqnr_db']} dB")
    flags = [item for key, value in diagnosis["settings"].items()
             for item in ("--" + key.replace("_", "-"), value)]
    said = tools.yarrow("quantize", "--recipe", "compass", *network, "-o", tools.path("out", ""), "--brief", *flags)
    sqnr = float(re.search(r"SQNR ([0-9.]+) dB", said)[1])
    tools.check(abs(sqnr - after["sqnr_db"]) < 1.5, f"quantize has {sqnr} dB")
    tools.finish()


if __name__ == "__main__":
    main()
