//===- LocalNorms.cpp - Normalization by a norm and LRN -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/norm/NormGroups.h"
#include "dialects/compass/norm/NormOps.h"
#include "kernels/norm/LocalResponse.h"
#include "kernels/norm/LpNorm.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static LogicalResult buildLpNormInt(NormalizationOp op,
                                    const kernels::NormShape &shape,
                                    uint32_t order, LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  kernels::LpNormIntParams p;
  p.shape = shape, p.order = order;
  p.inType = in.dtype, p.inZp = in.zp;
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  // They belong to the quotient, not to its sum.
  p.scale = p.requant.scale, p.shift = p.requant.shift;
  p.requant.scale = 1, p.requant.shift = 0;
  BufferBinding table;
  if (order == 2) {
    if (!op.getReciprocalShiftValue() || !op.getLut())
      return missingKey(op, op.getLut() ? KeyName(keys::reciprocal_shift_value)
                                        : KeyName(keys::lut));
    p.preShift = *op.getReciprocalShiftValue();
    if (p.preShift < 0)
      return layerError(op, diag::OpUnsupported, keys::reciprocal_shift_value,
                        "a shift to the left is not supported yet")
          .found(Twine(p.preShift))
          .expected("0 or more");
    table = constant(*op.getLut());
  }
  program.call<kernels::LpNormInt>(p).bindInOut()["table"] = table;
  return success();
}

LogicalResult NormalizationOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  auto shape = normShapeOf(*this, /*hasWeights=*/false);
  if (failed(arithmetic) || failed(shape))
    return failure();
  uint32_t order = wordKey(*this, keys::method, "L2") == "L1" ? 1 : 2;
  if (*arithmetic == Arithmetic::Integer)
    return buildLpNormInt(*this, *shape, order, program);
  kernels::LpNormFloatParams p;
  p.shape = *shape, p.order = order;
  p.inType = describe(getOperand(0)).dtype;
  p.outType = describe(getResult(0)).dtype;
  p.epsilon = float(getEpsilon().convertToDouble());
  if (p.epsilon == 0) // values that are all 0 stay 0
    p.epsilon = std::numeric_limits<float>::epsilon();
  program.call<kernels::LpNormFloat>(p).bindInOut();
  return success();
}

static kernels::LocalResponseShape localShapeOf(LRNOp op) {
  ArrayRef<int64_t> shape = inputShape(op, 0);
  kernels::LocalResponseShape s;
  s.channels = shape.back();
  s.withinChannel = wordKey(op, keys::method) == "WITHIN_CHANNEL";
  if (s.withinChannel) // of rank 4: inferLrn
    s.batch = shape[0], s.height = shape[1], s.width = shape[2];
  else
    s.width = product(shape.drop_back());
  s.size = op.getSize().value_or(1);
  return s;
}

LogicalResult LRNOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  kernels::LocalResponseShape shape = localShapeOf(*this);
  if (*arithmetic == Arithmetic::Float) {
    if (shape.withinChannel && shape.size % 2 == 0)
      return layerError(*this, diag::OpUnsupported, keys::size,
                        "an even neighbourhood within channels has no middle, "
                        "and is not supported in float IR")
          .found(Twine(shape.size))
          .expected("an odd number");
    kernels::LocalResponseFloatParams p;
    p.shape = shape;
    p.inType = in.dtype, p.outType = out.dtype;
    p.alpha = float(getAlpha().convertToDouble());
    p.beta = float(getBeta().convertToDouble());
    p.bias = float(getBias().convertToDouble());
    program.call<kernels::LocalResponseFloat>(p).bindInOut();
    return success();
  }
  auto table = getLut() ? viewConstant(*getLut()) : std::nullopt;
  if (!table)
    return missingKey(*this, keys::lut);
  kernels::LocalResponseIntParams p;
  p.shape = shape;
  p.inType = in.dtype, p.inZp = in.zp;
  p.log2TableSize = llvm::Log2_64(table->numElements());
  auto scales = intsKey(*this, keys::scale_sum_value),
       shifts = intsKey(*this, keys::shift_sum_value);
  if (scales.empty() || shifts.empty())
    return missingKey(*this, scales.empty() ? keys::scale_sum_value
                                            : keys::shift_sum_value);
  p.sumScale = scales[0], p.sumShift = shifts[0];
  if (failed(buildRequant(*this, out, p.requant)))
    return failure();
  program.call<kernels::LocalResponseInt>(p).bindInOut()["table"] =
      constant(*getLut());
  return success();
}
