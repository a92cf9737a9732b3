//===- IndexOps.cpp - Operators that read or write at indices -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/indexing/IndexOps.h"
#include "dialects/compass/indexing/IndexShapes.h"

using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/indexing/IndexOps.cpp.inc"

void yarrow::compass::registerIndexOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/indexing/IndexOps.cpp.inc"
      >();
}

LogicalResult GatherOp::inferShapes(ResultShapes &shapes) {
  return inferGather(*this, shapes);
}
LogicalResult GatherElementsOp::inferShapes(ResultShapes &shapes) {
  return inferGatherElements(*this, shapes);
}
LogicalResult GatherNDOp::inferShapes(ResultShapes &shapes) {
  return inferGatherND(*this, shapes);
}
LogicalResult ScatterElementsOp::inferShapes(ResultShapes &shapes) {
  return inferScatterElements(*this, shapes);
}
LogicalResult ScatterNDOp::inferShapes(ResultShapes &shapes) {
  return inferScatterND(*this, shapes);
}
LogicalResult SlotUpdateOp::inferShapes(ResultShapes &shapes) {
  return inferSlotUpdate(*this, shapes);
}
LogicalResult CompressOp::inferShapes(ResultShapes &shapes) {
  return inferCompress(*this, shapes);
}
LogicalResult UniqueOp::inferShapes(ResultShapes &shapes) {
  return inferUnique(*this, shapes);
}
LogicalResult NonZeroOp::inferShapes(ResultShapes &shapes) {
  return inferNonZero(*this, shapes);
}
LogicalResult OneHotOp::inferShapes(ResultShapes &shapes) {
  return inferOneHot(*this, shapes);
}
LogicalResult ShapeOp::inferShapes(ResultShapes &shapes) {
  return inferShape(*this, shapes);
}
LogicalResult ConstantOfShapeOp::inferShapes(ResultShapes &shapes) {
  return inferConstantOfShape(*this, shapes);
}
