//===- TopKPrograms.cpp - Layers that rank values, as kernels -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexShapes.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/select/SelectOps.h"
#include "kernels/select/Select.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult TopKOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), values = describe(getResult(0));
  auto axis = axisKey(*this, keys::axis, x.shape.size());
  if (failed(axis) || failed(checkSameElement(*this, x, values)) ||
      failed(checkIndexType(*this, 1, x.shape[*axis])))
    return failure();
  kernels::TopKParams p;
  p.outer = product(ArrayRef(x.shape).take_front(*axis));
  p.axis = uint32_t(x.shape[*axis]);
  p.inner = product(ArrayRef(x.shape).drop_front(*axis + 1));
  p.k = uint32_t(values.shape[*axis]);
  p.type = x.dtype;
  p.indexType = describe(getResult(1)).dtype;
  p.least = !boolKey(*this, keys::largest);
  // Any will do for RANDOM.
  p.last = wordKey(*this, keys::select_index, "last") != "FIRST";
  KernelCall &call = program.call<kernels::TopK>(p);
  call["input"] = operand(0);
  call["values"] = result(0), call["indices"] = result(1);
  return success();
}

LogicalResult InTopKOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0));
  kernels::InTopKParams p;
  p.rows = uint32_t(x.shape[0]);
  p.classes = uint32_t(x.shape[1]);
  p.k = uint32_t(intKey(*this, keys::k));
  p.type = x.dtype;
  p.targetType = describe(getOperand(1)).dtype;
  p.outType = describe(getResult(0)).dtype;
  KernelCall &call = program.call<kernels::InTopK>(p);
  call["predictions"] = operand(0), call["targets"] = operand(1);
  call["output"] = result(0);
  return success();
}
