//===- DetectionOutput.cpp - Boxes of a detector with anchors -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A detection is a class of a box with a score that is the threshold or more.
// As in the operation that the definition refers to, a box that overlaps a
// better one as much as the threshold is dropped.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Suppression.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Tensor;

namespace {

class Detector {
public:
  explicit Detector(OpReader &r) : f(r, "detection"), r(r) {}

  bool readForm();
  void write();

private:
  bool readClasses();
  Tensor *decoded();
  /// Boxes of their classes, one after the other for each anchor.
  Tensor *boxesAt(const Best &best, Tensor *anchors, Tensor *groups);
  void writeRegular();
  void writeFast();
  void writeRows(const Best &best, Tensor *anchors, Tensor *classes);
  SuppressionLimits limits(std::int64_t most) const;

  Formula f;
  OpReader &r;
  std::int64_t images = 0, anchors = 0, classes = 0, groups = 1, rows = 0,
               limit = 0;
  /// Classes that are looked at, and what they are called.
  std::vector<std::int64_t> chosen, labels;
  Tensor *boxes = nullptr;  ///< [images, anchors, groups, 4]
  Tensor *scores = nullptr; ///< [images, anchors, chosen classes]
};

} // namespace

/// Without output_background labels leave the background out.
bool Detector::readClasses() {
  std::int64_t background = r.scalar("background_class_idx");
  bool isLookedAt = r.flag("use_bg_in_nms"),
       isOutput = r.flag("output_background");
  if (isLookedAt && !isOutput)
    return r.refuse(
        "suppressing the background without output_background is not supported",
        "use_bg_in_nms without output_background", "both or neither");
  for (std::int64_t c = 0; c < classes; ++c)
    if (c != background || isLookedAt) {
      chosen.push_back(c);
      labels.push_back(c - (!isOutput && c > background ? 1 : 0));
    }
  return !chosen.empty() || r.bad("there is no class except the background",
                                  dimsText(r.dims(0)), "at least 2 classes");
}

bool Detector::readForm() {
  if (!f.expectRank(0, 3, "[batch, num_anchors, num_classes]"))
    return false;
  images = r.dims(0)[0], anchors = r.dims(0)[1], classes = r.dims(0)[2];
  groups = r.flag("share_location") ? 1 : classes;
  if (!f.expectDims(1, {images, anchors * groups, 4}) ||
      !f.expectDims(2, {anchors * images, 4}))
    return false;
  if (r.outputDims(0).size() != 2)
    return r.bad("out[0] has a wrong number of axes", dimsText(r.outputDims(0)),
                 "[batch, max_num_detections]");
  rows = r.outputDims(0)[1];
  if (!f.expectOutput(0, {images, rows}) ||
      !f.expectOutput(1, {images, rows, 4}) ||
      !f.expectOutput(2, {images, rows}) || !f.expectOutput(3, {images}))
    return false;
  if (images < 1 || anchors < 1 || rows < 1)
    return r.bad("there are no anchors or classes", dimsText(r.dims(0)),
                 "lengths of 1 or more");
  limit = r.scalar("detection_limit");
  if (limit == 0)
    return r.refuse("a detector that keeps no box is not supported",
                    "detection_limit of 0", "1 or more, or -1");
  if (r.scalar("nms_type") == 1 && r.real("nms_eta") != 1)
    return r.refuse("an adaptive threshold is not supported",
                    "nms_eta of " + std::to_string(r.real("nms_eta")), "1");
  return readClasses();
}

/// y1, x1, y2, x2 of each box.
Tensor *Detector::decoded() {
  std::vector<float> factors;
  for (double factor : r.reals("delta_scaling_factors"))
    factors.push_back(float(factor));
  std::vector<Tensor *> anchor =
      f.split(f.reshaped(f.real(2), {images, anchors, 1, 4}), 2, 3);
  std::vector<Tensor *> delta =
      f.split(f.multiply(f.reshaped(f.real(1), {images, anchors, groups, 4}),
                         f.numbers({4}, factors)),
              2, 3);
  Tensor *centre = f.add(anchor[0], f.multiply(delta[0], anchor[1])),
         *half = f.multiply(f.multiply(f.of("Exp", {delta[1]}), anchor[1]),
                            f.number(0.5));
  return f.joined({f.subtract(centre, half), f.add(centre, half)}, 3);
}

SuppressionLimits Detector::limits(std::int64_t most) const {
  return {.most = most,
          .leastScore = r.real("confidence_threshold"),
          .overlap = below(r.real("iou_threshold"))};
}

Tensor *Detector::boxesAt(const Best &best, Tensor *at, Tensor *group) {
  if (groups > 1)
    at = f.add(f.multiply(at, f.integer(groups)), group);
  return rowsFor(f, best, boxes, {images, anchors * groups, 4}, at, false);
}

/// \p ofChosen are classes by their places among the chosen ones.
void Detector::writeRows(const Best &best, Tensor *at, Tensor *ofChosen) {
  auto count = std::int64_t(chosen.size());
  f.write(best.scores, 0);
  f.write(
      boxesAt(best, at, f.gathered(f.integers({count}, chosen), ofChosen, 0)),
      1);
  Tensor *label = f.gathered(f.integers({count}, labels), ofChosen, 0);
  f.writeWhole(usedOf(f, best, label, true), 2);
  f.writeWhole(best.counts, 3);
}

/// A suppression for each class.
void Detector::writeRegular() {
  auto count = std::int64_t(chosen.size());
  Tensor *ofClasses = boxes;
  if (groups == 1)
    ofClasses =
        f.of("Expand", {boxes, f.integers({4}, {images, anchors, count, 4})});
  else if (count < classes)
    ofClasses = f.gathered(boxes, f.integers({count}, chosen), 2);
  std::int64_t lists = images * count,
               most = limit > 0 ? std::min(limit, anchors) : anchors;
  Suppressed kept = suppress(
      f, f.reshaped(f.transposed(ofClasses, {0, 2, 1, 3}), {lists, anchors, 4}),
      f.reshaped(f.transposed(scores, {0, 2, 1}), {lists, anchors}), lists,
      limits(most));
  Best best = bestOf(f, kept, images, rows);
  writeRows(best, best.places, best.lists);
}

/// One suppression of all boxes by their best class, then the best classes of
/// each box that is kept.
void Detector::writeFast() {
  auto count = std::int64_t(chosen.size());
  Tensor *bestScores = f.of("ReduceMax", {scores, f.integers({1}, {2})},
                            {{"keepdims", Attribute::of(std::int64_t(0))}});
  Tensor *ofBest = f.reshaped(boxes, {images, anchors, groups, 4});
  if (groups > 1) {
    Tensor *bestClass = f.of("ArgMax", {scores},
                             {{"axis", Attribute::of(std::int64_t(2))},
                              {"keepdims", Attribute::of(std::int64_t(0))}});
    Tensor *at = f.add(f.gathered(f.integers({count}, chosen), bestClass, 0),
                       f.multiply(f.reshaped(f.counting(images * anchors, 1, 0),
                                             {images, anchors}),
                                  f.integer(groups)));
    ofBest =
        f.gathered(f.reshaped(boxes, {images * anchors * groups, 4}), at, 0);
  }
  Suppressed kept =
      suppress(f, f.reshaped(ofBest, {images, anchors, 4}), bestScores, images,
               limits(std::min(anchors, rows)));
  // Scores of all classes of the boxes that are kept: what no detection is has
  // none.
  Best all{.counts = kept.counts, .images = images, .rows = kept.most};
  all.isUsed = f.of("Less", {f.counting(kept.most, 2, 1),
                             f.reshaped(kept.counts, {images, 1})});
  Tensor *ofKept =
      rowsFor(f, all, scores, {images, anchors, count}, kept.places, false);
  Tensor *isUsed = f.reshaped(all.isUsed, {images, kept.most, 1}),
         *isEnough =
             f.of("Greater",
                  {ofKept, f.number(below(r.real("confidence_threshold")))});
  Tensor *values =
      f.chosen(f.of("And", {isUsed, isEnough}), ofKept, noScore(f));
  std::int64_t perBox = limit > 0 ? std::min(limit, count) : count,
               entries = kept.most * perBox;
  std::vector<Tensor *> top =
      f.severalOf("", "TopK", {values, f.integers({1}, {perBox})}, 2,
                  {{"axis", Attribute::of(std::int64_t(2))}});
  values = f.reshaped(top[0], {images, entries});
  Tensor *counts =
      f.sum(f.cast(f.of("Greater", {values, noScore(f)}), ElementType::I32),
            {1}, false);
  Best best = greatestOf(f, values, counts, images, entries, rows);
  auto atPlaces = [&](Tensor *x, Tensor *at) {
    return f.of("GatherElements", {x, at},
                {{"axis", Attribute::of(std::int64_t(1))}});
  };
  Tensor *classOf =
             atPlaces(f.reshaped(top[1], {images, entries}), best.places),
         *box = f.of("Div", {best.places, f.integer(perBox)});
  writeRows(best, atPlaces(kept.places, box), classOf);
}

void Detector::write() {
  boxes = decoded();
  scores = f.real(0);
  if (std::int64_t(chosen.size()) < classes)
    scores = f.gathered(scores,
                        f.integers({std::int64_t(chosen.size())}, chosen), 2);
  if (r.scalar("nms_type") == 1)
    writeRegular();
  else
    writeFast();
}

bool qnn::readDetectionOutput(OpReader &r) {
  Detector detector(r);
  if (!detector.readForm())
    return false;
  detector.write();
  return true;
}
