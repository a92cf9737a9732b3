"""Whole detectors, from floats to bytes and cycles on three machines.

SSD (Softmax, DecodeBox or MultiboxTransformLoc, NMS), YOLO on one scale and on two
(Region, RegionFuse, NMS) and a detector of two stages (Proposal, NMS, RoiAlign,
connected layers, DetectionOutput, NMS) with random weights look at pictures of
rectangles. What is behind their convolutions is computed here from the definition and
compared with the evaluator's floats. Quantized, evaluator and NPU give the same bytes, and the boxes
are mostly those of the floats: of the same class, overlapping by more than a half.
The SSD does so as well with its head in float16 behind the integers, in one executable.
"""
import array
import random

import boxes
import common
import detectors
from networks import Network

CALIBRATED, EVALUATED = 24, 12


def picture(rng, side):
    """Rectangles of one colour each, on a slope of another, with some noise."""
    slope = [[rng.uniform(-0.8, 0.8) for _ in range(3)] for _ in range(3)]
    patches = [(rng.randrange(side), rng.randrange(side), rng.randint(6, 28), rng.randint(6, 28),
                [rng.uniform(-2, 2) for _ in range(3)]) for _ in range(6)]
    values = array.array("f")
    for y in range(side):
        for x in range(side):
            colour = [c + a * (y / side - 0.5) + b * (x / side - 0.5) for a, b, c in slope]
            for top, left, height, width, own in patches:
                if top <= y < top + height and left <= x < left + width:
                    colour = own
            values.extend(c + rng.gauss(0, 0.1) for c in colour)
    return values


def check_floats(tools, name, detector, samples):
    """As the definition has it, from what the heads said."""
    worst = 0
    for sample in samples:
        wanted, found = detector.expected(sample), detector.detection(sample)
        if not tools.check([d[0] for d in wanted] == [d[0] for d in found],
                           f"{name}: other detections: {found}, not {wanted}"):
            return
        pairs = [*detector.between,
                 *(([w[1], *w[2]], [f[1], *f[2]]) for w, f in zip(wanted, found))]
        tools.check(all(len(w) == len(f) for w, f in pairs), name + ": lengths")
        worst = max([worst, *(abs(a - b) for w, f in pairs for a, b in zip(w, f))])
    print(f"{name}: floats differ from the definition by {worst:.1e}")
    tools.check(worst <= detector.tolerance, name + ": floats")


def check_integers(tools, name, floats, integers, least):
    found = sum(boxes.shared(f, i) for f, i in zip(floats, integers))
    right = sum(boxes.shared(i, f) for f, i in zip(floats, integers))
    wanted, all_found = (sum(map(len, lists)) for lists in (floats, integers))
    print(f"{name}: {found} of {wanted} detections found, {all_found - right} of {all_found} "
          "are others")
    tools.check(wanted > 40 and min(found / wanted, right / all_found) >= least,
                name + ": detections of integers")


def check(tools, name, detector, pictures, least):
    network = Network(tools, name, detector.graph, pictures[:CALIBRATED], pictures[CALIBRATED:])
    floats = network.floats()
    check_floats(tools, name, detector, floats)
    network.quantize()
    integers = network.integers(detector.first_behind)
    detections = [[detector.detection(s) for s in samples] for samples in (floats, integers)]
    check_integers(tools, name, *detections, least)
    return network, detections[0]


def check_mixed(tools, detector, network, floats):
    """The head in float16 behind integers, in one executable."""
    head = {"Softmax", "DecodeBox", "NMS"}
    network.name = "ssd with its head in float16"
    network.quantize("trigger_float_op = disable & "
                     f"<[{','.join(sorted(head))}]:float16_preferred!>")
    for layer in common.read_layers(network.folder + "net_o.txt")[1:]:
        kind, types = layer["layer_type"], layer["layer_top_type"]
        if kind in head or kind == "Convolution":
            tools.check(("float16" in types) == (kind in head), f"{kind} is {types}")
    mixed = network.integers(detector.first_behind)
    detections = [detector.detection(s) for s in mixed]
    check_integers(tools, network.name, floats, detections, 0.9)
    own = [detector.expected(s) for s in mixed]
    check_integers(tools, "float16 against its own definition", own, detections, 0.98)


def main():
    tools = common.arguments("Check detectors")
    rng = random.Random(0)
    pictures = [[picture(rng, detectors.IMAGE)] for _ in range(CALIBRATED + EVALUATED)]
    for name, make, least in (("ssd", detectors.Ssd, 0.9),
                              ("ssd of best classes", detectors.SsdOfBestClass, 0.9),
                              ("yolo of one scale", lambda r: detectors.Yolo(r, 1), 0.9),
                              ("yolo of two scales", lambda r: detectors.Yolo(r, 2), 0.9),
                              ("two stages", detectors.TwoStage, 0.85)):
        detector = make(rng)
        network, floats = check(tools, name, detector, pictures, least)
        if name == "ssd":
            check_mixed(tools, detector, network, floats)
    tools.finish()


if __name__ == "__main__":
    main()
