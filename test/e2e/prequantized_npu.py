"""Quantized TFLite models on the simulated NPU: the evaluator's bytes.

Every model of the packs, and each eighth layer of seanet, is compiled as it is
for one of three machines in turn, with optimisations or without (for all of them,
both ways, where the check is thorough), and run on a recorded sample. The stored
integers of all outputs are those of `yarrow eval`.

Example:
    python3 prequantized_npu.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import json
import os

import common

TARGETS = ("X2_1204", "Z2_1104", "Z1_0701")
OPTIONS = (), ("--no-optimize",)
EVERY = 8  # of the single layers


def folders(packs):
    names = [n for n in sorted(os.listdir(packs)) if os.path.isdir(os.path.join(packs, n))]
    layers = sorted(os.listdir(os.path.join(packs, "seanet")))[::EVERY]
    return [n for n in names if n != "seanet"] + [os.path.join("seanet", n) for n in layers]


def first_sample(tools, folder, meta):
    """The inputs, without the axis of the samples that recorded arrays have."""
    paths = []
    for number, tensor in enumerate(meta["inputs"]):
        _, kind, values = common.read_npy(os.path.join(folder, tensor["file"]))
        count = len(values) // meta.get("samples", 1)
        paths.append(tools.path("in%d.npy" % number))
        common.write_npy(paths[-1], tensor["shape"], values[:count])
    return ",".join(paths)


def outputs_of(tools, name, count):
    return ",".join(tools.path("%s%d.npy" % (name, i)) for i in range(count))


def same(tools, count):
    for i in range(count):
        with open(tools.path("eval%d.npy" % i), "rb") as a, \
                open(tools.path("run%d.npy" % i), "rb") as b:
            if a.read() != b.read():
                return False
    return True


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    tools.need_packs()
    packs = tools.pack("tflite")
    runs = 0
    for number, name in enumerate(folders(packs)):
        folder = os.path.join(packs, name)
        with open(os.path.join(folder, "meta.json")) as file:
            meta = json.load(file)
        model, count = os.path.join(folder, "model.tflite"), len(meta["outputs"])
        inputs = first_sample(tools, folder, meta)
        tools.yarrow("eval", model, "-i", inputs, "-o", outputs_of(tools, "eval", count))
        for target in tools.in_turn(TARGETS, number):
            for options in tools.in_turn(OPTIONS, number // len(TARGETS)):
                executable = tools.path("aipu.bin")
                tools.yarrow("compile", model, "-t", target, "-o", executable, *options)
                tools.yarrow("run", executable, "-i", inputs, "-o",
                             outputs_of(tools, "run", count))
                tools.check(same(tools, count), "%s on %s %s differs from the evaluator" % (
                    name, target, " ".join(options)))
                runs += 1
    print("%d runs give the evaluator's bytes" % (runs - len(tools.failures)))
    tools.finish()


main()
