//===- LogicShapes.cpp - Checks and shapes of layers ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/logic/LogicShapes.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

using Shapes = SmallVectorImpl<SmallVector<int64_t>>;

/// NOT has one input, every other method two.
static LogicalResult checkInputs(Operation *op) {
  std::string method = wordKey(op, keys::method);
  unsigned expected = method == "NOT" ? 1 : 2;
  if (op->getNumOperands() == expected)
    return success();
  return layerError(op, diag::OpArity, "layer_bottom",
                    "the method " + method + " needs another number of inputs")
      .found(Twine(op->getNumOperands()))
      .expected(Twine(expected));
}

/// The result and the inputs have one element type.
static LogicalResult checkOneType(Operation *op) {
  DType type = describe(op->getResult(0)).dtype;
  for (Value operand : op->getOperands()) {
    DType found = describe(operand).dtype;
    if (found != type)
      return layerError(op, diag::OpElementType, "layer_bottom_type",
                        "inputs and result have different element types")
          .found(dtypeName(found) + " and " + dtypeName(type))
          .expected("one integer type")
          .token(dtypeName(found));
  }
  return success();
}

LogicalResult compass::inferBitwise(Operation *op, Shapes &shapes) {
  if (failed(checkInputs(op)) || failed(checkOneType(op)))
    return failure();
  return inferBroadcastShape(op, shapes);
}

LogicalResult compass::inferLogical(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  check.count(keys::scale_value, 2, "for both inputs");
  if (failed(checkInputs(op)) || !check.ok())
    return failure();
  return inferBroadcastShape(op, shapes);
}

LogicalResult compass::inferBitShift(Operation *op, Shapes &shapes) {
  DType in = describe(op->getOperand(0)).dtype,
        out = describe(op->getResult(0)).dtype;
  if (in != out)
    return layerError(op, diag::OpElementType, "layer_top_type",
                      "the result has another element type than the values")
        .found(dtypeName(out))
        .expected(dtypeName(in));
  return inferBroadcastShape(op, shapes);
}

LogicalResult compass::inferWhere(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  check.requant({2, 2, "for both choices"});
  return success(succeeded(inferBroadcastShape(op, shapes)) && check.ok());
}

LogicalResult compass::inferTruthOfEach(Operation *op, Shapes &shapes) {
  return inferSameShape(op, shapes);
}
