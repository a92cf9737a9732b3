"""Detectors as ONNX models with the layers that [Parser] puts behind them.

An SSD and a YOLO of two scales are written as ONNX models that end in their heads, and
imported with detection_postprocess. What comes out is what the definition makes of the
heads' outputs, and quantized they find mostly the same boxes.
"""
import array
import os
import random
import sys

import boxes
import common

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lit"))
import onnx  # writes small models

SAMPLES, ROOM, CLASSES = 12, 600, 2
SSD = dict(size=8, keys=("detection_postprocess = SSD", "feature_map = [[4,4]]",
                         "score_threshold = 0.5", "iou_threshold = 0.4",
                         "variance = 10,10,5,5"))
YOLO = dict(size=16, keys=("detection_postprocess = YOLO3_TINY", "obj_threshold = 0.3",
                           "anchors = 1.5,1, 1,2, 2.5,2, 1,1, 2,3, 3,2",
                           "grid_compensate = False", "iou_threshold = 0.4"))


# The same anchors as a constant of the model.
SSD_OF_CONSTANT = dict(SSD, keys=("detection_postprocess = SSD", "anchor_tensor_name = anchors",
                                  "anchor_tensor_format = corner", "score_threshold = 0.5",
                                  "iou_threshold = 0.4", "class_num = 2"))
YOLO_OF_ONE = dict(size=16, keys=("detection_postprocess = YOLO2", "output = big",
                                  "obj_threshold = 0.3", "anchors = 1.5,1, 1,2, 2.5,2",
                                  "grid_compensate = False", "iou_threshold = 0.4"))
YOLO_OF_THREE = dict(size=16, keys=(
    "detection_postprocess = YOLO3_FULL", "output = big,small,least", "obj_threshold = 0.3",
    "anchors = 1.5,1, 1,2, 2.5,2, 1,1, 2,3, 3,2, 1,2, 2,2, 4,3", "grid_compensate = False",
    "iou_threshold = 0.4"))


def ssd_anchors():
    """y, x, h, w: of the first map an anchor of 0.1 and two of 0.2, twice as wide or high."""
    sizes = [(0.1, 0.1), (0.2 / 2 ** 0.5, 0.2 * 2 ** 0.5), (0.2 * 2 ** 0.5, 0.2 / 2 ** 0.5)]
    return [((row + 0.5) / 4, (column + 0.5) / 4, *size)
            for row in range(4) for column in range(4) for size in sizes]


def ssd_by_definition(scores, deltas):
    anchors = ssd_anchors()
    rows = [boxes.softmax(row)[1:] for row in boxes.rows(scores, 1 + CLASSES)]
    deltas = boxes.rows(deltas, 4)
    found = boxes.chosen(rows, lambda i, _: boxes.decode(deltas[i], anchors[i], (1, 1)), 0.5)
    return boxes.suppress(found, 0.4, ROOM)


def yolo_by_definition(*heads):
    found = []
    for values, cells, anchors in zip(heads, (4, 8, 16), ([(1.5, 1), (1, 2), (2.5, 2)],
                                                          [(1, 1), (2, 3), (3, 2)],
                                                          [(1, 2), (2, 2), (4, 3)])):
        plane = cells * cells
        last = [values[c * plane + i] for i in range(plane) for c in range(21)]
        found += boxes.region(last, (cells, cells), anchors, CLASSES, 0.3)
    return boxes.suppress(found, 0.4, ROOM)


def run(tools, exe, data, names):
    """Values of the outputs, [sample][output]."""
    files = [tools.path(name + ".npy") for name in names]
    tools.yarrow("run", exe, "-i", data, "-o", ",".join(files), "--dequantize")
    samples = [[] for _ in range(SAMPLES)]
    for file in files:
        values = list(common.read_npy(file)[2])
        size = len(values) // SAMPLES
        for i in range(SAMPLES):
            samples[i].append(values[i * size:][:size])
    return samples


def compiled(tools, name, text, *arguments):
    """Imports the model that a configuration names; the executable of its floats."""
    config = tools.path(name + ".cfg")
    with open(config, "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    tools.yarrow("import", config, "-o", os.path.dirname(config))
    exe = tools.path(name + ".bin.exe")
    tools.yarrow("compile", tools.path(name + ".txt"), "--target", "X2_1204", "-o", exe, *arguments)
    return config, exe


def listed(sample):
    """The outputs are labels, boxes, boxes of each class, scores and their places."""
    labels, found, counts, scores = sample[:4]
    return boxes.listed(found, counts, scores, labels)


def check(tools, name, kind, heads, by_definition):
    print("; ".join(kind["keys"]))
    with open(tools.path(name + ".onnx"), "wb") as file:
        file.write(getattr(onnx, name)(1))
    rng = random.Random(1)
    values = array.array("f", (rng.gauss(0, 1) for _ in range(SAMPLES * 3 * kind["size"] ** 2)))
    data = tools.path(name + "_x.npy")
    common.write_npy(data, [SAMPLES, 3, kind["size"], kind["size"]], values)
    model = ["[Parser]", f"input_model = {tools.path(name + '.onnx')}"]
    _, exe = compiled(tools, "bare", [*model, "model_name = bare", "output = " + ",".join(heads)])
    bare = run(tools, exe, data, heads)
    behind = [*model, f"model_name = {name}", f"max_box_num = {ROOM}", *kind["keys"]]
    _, exe = compiled(tools, name, behind)
    outputs = "labels", "boxes", "counts", "scores", "places"
    found = [listed(s) for s in run(tools, exe, data, outputs)]
    wanted = [by_definition(*s) for s in bare]
    count = sum(map(len, wanted))
    worst = 0
    for w, f in zip(wanted, found):
        if tools.check([d[0] for d in w] == [d[0] for d in f], f"{name}: {f}, not {w}"):
            worst = max([worst, *(abs(a - b) for x, y in zip(w, f)
                                  for a, b in zip([x[1], *x[2]], [y[1], *y[2]]))])
    print(f"{name}: {count} boxes, floats differ from the definition by {worst:.1e}")
    tools.check(count > 40 and worst < 1e-5, name + ": floats")
    config = tools.path(name + "_build.cfg")
    with open(config, "w", encoding="utf-8") as file:
        file.write("\n".join(["[Common]", "mode = build", *behind, "[Optimizer]", f"calibration_data = {data}",
                              "calibration_batch_size = 12",
                              f"output_dir = {tools.path(name)}", "[GBuilder]",
                              "target = X2_1204", f"outputs = {tools.path(name + '.npu')}", ""]))
    tools.yarrow("build", config, "--brief")
    integers = [listed(s) for s in run(tools, tools.path(name + ".npu"), data, outputs)]
    shared = sum(boxes.shared(w, i) for w, i in zip(found, integers))
    others = sum(map(len, integers)) - sum(boxes.shared(i, w) for w, i in zip(found, integers))
    print(f"{name}: in integers {shared} of {count} boxes found, {others} others")
    tools.check(shared > 0.9 * count and others < 0.1 * count, name + ": integers")


def main():
    tools = common.arguments("Check the layers behind imported detectors")
    check(tools, "ssd", SSD, ("scores", "boxes"), ssd_by_definition)
    check(tools, "ssd", SSD_OF_CONSTANT, ("scores", "boxes"), ssd_by_definition)
    check(tools, "yolo", YOLO_OF_ONE, ("big",), yolo_by_definition)
    check(tools, "yolo", YOLO, ("big", "small"), yolo_by_definition)
    check(tools, "yolo", YOLO_OF_THREE, ("big", "small", "least"), yolo_by_definition)
    tools.finish()


if __name__ == "__main__":
    main()
