//===- QnnLists.cpp - Lists that QNN's operators are made of --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers whose results ONNX has not: lists as long as they can be, with the
// number of their entries.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

static Type typeOf(NodeEmitter &n, const Shape &shape, DType element) {
  return compass::plainType(n.build.builder.getContext(), shape, element);
}

/// All results of a layer become the node's; null ones failed.
static LogicalResult outAll(NodeEmitter &n, ArrayRef<Value> results) {
  for (auto [i, result] : llvm::enumerate(results))
    if (!result || (n.isTaken(i) && failed(n.outPlain(i, result))))
      return failure();
  return success();
}

LogicalResult graph::emitQnnMoments(NodeEmitter &n) {
  Value x = n.plain(0);
  if (!x)
    return failure();
  return outAll(
      n, n.build.layers("Moments", {x},
                        {{"axis", n.node.integers("axes")},
                         {"keepdims", n.node.integer("keepdims", 1) != 0}},
                        {DType::F32, DType::F32}));
}

/// A row for each axis with the places of what is not 0, zeros behind them, and
/// their number [1].
LogicalResult graph::emitQnnNonZero(NodeEmitter &n) {
  Value x = n.plain(0);
  if (!x)
    return failure();
  return outAll(
      n, n.build.declared(
             "NonZero", {x}, {},
             {typeOf(n, {n.rank(0), numElements(n.shape(0))}, DType::I32),
              typeOf(n, {1}, DType::I32)}));
}

/// Rows of input 0 whose entry in input 1 is not 0, zeros behind them, and
/// their number [1].
LogicalResult graph::emitQnnFilter(NodeEmitter &n) {
  Value x = n.plain(0), selector = n.plain(1);
  if (!x || !selector)
    return failure();
  return outAll(n, n.build.declared("Filter",
                                    {x, n.build.cast(selector, DType::I32)},
                                    {{"num", int64_t(1)}, {"axis", int64_t(0)}},
                                    {typeOf(n, n.shape(0), elementOf(x)),
                                     typeOf(n, {1}, DType::I32)}));
}

/// Boxes [lists, boxes, 4] and scores [lists, boxes]. Of each list at most
/// `most` boxes: their scores and places [lists, most], by falling score, and
/// their number [lists].
LogicalResult graph::emitQnnSuppression(NodeEmitter &n) {
  Value boxes = n.plain(0), scores = n.plain(1);
  if (!boxes || !scores)
    return failure();
  int64_t lists = n.shape(1)[0], perList = n.shape(1)[1],
          most = n.node.integer("most", perList);
  auto filled = [&](int64_t value) {
    std::vector<int32_t> values(static_cast<size_t>(lists), int32_t(value));
    return n.build.constantOf({lists, 1}, values);
  };
  SmallVector<Value> kept = n.build.declared(
      "NMS", {boxes, filled(perList), filled(1), scores},
      {{"method", n.node.text("method", "HARD")},
       {"center_point_box", 0},
       {"image_width", 1},
       {"image_height", 1},
       {"iou_threshold", double(n.node.number("iou_threshold", 0))},
       {"score_threshold", double(n.node.number("score_threshold", 0))},
       {"soft_nms_sigma", double(n.node.number("sigma", 0))},
       {"max_output_size", most}},
      {typeOf(n, {lists, most, 4}, DType::F32),
       typeOf(n, {lists, 1}, DType::I32), typeOf(n, {lists, most}, DType::F32),
       typeOf(n, {lists, most}, DType::I32)});
  if (!kept[0])
    return failure();
  return outAll(n, {kept[2], kept[3], n.build.reshape(kept[1], {lists})});
}
