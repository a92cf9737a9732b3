//===- ConvVariantOps.cpp - Further sums over windows ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/conv/ConvVariantOps.h"
#include "dialects/compass/conv/ConvShapes.h"

using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/conv/ConvVariantOps.cpp.inc"

void yarrow::compass::registerConvVariantOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/conv/ConvVariantOps.cpp.inc"
      >();
}

LogicalResult ConvTransposeOp::inferShapes(ResultShapes &shapes) {
  return inferConvTranspose(*this, 2, shapes);
}
LogicalResult ConvTranspose3DOp::inferShapes(ResultShapes &shapes) {
  return inferConvTranspose(*this, 3, shapes);
}
LogicalResult Convolution3DOp::inferShapes(ResultShapes &shapes) {
  return inferConvolution(*this, 3, shapes);
}
LogicalResult ConvIntegerOp::inferShapes(ResultShapes &shapes) {
  return inferConvInteger(*this, shapes);
}
LogicalResult MatMulIntegerOp::inferShapes(ResultShapes &shapes) {
  return inferMatMul(*this, /*transA=*/false, /*transB=*/false, shapes);
}
LogicalResult DilationOp::inferShapes(ResultShapes &shapes) {
  return inferMorphology(*this, shapes);
}
LogicalResult ErosionOp::inferShapes(ResultShapes &shapes) {
  return inferMorphology(*this, shapes);
}
