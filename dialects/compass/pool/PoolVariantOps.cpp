//===- PoolVariantOps.cpp - Further pooling, and its inverse -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/pool/PoolVariantOps.h"
#include "dialects/compass/pool/PoolShapes.h"

using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/pool/PoolVariantOps.cpp.inc"

void yarrow::compass::registerPoolVariantOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/pool/PoolVariantOps.cpp.inc"
      >();
}

LogicalResult Pooling3DOp::inferShapes(ResultShapes &shapes) {
  return inferPooling3D(*this, shapes);
}
LogicalResult AdaptivePoolOp::inferShapes(ResultShapes &shapes) {
  return inferAdaptivePool(*this, shapes);
}
LogicalResult MaxPoolingWithArgMaxOp::inferShapes(ResultShapes &shapes) {
  return inferMaxPoolingWithArgMax(*this, shapes);
}
LogicalResult MaxUnpoolOp::inferShapes(ResultShapes &shapes) {
  return inferUnpool(*this, shapes);
}
LogicalResult UpsampleByIndexOp::inferShapes(ResultShapes &shapes) {
  return inferUnpool(*this, shapes);
}
LogicalResult FractionalPoolOp::inferShapes(ResultShapes &shapes) {
  return inferFractionalPool(*this, shapes);
}
