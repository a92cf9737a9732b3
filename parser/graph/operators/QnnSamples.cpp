//===- QnnSamples.cpp - Samples of images of QNN --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Channels are last, as layers have them.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// Images [N,H,W,C], corners y1, x1, y2, x2 of each crop in 0 .. 1, and the
/// image of each.
LogicalResult graph::emitQnnCrops(NodeEmitter &n) {
  Value x = n.plain(0), boxes = n.plain(1), images = n.plain(2);
  if (!x || !boxes || !images)
    return failure();
  return n.outPlain(
      0,
      n.build
          .layers("CropAndResize", {x, boxes, n.build.cast(images, DType::I32)},
                  {{"method", n.node.text("method", "BILINEAR")},
                   {"crop_size", n.node.integers("size")},
                   {"extrapolation_value",
                    double(n.node.number("extrapolation_value", 0))}},
                  {elementOf(x)})
          .front());
}

/// Images [N,H,W,C] and places [N,h,w,2], or with one axis more.
LogicalResult graph::emitQnnSamples(NodeEmitter &n) {
  Value x = n.plain(0), grid = n.plain(1);
  if (!x || !grid)
    return failure();
  return n.outPlain(
      0,
      n.build
          .layers("GridSample", {x, grid},
                  {{"method", n.node.text("method", "BILINEAR")},
                   {"padding_mode", n.node.text("padding_mode", "ZEROS")},
                   {"align_corners", n.node.integer("align_corners", 0) != 0}},
                  {elementOf(x)})
          .front());
}
