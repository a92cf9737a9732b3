//===- GraphOps.cpp - Inputs and constants --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/graph/StateCheck.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/graph/GraphOps.cpp.inc"

void compass::registerGraphOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/graph/GraphOps.cpp.inc"
      >();
}

LogicalResult InputOp::inferShapes(ResultShapes &shapes) {
  if (failed(verifyState(*this)))
    return failure();
  shapes.emplace_back(declaredShape(*this, 0));
  return success();
}
LogicalResult InputOp::buildProgram(LayerProgram &) {
  return emitOpError("has no kernel");
}

LogicalResult ConstantOp::inferShapes(ResultShapes &shapes) {
  auto value = viewConstant(*getWeights());
  if (!value)
    return layerError(*this, diag::IrMissingKey, "weights_offset",
                      "the constant has no data");
  TensorInfo info = describe(getResult(0));
  if (value->dtype != info.dtype)
    return layerError(*this, diag::OpElementType, "layer_top_type",
                      "the result does not have the type of the stored values")
        .found(dtypeName(info.storedType()))
        .expected(dtypeName(value->storedType()));
  // A scalar may be written as [] or [1].
  if (value->numElements() != info.numElements())
    return layerError(*this, diag::OpShape, "layer_top_shape",
                      "the result does not have as many values as are stored")
        .found(shapeText(info.shape))
        .expected(shapeText(value->shape))
        .token(shapeText(info.shape));
  shapes.push_back(info.shape);
  return success();
}
LogicalResult ConstantOp::buildProgram(LayerProgram &) {
  return emitOpError("has no kernel");
}
