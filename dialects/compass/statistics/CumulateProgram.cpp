//===- CumulateProgram.cpp - Running sums and products --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/statistics/StatisticsOps.h"
#include "kernels/reduce/Cumulate.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static kernels::CumulateShape cumulateShape(CumulateOp op, ArrayRef<int64_t> in,
                                            int64_t axis) {
  kernels::CumulateShape shape;
  shape.outer = uint32_t(product(in.take_front(axis)));
  shape.length = uint32_t(in[axis]);
  shape.inner = uint32_t(product(in.drop_front(axis + 1)));
  shape.exclusive = op.getExclusive();
  shape.reverse = op.getReverse();
  return shape;
}

/// Scale, zero point and range of a product, whose multipliers are constants.
static void fillRange(const TensorInfo &out, kernels::Requant &requant) {
  requant.outType = out.dtype;
  requant.zp = out.zp;
  requant.lo = int32_t(out.lo), requant.hi = int32_t(out.hi);
}

static LogicalResult buildProduct(CumulateOp op,
                                  const kernels::CumulateShape &shape,
                                  LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  ElementsAttr scaleKey = tensorKey(op, keys::scale),
               shiftKey = tensorKey(op, keys::shift);
  auto scale = scaleKey ? viewConstant(scaleKey) : std::nullopt;
  auto shift = shiftKey ? viewConstant(shiftKey) : std::nullopt;
  if (!out.isQuantized() && !scale)
    return layerError(
        op, diag::OpUnsupported, keys::method,
        "method PROD is not supported yet for integers without a scale");
  if (!scale || !shift)
    return missingKey(op, scale ? keys::shift : keys::scale);
  kernels::CumulateProductIntParams p;
  p.shape = shape;
  p.inType = in.dtype;
  p.inZp = in.zp;
  // As the reference decides, and where a zero point makes factors negative.
  p.isSigned = dtypeIsSigned(in.dtype) || in.lo + in.zp < 0;
  fillRange(out, p.requant);
  p.requant.scaleType = scale->dtype;
  KernelCall &call = program.call<kernels::CumulateProductInt>(p).bindInOut();
  call["scale"] = constant(scaleKey), call["shift"] = constant(shiftKey);
  return success();
}

LogicalResult CumulateOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this, /*maxInputBits=*/32);
  if (failed(arithmetic))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto axis = normalizeAxis(*this, getAxis().value_or(-1), in.shape.size());
  if (failed(axis))
    return failure();
  kernels::CumulateShape shape = cumulateShape(*this, in.shape, *axis);
  bool isProduct = getMethod().equals_insensitive("PROD");
  if (*arithmetic == Arithmetic::Float) {
    kernels::CumulateFloatParams p{.shape = shape, .isProduct = isProduct};
    p.inType = in.dtype, p.outType = out.dtype;
    program.call<kernels::CumulateFloat>(p).bindInOut();
    return success();
  }
  if (isProduct)
    return buildProduct(*this, shape, program);
  kernels::CumulateSumIntParams p;
  p.shape = shape;
  p.inType = in.dtype;
  p.inZp = in.zp;
  if (failed(buildRequant(*this, out, p.requant)))
    return failure();
  if (p.requant.perChannel)
    return layerError(*this, diag::OpUnsupported, "scale_shape",
                      "scale per channel is not supported yet");
  program.call<kernels::CumulateSumInt>(p).bindInOut();
  return success();
}
