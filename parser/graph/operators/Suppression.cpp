//===- Suppression.cpp - Non-maximum suppression --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include <algorithm>
#include <limits>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

namespace {
/// What the node's optional inputs say.
struct Limits {
  int64_t most = 0; ///< Boxes of a class.
  double overlap = 0, score = std::numeric_limits<float>::lowest();
};
} // namespace

static FailureOr<Limits> limits(NodeEmitter &n) {
  Limits l;
  if (n.has(2)) {
    auto most = n.integers(2, "the number of boxes");
    if (failed(most) || most->empty())
      return failure();
    l.most = std::clamp<int64_t>(most->front(), 0, n.shape(0)[1]);
  }
  for (size_t i : {3, 4})
    if (n.has(i)) {
      auto value = n.numbers(i, "a threshold");
      if (failed(value) || value->empty())
        return failure();
      (i == 3 ? l.overlap : l.score) = value->front();
    }
  if (l.most < 1)
    return n.refuse("that keeps no box is not imported", "0 boxes of a class",
                    "max_output_boxes_per_class of 1 or more");
  return l;
}

/// For each of \p rows places in the list of what is kept, which class it is
/// of: the number of classes that end before it.
static Value classOfRow(NodeEmitter &n, Value perClass, int64_t rows,
                        int64_t classes) {
  Value ends = n.layer("Cumulate", {n.build.reshape(perClass, {1, classes})},
                       {{"axis", 1}, {"method", "SUM"}});
  std::vector<int32_t> places(static_cast<size_t>(rows));
  std::iota(places.begin(), places.end(), 0);
  Value row = n.build.constantOf({rows, 1}, places);
  Value isBehind = n.build.layerOf("Logical", {row, ends},
                                   {{"method", "GREATER_EQUAL"}}, DType::U8);
  return n.layer("Reduce", {n.build.cast(isBehind, DType::I32)},
                 {{"method", "SUM"}, {"axis", std::vector<int64_t>{1}}});
}

/// [boxes kept, 3]: batch, class and index of each. There are as many rows as
/// may be kept; those that are not used hold -1.
LogicalResult graph::emitNonMaxSuppression(NodeEmitter &n) {
  if (n.rank(0) != 3 || n.rank(1) != 3 || n.shape(0)[2] != 4 ||
      n.shape(1)[2] != n.shape(0)[1] || n.shape(1)[0] != n.shape(0)[0])
    return n.bad("boxes and scores do not fit",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "[batches,boxes,4] and [batches,classes,boxes]");
  int64_t batches = n.shape(0)[0], boxes = n.shape(0)[1],
          classes = n.shape(1)[1];
  auto l = limits(n);
  if (failed(l))
    return failure();
  if (batches != 1)
    return n.refuse("of several batches is not imported",
                    std::to_string(batches), "one batch");
  int64_t rows = classes * l->most;
  Value all = n.plain(0);
  if (classes > 1)
    all = n.layer("Tile", {all}, {{"repeats", Shape{1, classes, 1}}});
  std::vector<int32_t> counts{};
  counts.assign(size_t(classes), int32_t(boxes));
  MLIRContext *context = n.build.builder.getContext();
  auto type = [&](Shape shape, DType element) {
    return Type(compass::plainType(context, shape, element));
  };
  SmallVector<Value> kept = n.build.declared(
      "NMS",
      {all, n.build.constantOf({1, classes}, counts),
       n.build.constantOf({1, 1}, ArrayRef<int32_t>({int32_t(classes)})),
       n.build.reshape(n.plain(1), {1, classes * boxes})},
      {{"method", "HARD"},
       {"center_point_box", n.node.integer("center_point_box", 0)},
       {"image_width", 1},
       {"image_height", 1},
       {"iou_threshold", l->overlap},
       {"score_threshold", l->score},
       {"soft_nms_sigma", 0.0},
       {"max_output_size", l->most}},
      {type({1, rows, 4}, DType::F32), type({1, classes}, DType::I32),
       type({1, rows}, DType::F32), type({1, rows}, DType::I32)});
  if (!kept[0])
    return failure();
  Value ofClass = classOfRow(n, kept[1], rows, classes);
  Value index = n.build.reshape(kept[3], {rows, 1});
  Value batch =
      n.build.constantOf({rows, 1}, std::vector<int32_t>(size_t(rows), 0));
  Value all3 = n.layer("Concat", {batch, ofClass, index}, {{"axis", 1}});
  if (!all3)
    return failure();
  Value isUsed = n.build.layerOf(
      "Logical",
      {ofClass,
       n.build.constantOf({1, 1}, ArrayRef<int32_t>({int32_t(classes)}))},
      {{"method", "LESS"}}, DType::U8);
  Value y = n.build.layerOf(
      "Where",
      {isUsed, all3, n.build.constantOf({1, 1}, ArrayRef<int32_t>({-1}))}, {},
      DType::I32);
  // A model whose result has a fixed number of rows means these.
  const Tensor &output = *n.node.outputs[0];
  if (!output.declaredShape.empty() && output.declaredShape[0] > 0 &&
      output.declaredShape[0] < rows)
    y = n.layer("Slice", {y},
                {{"begin", Shape{0, 0}},
                 {"end", Shape{output.declaredShape[0], 3}},
                 {"strides", Shape{1, 1}}});
  return n.out(0, y);
}
