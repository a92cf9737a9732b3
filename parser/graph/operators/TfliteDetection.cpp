//===- TfliteDetection.cpp - The end of TensorFlow's detectors ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// TFLite_Detection_PostProcess is NNAPI's DETECTION_POSTPROCESSING, which was
// made of it, but for the order of inputs and results, a box that overlaps as
// much as the bound (TFLite keeps it), scores that may come without a
// background, and rows of which TFLite always has max_detections for each of
// max_classes_per_detection.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

namespace {
struct Detection {
  int64_t boxes, columns, classes; ///< columns: with those of the background
  bool isEach;                     ///< Every class suppresses its own.
  int64_t most, perBox, rows;      ///< rows: of the results
};
} // namespace

static FailureOr<Detection> detectionOf(NodeEmitter &n) {
  const Shape &deltas = n.shape(0), &scores = n.shape(1), &anchors = n.shape(2);
  bool fits = deltas.size() == 3 && scores.size() == 3 && anchors.size() == 2 &&
              deltas[0] == 1 && scores[0] == 1 && deltas[1] == scores[1] &&
              deltas[1] == anchors[0] && deltas[2] >= 4 && anchors[1] == 4;
  if (!fits)
    return n.bad("boxes, scores and anchors do not match",
                 shapeText(deltas) + ", " + shapeText(scores) + " and " +
                     shapeText(anchors),
                 "[1,boxes,4], [1,boxes,classes] and [boxes,4]");
  Detection d;
  d.boxes = scores[1], d.columns = scores[2];
  d.classes = n.node.integer("num_classes", 1);
  d.isEach = n.node.integer("use_regular_nms", 0) != 0;
  d.most = n.node.integer("max_detections", 1);
  int64_t asked = n.node.integer("max_classes_per_detection", 1);
  d.perBox = std::min(asked, d.classes);
  d.rows = d.most * asked;
  if (d.columns != d.classes && d.columns != d.classes + 1)
    return n.bad("the scores do not match the number of classes",
                 std::to_string(d.columns),
                 std::to_string(d.classes) + ", or one more");
  if (!d.isEach && d.perBox != asked)
    return n.refuse(
        "more classes for each box than there are classes is not supported",
        std::to_string(asked), std::to_string(d.classes));
  constexpr int64_t kMostRows = 1 << 20;
  if (d.rows > kMostRows)
    return n.refuse("this many boxes are not supported", std::to_string(d.rows),
                    std::to_string(kMostRows) + " or less");
  return d;
}

/// \p x with rows of 0 behind it, up to \p rows.
static Value filledUp(NodeEmitter &n, Value x, int64_t rows) {
  if (!x || shapeOf(x)[1] == rows)
    return x;
  Shape rest(shapeOf(x));
  rest[1] = rows - rest[1];
  std::vector<float> zeros(size_t(numElements(rest)));
  return n.layer("Concat", {x, n.build.constantOf(rest, zeros)}, {{"axis", 1}});
}

LogicalResult graph::emitTfliteDetection(NodeEmitter &n) {
  auto d = detectionOf(n);
  if (failed(d))
    return failure();
  Value scores = n.plain(1), deltas = n.plain(0), anchors = n.plain(2);
  // The layer leaves out column 0, the background.
  if (d->columns == d->classes) {
    std::vector<float> none(static_cast<size_t>(d->boxes));
    scores =
        n.layer("Concat", {n.build.constantOf({1, d->boxes, 1}, none), scores},
                {{"axis", 2}});
  }
  if (!scores || !deltas || !anchors)
    return failure();
  std::vector<double> scale;
  for (const char *key : {"y_scale", "x_scale", "h_scale", "w_scale"})
    scale.push_back(double(n.node.number(key, 1)));
  // The layer drops what overlaps as much as its bound.
  float overlap = std::nextafter(n.node.number("nms_iou_threshold", 0),
                                 std::numeric_limits<float>::infinity());
  const char *limit =
      d->isEach ? "max_detections_per_class" : "max_classes_per_detection";
  int64_t most = d->isEach ? d->most : d->rows;
  MLIRContext *context = n.build.builder.getContext();
  auto type = [&](Shape shape, DType element) {
    return Type(compass::plainType(context, shape, element));
  };
  SmallVector<Value> found = n.build.declared(
      "DetectionPostProcess", {scores, deltas, anchors},
      {{"method", d->isEach ? "EACH" : "BEST"},
       {"variance", scale},
       {"max_output_size", most},
       {limit,
        d->isEach ? n.node.integer("detections_per_class", 1) : d->perBox},
       {"score_threshold", double(n.node.number("nms_score_threshold", 0))},
       {"iou_threshold", double(overlap)},
       {"with_background", false}},
      {type({1, most}, DType::F32), type({1, most, 4}, DType::F32),
       type({1, most}, DType::I32), type({1}, DType::I32)});
  if (!found[0])
    return failure();
  Value classes = n.build.cast(found[2], DType::F32),
        count = n.build.cast(found[3], DType::F32);
  // TFLite counts boxes, not their rows.
  if (!d->isEach && d->perBox > 1 && count)
    count = n.layer("Div", {count, scalarLike(n, count, double(d->perBox))});
  Value results[] = {filledUp(n, found[1], d->rows),
                     filledUp(n, classes, d->rows),
                     filledUp(n, found[0], d->rows), count};
  for (auto [i, result] : llvm::enumerate(results))
    if (n.isTaken(i) && failed(n.outPlain(i, result)))
      return failure();
  return success();
}
