"""Layers about boxes in plain Python, as the definition of Compass IR has them.

A detection is (label, score, box); a box is y1, x1, y2, x2.
"""
import math


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softmax(row):
    powers = [math.exp(x - max(row)) for x in row]
    return [p / math.fsum(powers) for p in powers]


def rows(values, width):
    return [values[i:i + width] for i in range(0, len(values), width)]


def corners(centre, size, most):
    """Of y, x and h, w, within an image."""
    low = [min(max(c - s / 2, 0), m) for c, s, m in zip(centre, size, most)]
    high = [min(max(c + s / 2, 0), m) for c, s, m in zip(centre, size, most)]
    return low + high


def decode(delta, anchor, most, limits=(math.inf, math.inf)):
    """Deltas and anchor are y, x, h, w; sizes are up to limits."""
    d = [x / v for x, v in zip(delta, (10, 10, 5, 5))]
    centre = [anchor[k] + d[k] * anchor[k + 2] for k in (0, 1)]
    size = [min(math.exp(d[k + 2]) * anchor[k + 2], limits[k]) for k in (0, 1)]
    return corners(centre, size, most)


def centre_form(box):
    return [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0], box[3] - box[1]]


def chosen(scores, boxes, threshold):
    """Class by class the boxes above a threshold; boxes(i, c) gives that of a score."""
    return [(c, row[c], boxes(i, c)) for c in range(len(scores[0]))
            for i, row in enumerate(scores) if row[c] > threshold]


def region(values, grid, anchors, classes, threshold):
    """Of a YOLO head; anchors are w, h in cells."""
    scores, boxes = [], []
    for i, p in enumerate(rows(values, 5 + classes)):
        cell, anchor = i // len(anchors), anchors[i % len(anchors)]
        at = divmod(cell, grid[1])
        centre = [(sigmoid(p[1 - k]) + at[k]) / grid[k] for k in (0, 1)]
        size = [anchor[1 - k] * math.exp(p[3 - k]) / grid[k] for k in (0, 1)]
        boxes.append(corners(centre, size, (1, 1)))
        scores.append([sigmoid(p[4]) * s for s in softmax(p[5:])])
    return chosen(scores, lambda i, c: boxes[i], threshold)


def iou(a, b):
    height = min(a[2], b[2]) - max(a[0], b[0])
    width = min(a[3], b[3]) - max(a[1], b[1])
    both = max(height, 0) * max(width, 0)
    either = sum((x[2] - x[0]) * (x[3] - x[1]) for x in (a, b)) - both
    return both / either if either > 0 else 0


def suppress_together(found, threshold, most):
    """Non-maximum suppression, whatever the classes are."""
    kept = []
    for d in sorted(found, key=lambda d: -d[1]):
        if len(kept) < most and all(iou(d[2], k[2]) <= threshold for k in kept):
            kept.append(d)
    return kept


def suppress(found, threshold, most):
    """The same class by class."""
    return [d for label in sorted({d[0] for d in found}) for d in suppress_together(
        [d for d in found if d[0] == label], threshold, most)]


def listed(boxes, per_class, scores, labels):
    """The detections that four tensors hold."""
    found = []
    for count, label in zip(per_class, labels):
        for _ in range(round(count)):
            i = len(found)
            found.append((round(label), scores[i], boxes[4 * i:4 * i + 4]))
    return found


def roi_align(features, shape, box, scale, bins, samples):
    """Mean of samples x samples points of each bin; as rows of channels."""
    height, width, channels = shape
    start = [b * scale for b in box[:2]]
    size = [max((box[k + 2] - box[k]) * scale, 1) / bins for k in (0, 1)]

    def axis(k, bin_, sample, length):
        at = start[k] + (bin_ + (sample + 0.5) / samples) * size[k]
        at = min(max(at, 0), length - 1)
        low = int(at)
        return (low, 1 - (at - low)), (min(low + 1, length - 1), at - low)
    result = []
    for i in range(bins * bins):
        total = [0.0] * channels
        for j in range(samples * samples):
            for y, v in axis(0, i // bins, j // samples, height):
                for x, w in axis(1, i % bins, j % samples, width):
                    first = (y * width + x) * channels
                    for c in range(channels):
                        total[c] += v * w * features[first + c]
        result += [t / samples ** 2 for t in total]
    return result


def shared(wanted, found):
    """How many of wanted are in found: same class, overlap above a half."""
    return sum(any(d[0] == f[0] and iou(d[2], f[2]) > 0.5 for f in found) for d in wanted)
