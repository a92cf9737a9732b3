//===- NnapiBoxes.cpp - Operators of NNAPI about boxes --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operands' axes are the layers' own.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

namespace {

constexpr DType kReal = DType::F32, kWhole = DType::I32;

/// The layer of all inputs, its results the node's.
LogicalResult emitAs(NodeEmitter &n, StringRef type, const Keys &keys,
                     ArrayRef<DType> elements) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < n.node.inputs.size(); ++i)
    operands.push_back(n.plain(i));
  if (!llvm::all_of(operands, [](Value v) { return bool(v); }))
    return failure();
  SmallVector<Value> results = n.build.layers(type, operands, keys, elements);
  for (auto [i, result] : llvm::enumerate(results))
    if (!result || (n.isTaken(i) && failed(n.outPlain(i, result))))
      return failure();
  return success();
}

double number(NodeEmitter &n, const char *attribute) {
  return n.node.number(attribute, 0);
}

} // namespace

LogicalResult graph::emitNnapiBoxTransform(NodeEmitter &n) {
  return emitAs(n, "BoxTransform", {}, {kReal});
}

LogicalResult graph::emitNnapiNmsLimit(NodeEmitter &n) {
  return emitAs(n, "LimitedNMS",
                {{"method", n.node.text("method", "")},
                 {"score_threshold", number(n, "score_threshold")},
                 {"max_output_size", n.node.integer("max_boxes", -1)},
                 {"iou_threshold", number(n, "iou_threshold")},
                 {"soft_nms_sigma", number(n, "sigma")},
                 {"nms_score_threshold", number(n, "nms_score_threshold")}},
                {kReal, kReal, kWhole, kWhole, kWhole});
}

LogicalResult graph::emitNnapiProposals(NodeEmitter &n) {
  return emitAs(n, "BoxProposals",
                {{"height_stride", number(n, "scale_h")},
                 {"width_stride", number(n, "scale_w")},
                 {"pre_nms_topn", n.node.integer("pre_nms_top_n", 0)},
                 {"post_nms_topn", n.node.integer("post_nms_top_n", 0)},
                 {"iou_threshold", number(n, "iou_threshold")},
                 {"min_size", number(n, "min_size")}},
                {kReal, kReal, kWhole, kWhole});
}

LogicalResult graph::emitNnapiPostprocessing(NodeEmitter &n) {
  bool isEach = n.node.integer("regular_nms", 0) != 0;
  std::vector<double> variance = {number(n, "scale_dy"), number(n, "scale_dx"),
                                  number(n, "scale_dh"), number(n, "scale_dw")};
  const char *limit =
      isEach ? "max_detections_per_class" : "max_classes_per_detection";
  return emitAs(n, "DetectionPostProcess",
                {{"method", isEach ? "EACH" : "BEST"},
                 {"variance", variance},
                 {"max_output_size", n.node.integer("max_num_detections", 1)},
                 {limit, n.node.integer(limit, 1)},
                 {"score_threshold", number(n, "score_threshold")},
                 {"iou_threshold", number(n, "iou_threshold")},
                 {"with_background", n.node.integer("add_background", 0) != 0}},
                {kReal, kReal, kWhole, kWhole});
}

LogicalResult graph::emitNnapiKeypoint(NodeEmitter &n) {
  return emitAs(n, "HeatmapMaxKeypoint", {}, {kReal, kReal});
}
