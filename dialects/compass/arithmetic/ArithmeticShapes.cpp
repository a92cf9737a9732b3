//===- ArithmeticShapes.cpp - Checks and shapes of layers -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/arithmetic/ArithmeticShapes.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/eltwise/Elementwise.h"

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

LogicalResult compass::inferMod(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  check.requant({2, 2, "of both inputs"});
  return success(succeeded(inferBroadcastShape(op, shapes)) && check.ok());
}

LogicalResult compass::inferSquaredDifference(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  size_t scales = intsKey(op, "scale_value").size(),
         shifts = intsKey(op, "shift_value").size();
  // As the reference writes them, or as the definition prints them.
  bool known = (scales == 3 && shifts == 3) || (scales == 4 && shifts == 2);
  if (check.isInteger() && scales && shifts && !known)
    check
        .problem(DiagId::OpIntegerParameters, "scale_value",
                 "scale_value and shift_value have a wrong number of values")
        .found(Twine(scales) + " and " + Twine(shifts))
        .expected("3 and 3: of the result and both inputs; or 4 and 2");
  return success(succeeded(inferBroadcastShape(op, shapes)) && check.ok());
}

LogicalResult compass::inferBiasAdd(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  int64_t channels = shape.empty() ? 1 : shape.back();
  if (ElementsAttr biases = tensorKey(op, "biases");
      biases && biases.getShapedType().getShape() != ArrayRef(channels))
    check
        .problem(DiagId::OpShape, "biases_shape",
                 "the constant biases does not have one value per channel")
        .found(shapeText(biases.getShapedType().getShape()))
        .expected(shapeText({channels}) + ", the last axis of the input");
  check.requant({.channels = channels});
  return success(succeeded(inferSameShape(op, shapes)) && check.ok());
}

static bool truthOf(Operation *op, StringRef key) {
  auto attr = op->getAttrOfType<BoolAttr>(key);
  return attr && attr.getValue();
}

LogicalResult compass::inferGemm(Operation *op, Shapes &shapes) {
  TensorInfo a = describe(op->getOperand(0)), b = describe(op->getOperand(1));
  bool transA = truthOf(op, "trans_a"), transB = truthOf(op, "trans_b");
  int64_t rows = a.shape[transA], innerA = a.shape[!transA],
          innerB = b.shape[transB], columns = b.shape[!transB];
  LayerCheck check(op);
  if (innerA != innerB)
    check
        .problem(DiagId::OpShape, "layer_bottom_shape",
                 "the inner lengths of A and B differ")
        .found(Twine(innerA) + " and " + Twine(innerB))
        .expected("one length; trans_a and trans_b say which axis it is");
  SmallVector<int64_t> result = {rows, columns};
  bool hasC = op->getNumOperands() > 2;
  if (hasC) {
    TensorInfo c = describe(op->getOperand(2));
    if (broadcastShapes(c.shape, result) != result)
      check
          .problem(DiagId::OpShape, "layer_bottom_shape",
                   "C does not broadcast to the product of A and B")
          .found(shapeText(c.shape))
          .expected(shapeText(result) + ", or axes of length 1")
          .token(shapeText(c.shape));
  }
  check.count("scale_value", hasC ? 3 : 1,
              hasC ? "of the result, A*B and C" : "of the result");
  check.count("shift_value", 1, "of the result");
  shapes.push_back(result);
  return success(check.ok());
}

LogicalResult compass::inferFakeQuant(Operation *op, Shapes &shapes) {
  auto min = numberOf(op->getAttr("min")), max = numberOf(op->getAttr("max"));
  if (min && max && !(*min < *max))
    return layerError(op, DiagId::OpBadAttribute, "max",
                      "the grid from min to max is empty")
        .found("min " + Twine(std::to_string(*min)) + ", max " +
               std::to_string(*max))
        .expected("min < max");
  return inferSameShape(op, shapes);
}
