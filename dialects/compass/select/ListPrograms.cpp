//===- ListPrograms.cpp - Layers whose results have any length ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What they find depends on data; the declared shapes are capacities.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexShapes.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/select/SelectOps.h"
#include "kernels/indexing/Indexing.h"
#include "kernels/select/Select.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static TensorInfo indexList(ArrayRef<int64_t> shape) {
  TensorInfo info;
  info.setType(DType::I32);
  info.shape.assign(shape.begin(), shape.end());
  return info;
}

LogicalResult CTCGreedyDecoderOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0));
  if (failed(checkIndexType(*this, 0, x.shape[2])))
    return failure();
  kernels::ArgMinMaxParams arg;
  arg.outer = uint32_t(x.shape[0] * x.shape[1]);
  arg.axis = uint32_t(x.shape[2]);
  arg.inType = x.dtype, arg.outType = DType::I32;
  arg.most = INT32_MAX;
  BufferBinding best =
      program.intermediate("best_classes", indexList({x.shape[0], x.shape[1]}));
  KernelCall &search = program.call<kernels::ArgMinMax>(arg);
  search["input"] = operand(0), search["output"] = best;
  kernels::CtcMergeParams p;
  p.rows = uint32_t(x.shape[0]), p.steps = uint32_t(x.shape[1]);
  p.capacity = uint32_t(out.shape[1]);
  p.merges = getMergeRepeated();
  p.blank = int32_t(x.shape[2]) - 1;
  p.lengthType = describe(getOperand(1)).dtype;
  p.outType = out.dtype;
  p.fill = mostStored(out);
  KernelCall &merge = program.call<kernels::CtcMerge>(p);
  merge["best"] = best, merge["lengths"] = operand(1);
  merge["output"] = result(0);
  return success();
}

LogicalResult AccidentalHitsOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> classes = inputShape(*this, 0);
  TensorInfo rows = describe(getResult(0)), ids = describe(getResult(1)),
             count = describe(getResult(2));
  kernels::AccidentalHitsParams p;
  p.rows = uint32_t(classes[0]), p.trues = uint32_t(classes[1]);
  p.candidates = uint32_t(inputShape(*this, 1)[0]);
  p.capacity = uint32_t(rows.shape[0]);
  p.classType = describe(getOperand(0)).dtype;
  p.candidateType = describe(getOperand(1)).dtype;
  p.rowType = rows.dtype, p.mostRow = mostStored(rows);
  p.idType = ids.dtype, p.mostId = mostStored(ids);
  p.countType = count.dtype, p.mostCount = mostStored(count);
  KernelCall &call = program.call<kernels::AccidentalHits>(p);
  call["classes"] = operand(0), call["candidates"] = operand(1);
  call["hits"] = result(0), call["ids"] = result(1), call["count"] = result(2);
  return success();
}

LogicalResult FilterOp::buildProgram(LayerProgram &program) {
  unsigned data = getOperation()->getNumOperands() - 1;
  TensorInfo selector = describe(getOperand(data)),
             count = describe(getResult(data));
  for (unsigned i = 0; i < data; ++i) {
    TensorInfo x = describe(getOperand(i));
    auto axis = axisKey(*this, keys::axis, x.shape.size());
    if (failed(axis) ||
        failed(checkSameElement(*this, x, describe(getResult(i)))))
      return failure();
    kernels::CompressParams p;
    p.elemBytes = kernels::dtypeBytes(x.dtype);
    p.outer = product(ArrayRef(x.shape).take_front(*axis));
    p.axis = p.capacity = p.conditions = uint32_t(x.shape[*axis]);
    p.inner = product(ArrayRef(x.shape).drop_front(*axis + 1));
    p.conditionType = selector.dtype;
    KernelCall &call = program.call<kernels::Compress>(p);
    call["input"] = operand(i), call["condition"] = operand(data);
    call["output"] = result(i);
  }
  kernels::NonZeroParams p;
  p.rank = 1;
  p.dims[0] = p.capacity = uint32_t(selector.shape[0]);
  p.inType = selector.dtype;
  p.countType = count.dtype, p.mostCount = mostStored(count);
  KernelCall &call = program.call<kernels::NonZero>(p);
  call["input"] = operand(data);
  call["places"] =
      program.intermediate("places", indexList({1, selector.shape[0]}));
  call["count"] = result(data);
  return success();
}
