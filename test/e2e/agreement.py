"""What eval says beside top-1, of ResNet-20 at 8 and at 4 bits.

Quantizes the trained network, evaluates 1,000 images that calibration has not
seen, and prints the table: agreement with float, lost and won, SQNR, divergence
and the deviation of the difference. A metric program of this check gets the
outputs of both networks; from these all figures are computed once more, by
other formulas, and compared.

Example:
    python3 agreement.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import json
import math
import os
import stat

import common

# bits of weights, least agreement in percent and least SQNR in dB
NETWORKS = [(8, 97.0, 24.0), (4, 75.0, 8.0)]
# The outputs are float32, and a logarithm differs in its last bits.
TOLERANCE = 1e-6


class Network:
    def __init__(self, folder, labels):
        shape, _, values = common.read_npy(os.path.join(folder, "output_0.npy"))
        self.rows = [list(values[i * shape[1]:(i + 1) * shape[1]]) for i in range(shape[0])]
        self.answers = [row.index(max(row)) for row in self.rows]
        self.right = [a == label for a, label in zip(self.answers, labels)]


def shares(row):
    weights = [math.exp(x - max(row)) for x in row]
    return [w / math.fsum(weights) for w in weights]


def figures(reference, network):
    count = len(network.rows)
    lost = sum(a and not b for a, b in zip(reference.right, network.right))
    won = sum(b and not a for a, b in zip(reference.right, network.right))
    divergence = math.fsum(p * math.log(p / q) for a, b in zip(reference.rows, network.rows)
                           for p, q in zip(shares(a), shares(b)))
    flat = [[x for row in n.rows for x in row] for n in (reference, network)]
    agreed = sum(a == b for a, b in zip(reference.answers, network.answers))
    return {"top1": 100 * sum(network.right) / count, "agreed_percent": 100 * agreed / count,
            "lost": lost, "won": won, "mean_kl_divergence": divergence / count,
            "top1_deviation_points": 100 * math.sqrt(lost + won) / count,
            "sqnr_db": common.sqnr_db(*flat)}


def copying_metric(tools):
    """A program that keeps what it is given, a folder for each network."""
    path = tools.path("keep.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nset -e\nname=$(basename "$2")\nmkdir -p "$1/${name%-*}"\n'
                   'cp "$2"/*.npy "$1/${name%-*}"\nls "$2" | wc -l\n')
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def check_network(tools, bits, least_agreement, least_sqnr):
    float_ir = [tools.pack("float_ir", "resnet20_nhwc." + end) for end in ("txt", "bin")]
    folder = tools.path(f"w{bits}", "x")
    folder = os.path.dirname(folder)
    tools.yarrow("quantize", "--recipe", "compass", float_ir[0], "-w", float_ir[1], "-c",
                 tools.pack("cifar10", "calib256_f32_nhwc.npy"), "-o", folder, "--brief",
                 "--model-name", "net", "--weight-bits", bits, "--calibration-batch-size", 32,
                 "--quantize-method-for-weight", "per_channel_symmetric_restricted_range")
    report = os.path.join(folder, "report.json")
    print(f"ResNet-20, {bits}-bit weights")
    label = tools.pack("cifar10", "eval1000_label.npy")
    print(tools.yarrow(
        "eval", "--float", ",".join(float_ir), "--int", folder + "/net_o.txt," + folder +
        "/net_o.bin", "--data", tools.pack("cifar10", "eval1000_f32_nhwc.npy"), "--label", label,
        "--metric", f"top1,TopKMetric,program({copying_metric(tools)},{folder})", "--json", report))
    with open(report, encoding="utf-8") as file:
        networks = json.load(file)["accuracy"]["networks"]
    labels = common.read_npy(label)[2]
    reference, network = (Network(os.path.join(folder, "yarrow-" + name), labels)
                          for name in ("float", "int"))
    told = {**networks["int"], **networks["int"]["to_float"], **networks["int"]["answers_as_float"]}
    for name, expected in figures(reference, network).items():
        tools.check(abs(told[name] - expected) <= TOLERANCE * max(1, abs(expected)),
                    f"{bits} bits: {name} is {told[name]}, computed here {expected}")
    tools.check(told["agreed_percent"] >= least_agreement, f"{bits} bits: the answers agree")
    tools.check(told["sqnr_db"] >= least_sqnr, f"{bits} bits: the outputs are near")
    tools.check(not os.path.exists(os.path.join(folder, "output_0.npy")), "folders are apart")


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    tools.need_packs()
    for network in NETWORKS:
        check_network(tools, *network)
    return tools.finish()


if __name__ == "__main__":
    raise SystemExit(main())
