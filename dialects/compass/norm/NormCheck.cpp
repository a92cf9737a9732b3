//===- NormCheck.cpp - Weights and biases of normalisations ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/norm/NormCheck.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

ArrayRef<int64_t> compass::shapeOfFirst(Operation *op) {
  return cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
}

LogicalResult compass::checkAffine(Operation *op, int64_t count,
                                   StringRef what) {
  LayerCheck check(op);
  for (TensorKey key : {keys::weights, keys::biases}) {
    ElementsAttr attr = tensorKey(op, key);
    if (!attr || attr.getShapedType().getNumElements() == count)
      continue;
    check
        .problem(diag::OpShape, (key + "_shape").str(),
                 "the constant " + key + " has a wrong number of elements")
        .found(shapeText(attr.getShapedType().getShape()))
        .expected(Twine(count) + ", one per " + what);
  }
  check.requant({.channels = count});
  return success(check.ok());
}
