"""Non-maximum suppression of up to 20,000 boxes.

Random boxes of one class and of several, degenerate ones among them. The floats are the
definition's; quantized, evaluator and NPU give the same bytes on three machines. Sorting
takes n log n steps and suppression what its results need: four times the boxes take at
most 5.5 times the cycles (4 log 20,000 / log 5,000 is 4.7), and cores share the work.
"""
import random

import boxes
import common
from networks import TARGETS, Graph, Network

KEPT, OVERLAP, THRESHOLD = 100, 0.5, 0.05
CALIBRATED, EVALUATED = 4, 2


def drawn(rng, count):
    """Boxes and scores; one box in sixteen has no area or its corners the wrong way."""
    found = []
    for _ in range(count):
        y, x = rng.random(), rng.random()
        height, width = rng.uniform(0.01, 0.3), rng.uniform(0.01, 0.3)
        if rng.random() < 1 / 16:
            height *= rng.choice((0, -1))
        found += [y, x, y + height, x + width]
    return found, [rng.random() for _ in range(count)]


def suppression(count, classes):
    g = Graph("main", bytearray())
    found, scores = g.input([1, count, 4]), g.input([1, count])
    counts = g.constant([1, classes], [count // classes] * classes, "int32")
    total = g.constant([1, 1], [classes], "int32")
    capacity = KEPT * classes
    g.outputs = g.layer(
        "NMS", [found, counts, total, scores], None, None, "method=HARD",
        "center_point_box=0", "image_height=1", "image_width=1", f"iou_threshold={OVERLAP}",
        f"score_threshold={THRESHOLD}", f"max_output_size={KEPT}", "soft_nms_sigma=0.0",
        tops=[("boxes", [1, capacity, 4], "float32"), ("counts", [1, classes], "int32"),
              ("scores", [1, capacity], "float32"), ("indices", [1, capacity], "int32")])
    return g


def ordered(box):
    return [min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])]


def expected(sample, classes):
    """Labels and scores of what is kept."""
    found, scores = [ordered(b) for b in boxes.rows(sample[0], 4)], sample[1]
    each = len(found) // classes
    kept = boxes.suppress(
        [(i // each, scores[i], found[i]) for i in range(len(found)) if scores[i] > THRESHOLD],
        OVERLAP, KEPT)
    return [d[:2] for d in kept]


def check(tools, count, classes):
    """Cycles of each machine."""
    rng = random.Random(count + classes)
    name = f"{count} boxes of {classes} class" + "es" * (classes > 1)
    samples = [drawn(rng, count) for _ in range(CALIBRATED + EVALUATED)]
    network = Network(tools, name, suppression(count, classes), samples[:CALIBRATED],
                      samples[CALIBRATED:])
    for sample, result in zip(samples[CALIBRATED:], network.floats()):
        found = [d[:2] for d in boxes.listed(*result[:3], range(classes))]
        wanted = expected(sample, classes)
        tools.check(len(found) == len(wanted) and all(
            f[0] == w[0] and abs(f[1] - w[1]) < 1e-6 for f, w in zip(found, wanted)),
            f"{name}: not what the definition keeps")
    network.quantize()
    network.integers(0)
    return [network.cycles(network.folder + "net_o" + target + ".bin", 0)["all"]
            for target in TARGETS]


def main():
    tools = common.arguments("Check the suppression of many boxes")
    few, many = check(tools, 5000, 1), check(tools, 20000, 1)
    growth = [m / f for m, f in zip(many, few)]
    print("four times the boxes, times the cycles: " + ", ".join(f"{g:.2f}" for g in growth))
    tools.check(max(growth) <= 5.5, "cycles grow faster than n log n")
    check(tools, 20000, 20)
    tools.finish()


if __name__ == "__main__":
    main()
