"""Networks drawn by chance, on machines drawn by chance: the NPU has the evaluator's bytes.

Each is a few blocks of what networks are made of: convolutions of several sizes, depthwise
ones between two of 1x1, residual sums, branches that are joined, shuffled channels, pools. It
is quantized by one of the recipes and compiled for a built-in machine or one with little
memory, with a slow bus or several cores, with all optimisations or without some of them.
Schedules and plans are verified by the compiler.

Example:
    python3 random_networks.py --yarrow build/bin/yarrow --count 500
"""
import array
import json
import random

import common
from networks import Graph, write_graphs

BASES = "X2_1204", "X1_1204", "Z2_1104", "Z1_0904", "Z1_0701"
MEMORIES_KB = 96, 112, 128, 256, 512
PASSES = ("cascade", "input-bands", "resident-tensors", "split-concat", "fold-columns",
          "fuse-residual", "prefetch", "alternate-stores", "search-plans", "compress-weights")


def draw_shuffle(g, x, rng):
    """Of ShuffleNet: half of the channels stay, the others are computed; or groups."""
    depth = x[1][3]
    half = depth // 2
    if rng.random() < 0.3:
        y = g.shuffle(g.conv(x, depth, kernel=1, group=2), rng.choice((2, 4)))
        y = g.depthwise(y, stride=rng.choice((1, 2)), activation="NONE")
        return g.conv(y, depth, kernel=1)
    for _ in range(rng.randint(1, 2)):
        kept, y = g.slice(x, 0, half), g.slice(x, half, depth)
        y = g.depthwise(g.conv(y, half, kernel=1), activation="NONE")
        x = g.shuffle(g.concat([kept, g.conv(y, half, kernel=1)], 3), rng.choice((2, 2, 4)))
    if rng.random() < 0.5:  # the next stage
        x = g.concat([g.conv(g.depthwise(x, stride=2, activation="NONE"), depth, kernel=1),
                      g.conv(x, depth, kernel=1, stride=2)], 3)
    return x


def draw_block(g, x, rng):
    depth = x[1][3]
    wide = rng.choice((8, 16, 24, 40, 72))
    kind = rng.choice(("conv", "inverted", "residual", "fire", "pool", "depthwise", "shuffle"))
    stride = rng.choice((1, 1, 2)) if min(x[1][1:3]) >= 8 else 1
    if kind == "conv":
        return g.conv(x, wide, kernel=rng.choice((1, 3, 5)), stride=stride,
                      activation=rng.choice(("NONE", "RELU", "RELU6")))
    if kind == "inverted":
        y = g.conv(x, depth * rng.choice((2, 4)), kernel=1, activation="RELU6")
        y = g.depthwise(y, stride=stride, activation="RELU6")
        return g.conv(y, wide, kernel=1, activation="NONE")
    if kind == "residual":
        return g.residual(x)
    if kind == "shuffle" and depth % 8 == 0 and min(x[1][1:3]) >= 8:
        return draw_shuffle(g, x, rng)
    if kind == "fire":
        y = g.conv(x, 8, kernel=1)
        branches = [g.conv(y, rng.choice((8, 16, 20)), kernel=k) for k in (1, 3)]
        if rng.random() < 0.3:
            branches.append(y)
        return g.concat(branches, 3)
    if kind == "depthwise":
        return g.depthwise(x, kernel=rng.choice((3, 5)), stride=stride)
    return g.pool(x) if min(x[1][1:3]) >= 8 else x


def draw_network(seed):
    rng = random.Random(seed)
    g = Graph("main", bytearray(), rng)
    height, width = (rng.choice((9, 16, 27, 32, 48, 64)) for _ in range(2))
    depth = rng.choice((1, 3, 8))
    if rng.random() < 0.5:
        x = g.layer("Transpose", [g.input([1, depth, height, width])],
                    [1, height, width, depth], "float32", "perm=[0,2,3,1]")
    else:
        x = g.input([1, height, width, depth])
    x = g.conv(x, rng.choice((8, 16)), kernel=rng.choice((1, 3, 3, 5)),
               stride=rng.choice((1, 2)))
    for _ in range(rng.randint(2, 6)):
        x = draw_block(g, x, rng)
    if rng.random() < 0.5:
        size = x[1][1] * x[1][2] * x[1][3]
        if size <= 20000:
            x = g.connected(g.reshape(x, [1, size]), g.filters(10, size, 1), [0.0] * 10)
    g.outputs = [x]
    return g, rng


def draw_machine(tools, seed, rng):
    base = rng.choice(BASES)
    if rng.random() < 0.4:
        return base
    machine = {"name": "drawn", "base": base, "sramBytes": 1024 * rng.choice(MEMORIES_KB)}
    if rng.random() < 0.4:  # waits for the bus: weights come as streams
        machine["ddrBytesPerCycle"] = rng.choice((2, 4))
        machine["weightDecoder"] = {"bytesPerCycle": rng.choice((1, 8, 64)), "startCycles": 5}
    elif rng.random() < 0.8:
        # To divide layers among cores pays where the array is slow and the bus is not.
        machine["cores"] = rng.randint(2, 4)
        machine["macArray"] = {"inputLanes": 4, "outputLanes": 4, "pixels": 2}
        machine["ddrBytesPerCycle"] = 128
    path = tools.path("machine%d.json" % seed)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(machine, f)
    return path


def check_network(tools, seed):
    graph, rng = draw_network(seed)
    folder = tools.path("net%d" % seed, "")
    write_graphs(folder, [graph])
    shape = graph.inputs[0][1]
    size = shape[1] * shape[2] * shape[3]
    common.write_npy(folder + "data.npy", [4, *shape[1:]], array.array(
        "f", (rng.gauss(0, 1) for _ in range(4 * size))))
    tools.yarrow("quantize", folder + "float.txt", "-w", folder + "float.bin", "-c",
                 folder + "data.npy", "-o", folder, "--brief", "--recipe",
                 rng.choice(("auto", "compass")))
    machine = draw_machine(tools, seed, rng)
    options = []
    if rng.random() < 0.3:
        options = ["--disable-pass", ",".join(rng.sample(PASSES, rng.randint(1, 3)))]
    elif rng.random() < 0.2:
        options = ["--tiling", "footprint"]
    network = folder + "net_o"
    tools.yarrow("compile", network + ".txt", "-w", network + ".bin", "--target", machine, "-o",
                 folder + "aipu.bin", *options)
    tools.yarrow("prove", folder + "aipu.bin")
    is_divided = "groups of commands" in tools.yarrow("inspect", folder + "aipu.bin")
    said = tools.yarrow("eval", "--int", "%s.txt,%s.bin" % (network, network), "--exe",
                        folder + "aipu.bin", "--data", folder + "data.npy", "--samples", "2",
                        ok=(0, 3))
    tools.check("int and npu: 0 of" in said, "seed %d on %s %s: %s" % (
        seed, machine, " ".join(options), said))
    return is_divided


def main():
    tools = common.arguments(__doc__.splitlines()[0], lambda parser: (
        parser.add_argument("--count", type=int, help="networks to draw"),
        parser.add_argument("--seed", type=int, default=1, help="of the first one")))
    count = tools.options.count or (240 if tools.options.thorough else 20)
    divided = 0
    for seed in range(tools.options.seed, tools.options.seed + count):
        divided += check_network(tools, seed)
        tools.clean_folder("net%d" % seed)
    print("%d of %d networks are divided among cores" % (divided, count))
    if count >= 20:
        tools.check(divided > 0, "no network is divided among cores")
    tools.finish()


if __name__ == "__main__":
    main()
