//===- ActivationProgram.cpp - Activations as layers of their own ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/activation/UnaryKernels.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult
ActivationOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  LayerCheck check(*this);
  check.resultTable(keys::lut);
  check.requant();
  if (failed(inferSameShape(*this, shapes)) || !check.ok())
    return failure();
  if (wordKey(*this, keys::method) != "CRELU")
    return success();
  SmallVector<int64_t> &shape = shapes.back();
  auto axis = normalizeAxis(*this, getAxis().value_or(-1), shape.size());
  if (failed(axis))
    return failure();
  shape[*axis] *= 2;
  return success();
}

static LogicalResult buildPRelu(ActivationOp op, Arithmetic arithmetic,
                                LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  ElementsAttr attr = tensorKey(op, keys::negative_slope);
  auto slope = attr ? viewConstant(attr) : std::nullopt;
  if (!slope)
    return missingKey(op, keys::negative_slope);
  auto shape = broadcastOf(op, in.shape, slope->shape, out.shape);
  if (failed(shape))
    return failure();
  if (dtypeIsFloat(slope->dtype) != (arithmetic == Arithmetic::Float) ||
      slope->dtype == DType::I64)
    return layerError(op, diag::OpElementType, "negative_slope_type",
                      "slopes and input are not both floats or both integers")
        .found(dtypeName(slope->storedType()))
        .expected(in.isFloat() ? "a float type"
                               : "an integer of up to 32 bits");
  if (arithmetic == Arithmetic::Integer) {
    kernels::PReluIntParams p;
    p.shape = *shape;
    p.inType = in.dtype;
    p.inZp = in.zp;
    // No with_activation here: scale, zero point and range alone.
    if (failed(buildRequant(op, out, p.requant)))
      return failure();
    p.requant.slopeType = slope->dtype;
    if (!op.getNegativeSlopeShift())
      return missingKey(op, keys::negative_slope_shift);
    p.requant.slopeShift = int32_t(*op.getNegativeSlopeShift());
    program.call<kernels::PReluInt>(p);
  } else {
    kernels::PReluFloatParams p;
    p.shape = *shape;
    p.inType = in.dtype, p.slopeType = slope->dtype, p.outType = out.dtype;
    program.call<kernels::PReluFloat>(p);
  }
  program.last().bindInOut()["slope"] = constant(attr);
  return success();
}

/// The greatest magnitude that is requantized: of the input, or its product
/// with a slope.
static uint64_t mostActivated(const TensorInfo &in, const kernels::Requant &r) {
  uint64_t most = mostMagnitude(in);
  bool isProduct = r.act == kernels::Act::LeakyRelu &&
                   r.rounding == kernels::Rounding::HalfEven;
  if (!isProduct)
    return most;
  uint64_t slope = uint64_t(std::abs(int64_t(r.slope)));
  return std::max(most, (most * slope >> r.slopeShift) + 1);
}

/// RELU, RELU6, CLIP and LEAKYRELU as arithmetic on the input, not as a table.
static LogicalResult buildPiecewiseLinear(ActivationOp op,
                                          LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  kernels::ActivationIntParams p;
  p.count = in.numElements();
  p.inType = in.dtype;
  p.inZp = in.zp;
  if (failed(buildRequant(op, out, p.requant, keys::method)) ||
      failed(checkSums(op, p.requant, mostActivated(in, p.requant))))
    return failure();
  program.call<kernels::ActivationInt>(p);
  program.last().bindInOut();
  return success();
}

LogicalResult ActivationOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  std::string method = wordKey(*this, keys::method, "RELU");
  bool isInteger = *arithmetic == Arithmetic::Integer;
  if (method == "CRELU")
    return buildCRelu(*this, isInteger, program);
  if (isInteger && getLut())
    return buildLutKernel(*this, keys::lut, LutOrigin::WidenedRangeMin,
                          program);
  if (method == "PRELU")
    return buildPRelu(*this, *arithmetic, program);
  if (!isInteger)
    return buildFunctionKernel(*this, program);
  if (method == "RELU" || method == "RELU6" || method == "CLIP" ||
      method == "LEAKYRELU")
    return buildPiecewiseLinear(*this, program);
  return missingKey(*this, keys::lut);
}
