//===- TfliteSuppression.cpp - Non-maximum suppression of TFLite ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include <algorithm>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// One number of a constant input.
static FailureOr<double> numberOf(NodeEmitter &n, size_t i, const char *what) {
  auto values = n.numbers(i, what);
  if (failed(values))
    return failure();
  if (values->size() == 1)
    return values->front();
  return n.bad(std::string(what) + " is not a single number",
               std::to_string(values->size()) + " numbers", "one number");
}

/// \p list with 0 behind its first \p count entries, as TFLite has it.
static Value filledUp(NodeEmitter &n, Value list, Value count) {
  if (!list || !count)
    return {};
  std::vector<int32_t> places(static_cast<size_t>(shapeOf(list)[0]));
  std::iota(places.begin(), places.end(), 0);
  Value isUsed = n.build.layerOf(
      "Logical", {n.build.constantOf({int64_t(places.size())}, places), count},
      {{"method", "LESS"}}, DType::U8);
  return n.build.layerOf("Where", {isUsed, list, scalarLike(n, list, 0)}, {},
                         elementOf(list));
}

/// Boxes [boxes, 4], scores [boxes], the most that are kept, how much they may
/// overlap, the least score and, of version 5, how softly the others go.
LogicalResult graph::emitTfliteSuppression(NodeEmitter &n) {
  if (n.rank(0) != 2 || n.rank(1) != 1 || n.shape(0)[1] != 4 ||
      n.shape(0)[0] != n.shape(1)[0])
    return n.bad("boxes and scores do not match",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "[boxes,4] and [boxes]");
  auto most = numberOf(n, 2, "the number of boxes"),
       overlap = numberOf(n, 3, "the threshold of overlaps"),
       score = numberOf(n, 4, "the threshold of scores");
  bool isSoft = n.node.op == "NonMaxSuppressionV5";
  auto sigma = isSoft ? numberOf(n, 5, "the softness") : FailureOr<double>(0.0);
  if (failed(most) || failed(overlap) || failed(score) || failed(sigma))
    return failure();
  if (*sigma != 0)
    return n.refuse("a suppression that lowers scores is not supported",
                    std::to_string(*sigma), "a softness of 0");
  int64_t boxes = n.shape(0)[0];
  if (!(*most >= 1 && *most <= double(boxes)))
    return n.refuse("a suppression that keeps no box, or more boxes than there "
                    "are, is not supported",
                    std::to_string(*most), "1 to " + std::to_string(boxes));
  auto rows = int64_t(*most);
  MLIRContext *context = n.build.builder.getContext();
  auto type = [&](Shape shape, DType element) {
    return Type(compass::plainType(context, shape, element));
  };
  auto one = [&](int64_t value) {
    return n.build.constantOf({1, 1}, ArrayRef<int32_t>({int32_t(value)}));
  };
  SmallVector<Value> kept = n.build.declared(
      "NMS",
      {n.build.reshape(n.plain(0), {1, boxes, 4}), one(boxes), one(1),
       n.build.reshape(n.plain(1), {1, boxes})},
      {{"method", "HARD"},
       {"center_point_box", 0},
       {"image_width", 1},
       {"image_height", 1},
       {"iou_threshold", *overlap},
       {"score_threshold", *score},
       {"soft_nms_sigma", 0.0},
       {"max_output_size", rows}},
      {type({1, rows, 4}, DType::F32), type({1, 1}, DType::I32),
       type({1, rows}, DType::F32), type({1, rows}, DType::I32)});
  if (!kept[0])
    return failure();
  Value count = n.build.reshape(kept[1], {1});
  Value indices = filledUp(n, n.build.reshape(kept[3], {rows}), count);
  if (failed(n.outPlain(0, indices)))
    return failure();
  if (isSoft && failed(n.outPlain(
                    1, filledUp(n, n.build.reshape(kept[2], {rows}), count))))
    return failure();
  return n.outPlain(isSoft ? 2 : 1, n.build.reshape(count, {}));
}
