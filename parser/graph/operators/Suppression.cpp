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
    return n.refuse("a suppression that keeps no box is not supported",
                    "0 boxes of a class",
                    "max_output_boxes_per_class of 1 or more");
  return l;
}

/// 0, 1, ... as a column.
static Value counting(NodeEmitter &n, int64_t rows) {
  std::vector<int32_t> places(static_cast<size_t>(rows));
  std::iota(places.begin(), places.end(), 0);
  return n.build.constantOf({rows, 1}, places);
}

static Value filled(NodeEmitter &n, ArrayRef<int64_t> shape, int32_t value) {
  std::vector<int32_t> values(size_t(numElements(Shape(shape))), value);
  return n.build.constantOf(shape, values);
}

/// For each of \p rows places in a row of groups that have \p counts [1,
/// groups] entries, which groups end before it: [rows, groups] of 0 and 1.
static Value endedBefore(NodeEmitter &n, Value counts, int64_t rows) {
  Value ends = n.layer("Cumulate", {counts}, {{"axis", 1}, {"method", "SUM"}});
  Value isAfter = n.build.layerOf("Logical", {counting(n, rows), ends},
                                  {{"method", "GREATER_EQUAL"}}, DType::U8);
  return n.build.cast(isAfter, DType::I32);
}

static Value sumOf(NodeEmitter &n, Value x) {
  return n.layer("Reduce", {x},
                 {{"method", "SUM"}, {"axis", std::vector<int64_t>{1}}});
}

static Value part(NodeEmitter &n, Value x, int64_t batch) {
  Shape begin(shapeOf(x).size(), 0), end(shapeOf(x));
  begin[0] = batch;
  end[0] = batch + 1;
  return n.layer(
      "Slice", {x},
      {{"begin", begin}, {"end", end}, {"strides", Shape(begin.size(), 1)}});
}

/// What is kept of one batch, [rows, 3]: batch, class and index.
static Value listOf(NodeEmitter &n, int64_t batch, Value perClass,
                    Value indices) {
  int64_t rows = shapeOf(indices)[1];
  // The class of a row is the number of classes that end before it.
  Value ofClass = sumOf(n, endedBefore(n, perClass, rows));
  return n.layer("Concat",
                 {filled(n, {rows, 1}, int32_t(batch)), ofClass,
                  n.build.reshape(indices, {rows, 1})},
                 {{"axis", 1}});
}

/// The lists of all batches behind one another, [batches * rows, 3], with what
/// each of them has in use, [1, batches]: the used rows first, -1 in the
/// others.
static Value joined(NodeEmitter &n, ArrayRef<Value> lists, Value used) {
  auto batches = int64_t(lists.size());
  Value all = batches == 1
                  ? lists[0]
                  : n.layer("Concat", SmallVector<Value>(lists), {{"axis", 0}});
  if (!all || !used)
    return {};
  int64_t total = shapeOf(all)[0], rows = total / batches;
  Value ended = endedBefore(n, used, total);
  if (batches > 1) {
    // Row k skips what the batches before its own leave unused.
    Value unused =
        eltwise(n, "SUB", filled(n, {1, batches}, int32_t(rows)), used);
    Value skipped = sumOf(n, eltwise(n, "MUL", ended, unused));
    Value from =
        eltwise(n, "MIN", eltwise(n, "ADD", counting(n, total), skipped),
                filled(n, {1, 1}, int32_t(total - 1)));
    all = n.layer("Gather", {all, n.build.reshape(from, {total})},
                  {{"axis", 0}, {"batch_dims", 0}});
  }
  Value isUsed = n.build.layerOf(
      "Logical", {sumOf(n, ended), filled(n, {1, 1}, int32_t(batches))},
      {{"method", "LESS"}}, DType::U8);
  return n.build.layerOf("Where", {isUsed, all, filled(n, {1, 1}, -1)}, {},
                         DType::I32);
}

/// [boxes kept, 3]: batch, class and index of each. There are as many rows as
/// may be kept; those that are not used hold -1.
LogicalResult graph::emitNonMaxSuppression(NodeEmitter &n) {
  if (n.rank(0) != 3 || n.rank(1) != 3 || n.shape(0)[2] != 4 ||
      n.shape(1)[2] != n.shape(0)[1] || n.shape(1)[0] != n.shape(0)[0])
    return n.bad("boxes and scores do not match",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "[batches,boxes,4] and [batches,classes,boxes]");
  int64_t batches = n.shape(0)[0], boxes = n.shape(0)[1],
          classes = n.shape(1)[1];
  auto l = limits(n);
  if (failed(l))
    return failure();
  int64_t rows = classes * l->most;
  Value all = n.plain(0);
  if (classes > 1) // the boxes of each class
    all = n.layer("Tile", {all}, {{"repeats", Shape{1, classes, 1}}});
  MLIRContext *context = n.build.builder.getContext();
  auto type = [&](Shape shape, DType element) {
    return Type(compass::plainType(context, shape, element));
  };
  SmallVector<Value> kept = n.build.declared(
      "NMS",
      {all, filled(n, {batches, classes}, int32_t(boxes)),
       filled(n, {batches, 1}, int32_t(classes)),
       n.build.reshape(n.plain(1), {batches, classes * boxes})},
      {{"method", "HARD"},
       {"center_point_box", n.node.integer("center_point_box", 0)},
       {"image_width", 1},
       {"image_height", 1},
       {"iou_threshold", l->overlap},
       {"score_threshold", l->score},
       {"soft_nms_sigma", 0.0},
       {"max_output_size", l->most}},
      {type({batches, rows, 4}, DType::F32),
       type({batches, classes}, DType::I32), type({batches, rows}, DType::F32),
       type({batches, rows}, DType::I32)});
  if (!kept[0])
    return failure();
  SmallVector<Value> lists;
  for (int64_t b = 0; b < batches; ++b)
    lists.push_back(
        batches == 1 ? listOf(n, b, kept[1], kept[3])
                     : listOf(n, b, part(n, kept[1], b), part(n, kept[3], b)));
  Value used = n.build.reshape(sumOf(n, kept[1]), {1, batches});
  Value y = joined(n, lists, used);
  // A model whose result has a fixed number of rows means these.
  const Tensor &output = *n.node.outputs[0];
  if (y && !output.declaredShape.empty() && output.declaredShape[0] > 0 &&
      output.declaredShape[0] < shapeOf(y)[0])
    y = n.layer("Slice", {y},
                {{"begin", Shape{0, 0}},
                 {"end", Shape{output.declaredShape[0], 3}},
                 {"strides", Shape{1, 1}}});
  return n.out(0, y);
}
