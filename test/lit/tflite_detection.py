#!/usr/bin/env python3
"""TFLite_Detection_PostProcess beside its definition, on evaluator and NPU.

Boxes are drawn around anchors that overlap; scores fall by steps, so that some are
equal: all forms of the operator are run.
"""
import array
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
sys.dont_write_bytecode = True
import common
import tflite

BOXES = 24


def corners(delta, anchor, scale):
    y, x = (delta[i] / scale[i] * anchor[i + 2] + anchor[i] for i in (0, 1))
    h, w = (math.exp(delta[i] / scale[i]) * anchor[i] / 2 for i in (2, 3))
    return [y - h, x - w, y + h, x + w]


def overlap(a, b):
    def area(box):
        return (box[2] - box[0]) * (box[3] - box[1])
    height = max(min(a[2], b[2]) - max(a[0], b[0]), 0)
    width = max(min(a[3], b[3]) - max(a[1], b[1]), 0)
    shared = height * width
    return shared / (area(a) + area(b) - shared) if shared else 0


def suppressed(scores, boxes, least, most, bound):
    """The indices of those that stay, by falling score."""
    order = sorted((i for i, s in enumerate(scores) if s >= least), key=lambda i: -scores[i])
    kept = []
    for i in order:
        if len(kept) < most and all(overlap(boxes[i], boxes[k]) <= bound for k in kept):
            kept.append(i)
    return kept


def detections(deltas, scores, anchors, o):
    """(boxes, classes, scores, count), filled up with 0."""
    scale = [o[k] for k in ("y_scale", "x_scale", "h_scale", "w_scale")]
    boxes = [corners(d, a, scale) for d, a in zip(deltas, anchors)]
    background = len(scores[0]) - o["num_classes"]
    scores = [row[background:] for row in scores]
    least, bound, most = o["nms_score_threshold"], o["nms_iou_threshold"], o["max_detections"]
    if o.get("use_regular_nms"):
        found = [(scores[i][c], i, c) for c in range(o["num_classes"])
                 for i in suppressed([row[c] for row in scores], boxes, least,
                                     o["detections_per_class"], bound)]
        rows = sorted(found, key=lambda row: -row[0])[:most]
        count = len(rows)
    else:
        kept = suppressed([max(row) for row in scores], boxes, least, most, bound)
        rows = [(scores[i][c], i, c) for i in kept for c in
                sorted(range(o["num_classes"]), key=lambda c: -scores[i][c])
                [:o["max_classes_per_detection"]]]
        count = len(kept)
    rest = [0] * (most * o["max_classes_per_detection"] - len(rows))
    return ([v for _, i, _ in rows for v in boxes[i]] + rest * 4,
            [c for _, _, c in rows] + rest, [s for s, _, _ in rows] + rest, [count])


def model(anchors, columns, o, stored):
    m = tflite.Model()
    g = m.main
    deltas = dict(scale=0.25, zero=0) if stored else {}
    scores = dict(scale=1 / 32, zero=-128) if stored else {}
    kind = "int8" if stored else "float32"
    numbers = [g.input("boxes", [1, BOXES, 4], kind, **deltas),
               g.input("scores", [1, BOXES, columns], kind, **scores),
               g.tensor("anchors", [BOXES, 4], data=[v for a in anchors for v in a])]
    rows = o["max_detections"] * o["max_classes_per_detection"]
    shapes = [[1, rows, 4], [1, rows], [1, rows], [1]]
    g.outputs = [g.tensor(f"y{i}", shape) for i, shape in enumerate(shapes)]
    g.op("CUSTOM", numbers, g.outputs, custom="TFLite_Detection_PostProcess",
         custom_options=tflite.flex_map(o))
    return m


def run(name, columns, stored, more, isCompiled=False):
    r = random.Random(name)
    o = {"max_detections": 5, "max_classes_per_detection": 1, "detections_per_class": 4,
         "num_classes": 3, "nms_score_threshold": 0.5, "nms_iou_threshold": 0.5, "y_scale": 10.0,
         "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0, **more}
    anchors = [[0.25 * (i % 4), 0.25 * (i // 4), 0.5, 0.375] for i in range(BOXES)]
    # What the integers mean exactly, whether they are stored or not.
    deltas = [[r.randint(-20, 20) for _ in range(4)] for _ in range(BOXES)]
    scores = [[r.randint(0, 32) for _ in range(columns)] for _ in range(BOXES)]
    expected = detections([[v / 4 for v in d] for d in deltas],
                          [[v / 32 for v in s] for s in scores], anchors, o)
    flat = [v for d in deltas for v in d], [v for s in scores for v in s]
    arrays = ((array.array("b", flat[0]), array.array("b", [v - 128 for v in flat[1]])) if stored
              else (array.array("f", [v / 4 for v in flat[0]]),
                    array.array("f", [v / 32 for v in flat[1]])))
    for file, shape, values in zip(("boxes.npy", "scores.npy"),
                                   ([1, BOXES, 4], [1, BOXES, columns]), arrays):
        common.write_npy(file, shape, values)
    with open("net.tflite", "wb") as f:
        f.write(model(anchors, columns, o, stored).bytes())
    outputs = [f"y{i}.npy" for i in range(4)]
    commands = [("eval", "net.tflite")]
    if isCompiled:
        subprocess.run(["yarrow", "compile", "net.tflite", "-o", "net.aipu"], check=True,
                       capture_output=True)
        commands.append(("run", "net.aipu"))
    for command in commands:
        subprocess.run(["yarrow", *command, "-i", "boxes.npy,scores.npy", "-o",
                        ",".join(outputs)], check=True, capture_output=True)
        for i, wanted in enumerate(expected):
            found = common.read_npy(outputs[i])[2]
            if len(found) != len(wanted) or any(abs(a - b) > 1e-5 for a, b in zip(found, wanted)):
                sys.exit(f"{name}, {command[0]}, output {i}: {list(found)}, expected {wanted}")
    print(f"{name}: {expected[3][0]} boxes")


run("best", 4, False, {})
run("best of two classes", 4, False, {"max_classes_per_detection": 2}, isCompiled=True)
run("without a background", 3, False, {})
run("each", 4, False, {"use_regular_nms": True}, isCompiled=True)
run("each, all boxes", 3, False, {"use_regular_nms": True, "max_detections": 60,
                                   "detections_per_class": 100})
run("stored", 4, True, {})
