"""Detectors with random weights: SSD, YOLO and two stages.

Each gives what it has found, and what its heads said, from which expected() computes
the same with the definition.
"""
import boxes
from networks import Graph, text

IMAGE = 64
CLASSES = 4
KEPT = 8  # boxes of a class after the suppression
OVERLAP = 0.45


def grid_anchors(cells, sizes, image=1.0):
    """y, x, h, w of an anchor of each size (h, w) in every cell."""
    step = image / cells
    return [((r + 0.5) * step, (c + 0.5) * step, h * image, w * image)
            for r in range(cells) for c in range(cells) for h, w in sizes]


class Detector:
    """A main graph; its first four outputs are boxes, counts, scores and labels.

    expected() gives the detections by the definition, from the outputs behind these, and
    fills between with pairs of lists that have to be equal, too.
    """
    tolerance = 1e-6  # of scores and boxes, and of what else is compared
    between = ()

    def __init__(self, rng):
        self.graph = g = Graph("main", bytearray(), rng)
        x = g.conv(g.input([1, IMAGE, IMAGE, 3]), 16, stride=2)
        self.fine = g.residual(g.conv(x, 24, stride=2))

    def coarse(self):
        return self.graph.residual(self.graph.conv(self.fine, 32, stride=2))

    def anchor_keys(self):
        names = "ycenter", "xcenter", "ha", "wa"
        return [key for name, values in zip(names, zip(*self.anchors))
                for key in self.graph.blob(name, [len(values)], values)]

    def nms(self, found, counts, total, scores, most=KEPT, classes=CLASSES, overlap=OVERLAP,
            size=1):
        capacity = most * classes
        name = f"nms{len(self.graph.layers)}_"
        return self.graph.layer(
            "NMS", [found, counts, total, scores], None, None, "method=HARD",
            "center_point_box=0", f"image_height={size}", f"image_width={size}",
            f"iou_threshold={overlap}", "score_threshold=0", f"max_output_size={most}",
            "soft_nms_sigma=0.0",
            tops=[(name + "boxes", [1, capacity, 4], "float32"),
                  (name + "counts", counts[1], "int32"),
                  (name + "scores", [1, capacity], "float32"),
                  (name + "indices", [1, capacity], "int32")])

    def detection(self, sample):
        return boxes.listed(*sample[:4])


class SsdHeads(Detector):
    """Class scores and deltas of two scales."""
    SIZES = ((0.3, 0.3), (0.2, 0.4), (0.4, 0.2)), ((0.5, 0.5), (0.4, 0.8), (0.8, 0.4))
    THRESHOLD = 0.5

    def __init__(self, rng):
        super().__init__(rng)
        g, scores, deltas, self.anchors = self.graph, [], [], []
        for x, sizes in zip((self.fine, self.coarse()), self.SIZES):
            self.anchors += grid_anchors(x[1][1], sizes)
            count = x[1][1] * x[1][2] * len(sizes)
            background = [3.0] + [0.0] * CLASSES
            scores.append(g.reshape(g.conv(
                x, len(background) * len(sizes), activation="NONE", gain=2,
                biases=background * len(sizes)), [1, count, len(background)]))
            deltas.append(g.reshape(g.conv(x, 4 * len(sizes), activation="NONE", gain=1.5),
                                    [1, count, 4]))
        self.first_behind = len(g.layers)
        self.logits, self.deltas = g.concat(scores, 1), g.concat(deltas, 1)


class Ssd(SsdHeads):
    """Softmax, DecodeBox and NMS behind them."""

    def __init__(self, rng):
        super().__init__(rng)
        g, room = self.graph, 500  # more than pass the threshold
        found = g.layer(
            "DecodeBox", [g.softmax(self.logits), self.deltas], None, None,
            *self.anchor_keys(), f"image_width={IMAGE}",
            f"image_height={IMAGE}", f"max_box_num={room}", f"class_num={CLASSES}",
            f"score_threshold={self.THRESHOLD}", "proposal_normalized=true",
            "variance=[10.0,10.0,5.0,5.0]",
            tops=[("found", [1, room, 4], "float32"), ("counts", [1, room], "int32"),
                  ("total", [1, 1], "int32"), ("scores", [1, room], "float32"),
                  ("labels", [1, room], "int32")])
        kept = self.nms(*found[:4])
        g.outputs = [*kept[:3], found[4], self.logits, self.deltas]

    def expected(self, sample):
        scores = [boxes.softmax(r)[1:] for r in boxes.rows(sample[4], 1 + CLASSES)]
        deltas = boxes.rows(sample[5], 4)
        found = boxes.chosen(
            scores, lambda i, c: boxes.decode(deltas[i], self.anchors[i], (1, 1), (1, 1)),
            self.THRESHOLD)
        return boxes.suppress(found, OVERLAP, KEPT)


class SsdOfBestClass(SsdHeads):
    """MultiboxTransformLoc and one NMS for the best classes of all anchors.

    Coordinates are x, y, w, h here. A row of MultiboxTransformLoc is class, score and box;
    as the reference has it in integers, a class is a plain number among those at SCALE.
    """
    ROW, SCALE = 6, 32767

    def __init__(self, rng):
        super().__init__(rng)
        g, count = self.graph, len(self.anchors)
        by_class = g.layer("Transpose", [self.logits], [1, 1 + CLASSES, count], "float32",
                           "perm=[0,2,1]")
        scores = g.layer("Softmax", [by_class], by_class[1], "float32", "axis=1")
        self.anchors = [boxes.corners(a[:2], a[2:], (1, 1)) for a in self.anchors]
        rows, valid = g.layer(
            "MultiboxTransformLoc",
            [scores, g.reshape(self.deltas, [1, 4 * count]),
             g.constant([1, count, 4], [v for a in self.anchors for v in a])], None, None,
            f"score_threshold={self.THRESHOLD}", "variance=[0.1,0.1,0.2,0.2]", "clip=true",
            tops=[("rows", [1, count, self.ROW], "float32"), ("valid", [1], "int32")])
        kept = self.nms(
            g.slice(rows, 2, self.ROW), g.reshape(valid, [1, 1]),
            g.constant([1, 1], [1], "int32"), g.reshape(g.slice(rows, 1, 2), [1, count]),
            KEPT * CLASSES, 1)
        g.outputs = [*kept, rows, self.logits, self.deltas]

    def detection(self, sample):
        found, counts, scores, places, rows = sample[:5]
        kept = [round(p) for p in places[:round(counts[0])]]
        labels = [rows[p * self.ROW] for p in kept]
        return [(round(label if label >= 1 else label * self.SCALE), score, box)
                for label, score, box in zip(labels, scores, boxes.rows(found, 4))]

    def expected(self, sample):
        scores = [boxes.softmax(r)[1:] for r in boxes.rows(sample[5], 1 + CLASSES)]
        deltas = boxes.rows(sample[6], 4)
        found = []
        for row, delta, anchor in zip(scores, deltas, self.anchors):
            if max(row) > self.THRESHOLD:
                box = boxes.decode(delta, boxes.centre_form(anchor), (1, 1))
                found.append((row.index(max(row)), max(row), box))
        return boxes.suppress_together(found, OVERLAP, KEPT * CLASSES)


class Yolo(Detector):
    """A head on one scale, or two and RegionFuse; Region, NMS."""
    ANCHORS = ((1.2, 1.0), (2.0, 3.0), (3.0, 1.6))
    THRESHOLD, ROOM = 0.3, 200

    def __init__(self, rng, scales):
        super().__init__(rng)
        g, self.grids, heads = self.graph, [], []
        x = self.coarse()
        for scale in range(scales):
            if scale:
                size = [1, *self.fine[1][1:3], 32]
                up = g.layer("Resize", [x], size, "float32", "method=NEAREST",
                             "mode=HALF_PIXEL", f"size={text(size)}",
                             "nearest_mode=ROUND_PREFER_FLOOR")
                x = g.conv(g.concat([up, self.fine], 3), 32)
            biases = [0.0, 0.0, -0.3, -0.3, 0.5] + [0.0] * CLASSES
            values = g.conv(x, len(self.ANCHORS) * len(biases), 1, activation="NONE", gain=1.5,
                            biases=biases * len(self.ANCHORS))
            grid = x[1][1:3]
            self.grids.append(grid)
            heads.append(g.reshape(values, [1, *grid, len(self.ANCHORS), len(biases)]))
        self.first_behind = len(g.layers)
        found = [self.region(head, grid) for head, grid in zip(heads, self.grids)]
        if scales > 1:
            pairs = [t for both in zip(*found) for t in both]
            fused = g.layer("RegionFuse", pairs, None, None, f"class_num={CLASSES}",
                            tops=self.lists("fused", 2 * self.ROOM))
        else:
            fused = found[0]
        kept = self.nms(fused[1], fused[2], fused[4], fused[0])
        g.outputs = [*kept[:3], fused[3], *heads]

    @staticmethod
    def lists(name, room):
        return [(name + "_scores", [1, room], "float32"),
                (name + "_boxes", [1, room, 4], "float32"),
                (name + "_counts", [1, CLASSES], "int32"),
                (name + "_labels", [1, CLASSES], "int32"), (name + "_total", [1, 1], "int32")]

    def region(self, head, grid):
        return self.graph.layer(
            "Region", [head], None, None, "anchors=" + text(v for a in self.ANCHORS for v in a),
            f"max_box_num={self.ROOM}", f"box_per_grid={len(self.ANCHORS)}",
            f"grid_height={grid[0]}", f"grid_width={grid[1]}", f"class_num={CLASSES}",
            f"obj_thresh={self.THRESHOLD}", "grid_compensate=false",
            tops=self.lists(f"region{grid[0]}", self.ROOM))

    def expected(self, sample):
        found = []
        for values, grid in zip(sample[4:], self.grids):
            found += boxes.region(values, grid, self.ANCHORS, CLASSES, self.THRESHOLD)
        return boxes.suppress(found, OVERLAP, KEPT)


class TwoStage(Detector):
    """Proposal, NMS, RoiAlign, connected heads, DetectionOutput, NMS; in pixels."""
    SIZES = (0.35, 0.35), (0.25, 0.5), (0.5, 0.25)
    REGIONS, BINS, SAMPLES, STRIDE = 24, 3, 2, 4
    PROPOSED, THRESHOLD = 0.2, 0.5  # least scores of the stages
    tolerance = 1e-4  # pixels

    def __init__(self, rng):
        super().__init__(rng)
        g, x, cells = self.graph, self.fine, self.fine[1][1]
        self.anchors = grid_anchors(cells // 2, self.SIZES, IMAGE)
        count = len(self.anchors)
        head = g.conv(x, 32, stride=2)
        objects = g.conv(head, 2 * len(self.SIZES), 1, activation="NONE", gain=2,
                         biases=[1.0, 0.0] * len(self.SIZES))
        deltas = g.conv(head, 4 * len(self.SIZES), 1, activation="NONE", gain=1.5)
        objects = g.reshape(objects, [1, count, 2])
        deltas = g.reshape(deltas, [1, count, 4])
        self.first_behind = len(g.layers)
        room = count
        scores, found, counts, total = g.layer(
            "Proposal", [g.softmax(objects), deltas], None, None,
            *self.anchor_keys(), f"width={IMAGE}", f"height={IMAGE}",
            f"score_threshold={self.PROPOSED}",
            tops=[("proposal_scores", [1, room], "float32"), ("proposed", [1, room, 4], "float32"),
                  ("proposal_counts", [1, 2], "int32"), ("proposal_total", [1, 1], "int32")])
        best = self.nms(found, counts, total, scores, self.REGIONS, 1, 0.7, IMAGE)[0]
        images = g.constant([self.REGIONS, 1], [0.0] * self.REGIONS)
        regions = g.concat([images, g.reshape(best, [self.REGIONS, 4])], 1)
        depth = x[1][3]
        pooled = g.layer(
            "RoiAlign", [x, regions], [self.REGIONS, self.BINS, self.BINS, depth], "float32",
            "method=AVG", f"pooled_shape={text([self.BINS] * 2)}",
            "coordinate_transformation_mode=OUTPUT_HALF_PIXEL",
            f"sample={text([self.SAMPLES] * 2)}",
            f"spatial_scale_value={text([1 / self.STRIDE] * 2)}", "spatial_scale_type=float32")
        size = self.BINS ** 2 * depth
        y = g.connected(g.reshape(pooled, [self.REGIONS, size]), g.filters(64, size, 2),
                        [0.1] * 64, "RELU")
        logits = g.connected(y, g.filters(1 + CLASSES, 64, 3), [1.5] + [0.0] * CLASSES)
        moves = g.connected(y, g.filters(4 * CLASSES, 64, 1.5), [0.0] * 4 * CLASSES)
        logits = g.reshape(logits, [1, self.REGIONS, 1 + CLASSES])
        moves = g.reshape(moves, [1, self.REGIONS, CLASSES, 4])
        room = self.REGIONS * CLASSES
        last = g.layer(
            "DetectionOutput", [g.softmax(logits), moves, best], None, None,
            f"image_width={IMAGE}", f"image_height={IMAGE}",
            f"score_threshold={self.THRESHOLD}", "anchor_mode=default_detect",
            "variance=[10.0,10.0,5.0,5.0]",
            tops=[("scores", [1, room], "float32"), ("found", [1, room, 4], "float32"),
                  ("counts", [1, CLASSES], "int32"), ("labels", [1, CLASSES], "int32"),
                  ("total", [1, 1], "int32")])
        kept = self.nms(last[1], last[2], last[4], last[0], size=IMAGE)
        g.outputs = [*kept[:3], last[3], objects, deltas, best, x, pooled, logits, moves]

    def expected(self, sample):
        """And with it what is between: regions, and what was pooled of them."""
        objects, deltas, best, features, pooled, logits, moves = sample[4:]
        scores = [boxes.softmax(r)[1:] for r in boxes.rows(objects, 2)]
        deltas, regions, moves = (boxes.rows(v, 4) for v in (deltas, best, moves))
        image = IMAGE, IMAGE
        proposed = boxes.suppress(boxes.chosen(
            scores, lambda i, c: boxes.decode(deltas[i], self.anchors[i], image),
            self.PROPOSED), 0.7, self.REGIONS)
        shape = self.fine[1][1:]
        proposed = sum((d[2] for d in proposed), [])
        self.between = [
            (proposed + [0] * (len(best) - len(proposed)), best),
            (sum((boxes.roi_align(features, shape, r, 1 / self.STRIDE, self.BINS, self.SAMPLES)
                  for r in regions), []), pooled)]
        scores = [boxes.softmax(r)[1:] for r in boxes.rows(logits, 1 + CLASSES)]
        found = boxes.chosen(scores, lambda i, c: boxes.decode(
            moves[i * CLASSES + c], boxes.centre_form(regions[i]), image), self.THRESHOLD)
        return boxes.suppress(found, OVERLAP, KEPT)
