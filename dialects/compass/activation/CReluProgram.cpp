//===- CReluProgram.cpp - Both signs of a tensor --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/activation/UnaryKernels.h"
#include "kernels/convert/Convert.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// max(x, 0), or max(-x, 0), as integers of the result's scale.
static LogicalResult rectifyInteger(ActivationOp op, bool isNegated,
                                    const BufferBinding &output,
                                    LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  kernels::ActivationIntParams p;
  p.count = uint32_t(in.numElements());
  p.inType = in.dtype;
  p.inZp = in.zp;
  p.op =
      isNegated ? kernels::UnaryIntOp::Negative : kernels::UnaryIntOp::Identity;
  // CRELU is no activation that a kernel fuses: scale, zero point, range alone.
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  p.requant.act = kernels::Act::Relu;
  KernelCall &call = program.call<kernels::ActivationInt>(p);
  call["input"] = operand(0), call["output"] = output;
  return success();
}

static void applyFloat(kernels::UnaryFn fn, const TensorInfo &info,
                       const BufferBinding &input, const BufferBinding &output,
                       LayerProgram &program) {
  kernels::UnaryFloatParams p;
  p.count = uint32_t(info.numElements());
  p.inType = p.outType = info.dtype;
  p.fn = fn;
  KernelCall &call = program.call<kernels::UnaryFloat>(p);
  call["input"] = input, call["output"] = output;
}

/// Joins the halves along the axis.
static void join(ActivationOp op, int64_t axis, const BufferBinding &positive,
                 const BufferBinding &negative, LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  kernels::ConcatParams p;
  p.inputCount = 2;
  p.outType = out.dtype;
  uint64_t inner = 1;
  for (size_t d = size_t(axis); d < in.shape.size(); ++d)
    inner *= uint64_t(in.shape[d]);
  p.outer = uint32_t(uint64_t(in.numElements()) / inner);
  p.outInner = uint32_t(2 * inner);
  for (unsigned i : {0, 1}) {
    p.branches[i].inner = uint32_t(inner);
    p.branches[i].inType = out.dtype;
  }
  KernelCall &call = program.call<kernels::Concat>(p);
  call.append("inputs", positive);
  call.append("inputs", negative);
  call["output"] = result(0);
}

LogicalResult compass::buildCRelu(ActivationOp op, bool isInteger,
                                  LayerProgram &program) {
  TensorInfo half = describe(op.getOperand(0));
  auto axis =
      normalizeAxis(op, op.getAxis().value_or(-1), int64_t(half.shape.size()));
  if (failed(axis))
    return failure();
  half.setType(describe(op.getResult(0)).storedType());
  BufferBinding positive = program.intermediate("positive", half),
                negative = program.intermediate("negative", half);
  if (isInteger) {
    if (failed(rectifyInteger(op, false, positive, program)) ||
        failed(rectifyInteger(op, true, negative, program)))
      return failure();
  } else {
    using kernels::UnaryFn;
    TensorInfo in = describe(op.getOperand(0));
    BufferBinding negated = program.intermediate("negated", in);
    applyFloat(UnaryFn::Negative, in, operand(0), negated, program);
    applyFloat(UnaryFn::Relu, in, operand(0), positive, program);
    applyFloat(UnaryFn::Relu, in, negated, negative, program);
  }
  join(op, *axis, positive, negative, program);
  return success();
}
