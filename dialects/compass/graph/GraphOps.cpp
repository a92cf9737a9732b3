//===- GraphOps.cpp - Inputs and constants --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/Layers.h"

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

LogicalResult
InputOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  if (getNumOperands() != 0 || getNumResults() != 1)
    return emitOpError("has no operand and one result");
  shapes.push_back(describe(getResult(0)).shape);
  return success();
}
LogicalResult InputOp::buildKernel(KernelCall &) {
  return emitOpError("has no kernel");
}

LogicalResult
ConstantOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  auto value = getWeights() ? viewConstant(*getWeights()) : std::nullopt;
  if (getNumOperands() != 0 || !value)
    return emitOpError("needs the constant weights and no operand");
  TensorInfo info = describe(getResult(0));
  if (value->dtype != info.dtype)
    return emitOpError("holds ") << dtypeName(value->dtype)
                                 << ", its result is " << dtypeName(info.dtype);
  // A scalar may be written as [] or [1].
  if (value->numElements() != info.numElements())
    return emitOpError("holds ")
           << value->numElements() << " values, its result has "
           << info.numElements();
  shapes.push_back(info.shape);
  return success();
}
LogicalResult ConstantOp::buildKernel(KernelCall &) {
  return emitOpError("has no kernel");
}
