//===- ArgMinMaxProgram.cpp - The place of an extreme as a kernel ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexShapes.h"
#include "dialects/compass/statistics/StatisticsOps.h"
#include "kernels/select/Select.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult ArgMinMaxOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0));
  auto axis = axisKey(*this, keys::axis, x.shape.size());
  if (failed(axis))
    return failure();
  kernels::ArgMinMaxParams p;
  p.outer = product(ArrayRef(x.shape).take_front(*axis));
  p.axis = uint32_t(x.shape[*axis]);
  p.inner = product(ArrayRef(x.shape).drop_front(*axis + 1));
  p.inType = x.dtype, p.outType = out.dtype;
  p.least = wordKey(*this, keys::method, "MAX") == "MIN";
  p.last = boolKey(*this, keys::select_last_index);
  p.most = mostStored(out);
  program.call<kernels::ArgMinMax>(p).bindInOut();
  return success();
}
