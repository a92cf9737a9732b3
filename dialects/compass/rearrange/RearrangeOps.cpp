//===- RearrangeOps.cpp - Operators that rearrange or overlap ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "dialects/compass/rearrange/RearrangeShapes.h"

using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/rearrange/RearrangeOps.cpp.inc"

void yarrow::compass::registerRearrangeOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/rearrange/RearrangeOps.cpp.inc"
      >();
}

LogicalResult TileOp::inferShapes(ResultShapes &shapes) {
  return inferTile(*this, shapes);
}
LogicalResult RepeatOp::inferShapes(ResultShapes &shapes) {
  return inferRepeat(*this, shapes);
}
LogicalResult BatchToSpaceOp::inferShapes(ResultShapes &shapes) {
  return inferBatchToSpace(*this, shapes);
}
LogicalResult BatchToSpaceNDOp::inferShapes(ResultShapes &shapes) {
  return inferBatchToSpaceND(*this, shapes);
}
LogicalResult SpaceToBatchOp::inferShapes(ResultShapes &shapes) {
  return inferSpaceToBatch(*this, shapes);
}
LogicalResult SpaceToDepthOp::inferShapes(ResultShapes &shapes) {
  return inferSpaceToDepth(*this, shapes);
}
LogicalResult DepthToSpaceOp::inferShapes(ResultShapes &shapes) {
  return inferDepthToSpace(*this, shapes);
}
LogicalResult ChannelShuffleOp::inferShapes(ResultShapes &shapes) {
  return inferChannelShuffle(*this, shapes);
}
LogicalResult CropOp::inferShapes(ResultShapes &shapes) {
  return inferCrop(*this, shapes);
}
LogicalResult DataStrideOp::inferShapes(ResultShapes &shapes) {
  return inferDataStride(*this, shapes);
}
LogicalResult ReverseSequenceOp::inferShapes(ResultShapes &shapes) {
  return inferReverseSequence(*this, shapes);
}
LogicalResult MeshgridOp::inferShapes(ResultShapes &shapes) {
  return inferMeshgrid(*this, shapes);
}
LogicalResult Col2ImOp::inferShapes(ResultShapes &shapes) {
  return inferCol2Im(*this, shapes);
}
LogicalResult OverlapAddOp::inferShapes(ResultShapes &shapes) {
  return inferOverlapAdd(*this, shapes);
}
