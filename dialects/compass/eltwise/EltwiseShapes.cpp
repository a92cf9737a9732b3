//===- EltwiseShapes.cpp - Checks and shapes of layers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/eltwise/EltwiseShapes.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

using Shapes = SmallVectorImpl<SmallVector<int64_t>>;

LogicalResult compass::inferDivMod(Operation *op, Shapes &shapes) {
  if (failed(inferBroadcastShape(op, shapes)))
    return failure();
  shapes.push_back(shapes.back());
  return success();
}

LogicalResult compass::inferSquaredDifference(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  size_t scales = intsKey(op, keys::scale_value).size(),
         shifts = intsKey(op, keys::shift_value).size();
  // As the reference writes them, or as the definition prints them.
  bool known = (scales == 3 && shifts == 3) || (scales == 4 && shifts == 2);
  if (check.isInteger() && scales && shifts && !known)
    check
        .problem(diag::OpIntegerParameters, keys::scale_value,
                 "scale_value and shift_value have a wrong number of values")
        .found(Twine(scales) + " and " + Twine(shifts))
        .expected("3 and 3: for the result and both inputs; or 4 and 2");
  return success(succeeded(inferBroadcastShape(op, shapes)) && check.ok());
}

LogicalResult compass::inferBiasAdd(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  int64_t channels = shape.empty() ? 1 : shape.back();
  if (ElementsAttr biases = tensorKey(op, keys::biases);
      biases && biases.getShapedType().getShape() != ArrayRef(channels))
    check
        .problem(diag::OpShape, "biases_shape",
                 "the constant biases does not have one value per channel")
        .found(shapeText(biases.getShapedType().getShape()))
        .expected(shapeText({channels}) + ", the last axis of the input");
  check.requant({.channels = channels});
  return success(succeeded(inferSameShape(op, shapes)) && check.ok());
}
