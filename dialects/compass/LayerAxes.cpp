//===- LayerAxes.cpp - The axes that a layer names ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Layers.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

FailureOr<SmallVector<int64_t>> compass::axesKey(Operation *op, int64_t rank) {
  SmallVector<int64_t> axes = intsKey(op, "axis");
  if (axes.empty())
    return layerError(op, DiagId::OpBadAttribute, "axis",
                      "the key axis names no axis")
        .expected("one axis or more");
  for (int64_t &axis : axes) {
    auto wrapped = normalizeAxis(op, axis, rank);
    if (failed(wrapped))
      return failure();
    axis = *wrapped;
  }
  llvm::sort(axes);
  if (auto twice = std::adjacent_find(axes.begin(), axes.end());
      twice != axes.end())
    return layerError(op, DiagId::OpBadAttribute, "axis",
                      "the key axis names axis " + Twine(*twice) + " twice")
        .found(shapeText(intsKey(op, "axis")))
        .expected("each axis once");
  return axes;
}
