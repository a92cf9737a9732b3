"""QDQ networks drawn by chance: what ONNX defines of them, from NPU and evaluator alike.

Each model is some networks of qdq_models.py side by side, compiled for one of the machines.
Every executable is run. Where a model differs, its networks are tried one by one.

Example:
    python3 random_qdq.py --yarrow build/bin/yarrow --models 100
"""
import array
import os
import random
import subprocess

import common
import qdq_models

TARGETS = "X2_1204", "Z2_1104", "Z1_0701"
NETWORKS = 18  # of a model: each kind twice


def call(tools, *arguments):
    """What a command says on standard error if it fails; empty if it does not."""
    done = subprocess.run([tools.program, "-j", "2", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return "" if done.returncode == 0 else "%s ended with code %d: %s" % (
        arguments[0], done.returncode, done.stderr[-600:])


def wrong_values(net, folder, first):
    """What is wrong with a network's results, whose files begin with that number."""
    for i, expected in enumerate(net.expected):
        _, _, npu = common.read_npy(os.path.join(folder, "run%d.npy" % (first + i)))
        _, _, host = common.read_npy(os.path.join(folder, "eval%d.npy" % (first + i)))
        if list(npu) != list(host):
            return "the NPU differs from the evaluator"
        wrong = ["%d is %d, not %d..%d" % (at, v, *pair)
                 for at, (v, pair) in enumerate(zip(npu, expected)) if not pair[0] <= v <= pair[1]]
        if len(npu) != len(expected) or wrong:
            return "result %d has %d wrong values: %s" % (i, len(wrong), ", ".join(wrong[:4]))
    return ""


def problem_of(tools, nets, target):
    """The first thing that is wrong with a model of these networks."""
    model, executable = tools.path("model.onnx"), tools.path("aipu.bin")
    qdq_models.write(model, nets)
    inputs, outputs = [], sum(len(net.outputs) for net in nets)
    for name, kind, shape, values in (x for net in nets for x in net.inputs):
        inputs.append(tools.path(name + ".npy"))
        common.write_npy(inputs[-1], shape, array.array(kind, values))

    def files(what):
        return ",".join(tools.path("%s%d.npy" % (what, i)) for i in range(outputs))

    said = call(tools, "compile", model, "-t", target, "-o", executable) or \
        call(tools, "run", executable, "-i", ",".join(inputs), "-o", files("run")) or \
        call(tools, "eval", model, "-i", ",".join(inputs), "-o", files("eval"))
    first = 0
    for net in nets:
        said = said or wrong_values(net, tools.folder, first)
        first += len(net.outputs)
    return said


def main():
    def options(parser):
        parser.add_argument("--models", type=int, default=10)
        parser.add_argument("--first", type=int, default=0, help="the first model's seed")

    tools = common.arguments(__doc__.splitlines()[0], options)
    count = 200 if tools.options.thorough else tools.options.models
    for seed in range(tools.options.first, tools.options.first + count):
        rng = random.Random(seed)
        nets = [qdq_models.draw(rng, i) for i in range(NETWORKS)]
        target = TARGETS[seed % len(TARGETS)]
        if not problem_of(tools, nets, target):
            continue
        alone = [(net, problem_of(tools, [net], target)) for net in nets]
        for net, said in alone:
            tools.check(not said, "model %d on %s,%s: %s" % (seed, target, net.text, said))
        tools.check(any(said for _, said in alone),
                    "model %d on %s: %s" % (seed, target, problem_of(tools, nets, target)))
    print("%d models of %d networks" % (count, NETWORKS))
    tools.finish()


main()
