"""Machines drawn by chance: built-in ones, and some with little memory or several cores."""
import json

BASES = ("X1_1204", "X2_1204", "X2_1204MP3", "X3P_1202", "X3P_1304", "X3S_1304", "Z1_0701",
         "Z1_0904", "Z2_1104")
PASSES = ("drop-identities", "fold-constants", "fold-branches", "fuse-formulas", "sink-transposes",
          "fold-into-weights", "fuse-activations", "fuse-residual", "fold-columns", "input-bands",
          "split-concat", "cascade", "resident-tensors", "stage-kernels", "prefetch",
          "compress-weights", "alternate-stores", "search-plans", "divide-layers")


def draw(rng, path):
    """The name of a target, or of a file that is written to the path."""
    base = rng.choice(BASES)
    if rng.random() < 0.6:
        return base
    machine = {"name": "drawn", "base": base, "sramBytes": 1024 * rng.choice((96, 128, 256))}
    if rng.random() < 0.5:
        machine["ddrBytesPerCycle"] = rng.choice((2, 4))
    else:
        machine["cores"] = rng.randint(2, 4)
        machine["macArray"] = {"inputLanes": 4, "outputLanes": 4, "pixels": 2}
        machine["ddrBytesPerCycle"] = 128
    with open(path, "w", encoding="utf-8") as file:
        json.dump(machine, file)
    return path


def disabled(rng):
    """Options that leave optimizations out."""
    if rng.random() < 0.25:
        return ["--no-optimize"]
    return ["--disable-pass", ",".join(rng.sample(PASSES, rng.choice((1, 1, 2, 4))))]
