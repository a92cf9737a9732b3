//===- ReduceOps.cpp - Shapes and kernels of reductions -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/reduce/ReduceOps.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WideRequant.h"
#include "kernels/reduce/Cumulate.h"
#include "kernels/reduce/Reduce.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/reduce/ReduceOps.cpp.inc"

void compass::registerReduceOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/reduce/ReduceOps.cpp.inc"
      >();
}

/// Bit i is set if axis i is reduced.
static FailureOr<uint32_t> reducedAxes(ReduceOp op) {
  int64_t rank = describe(op.getOperand(0)).shape.size();
  auto axes = axesKey(op, rank);
  if (failed(axes))
    return failure();
  if (rank > kernels::kMaxRank)
    return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                      "more than " + Twine(kernels::kMaxRank) +
                          " axes are not supported yet");
  uint32_t mask = 0;
  for (int64_t axis : *axes)
    mask |= 1u << axis;
  return mask;
}

static FailureOr<kernels::ReduceOp> reduceMethod(ReduceOp op) {
  using kernels::ReduceOp;
  std::string word = op.getMethod().upper();
  auto method = llvm::StringSwitch<std::optional<ReduceOp>>(word)
                    .Case("MEAN", ReduceOp::Mean)
                    .Case("SUM", ReduceOp::Sum)
                    .Case("MIN", ReduceOp::Min)
                    .Case("MAX", ReduceOp::Max)
                    .Case("ALL", ReduceOp::All)
                    .Case("ANY", ReduceOp::Any)
                    .Case("L1", ReduceOp::L1)
                    .Case("L2", ReduceOp::L2)
                    .Case("PROD", ReduceOp::Prod)
                    .Case("VARIANCE", ReduceOp::Variance)
                    .Case("UNBIASED_VARIANCE", ReduceOp::UnbiasedVariance)
                    .Default(std::nullopt);
  if (!method)
    return layerError(op, diag::OpUnsupported, keys::method,
                      "method " + word + " is not supported yet");
  return *method;
}

LogicalResult
compass::ReduceOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  LayerCheck check(*this);
  if (wordKey(*this, keys::method) == "PROD") {
    // Renormalises in sequence: the shift is a sum, beyond what one may be.
    check.count(keys::scale_value, 1, "for the result");
    check.count(keys::shift_value, 1, "for the result");
  } else {
    check.requant();
  }
  check.table(keys::sqrt_lut);
  SmallVector<int64_t> shape = describe(getOperand(0)).shape;
  auto axes = axesKey(*this, shape.size());
  if (failed(axes) || !check.ok())
    return failure();
  for (int64_t axis : *axes)
    shape[axis] = 1;
  shapes.push_back(shape);
  return success();
}

/// L1 and L2 in integers.
static LogicalResult buildNormKernel(compass::ReduceOp op,
                                     const kernels::ReduceShape &shape,
                                     kernels::ReduceOp method,
                                     LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  if (in.bits() > 16 || out.bits() > 16)
    return layerError(op, diag::OpUnsupported, "layer_bottom_type",
                      "integers of more than 16 bits are not supported yet")
        .found(dtypeName(in.storedType()) + " to " +
               dtypeName(out.storedType()));
  kernels::ReduceNormIntParams p;
  p.shape = shape;
  p.op = method;
  p.inType = in.dtype;
  p.inZp = in.zp;
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  BufferBinding table;
  if (method == kernels::ReduceOp::L2) {
    auto lut = op.getSqrtLut() ? viewConstant(*op.getSqrtLut()) : std::nullopt;
    if (!lut)
      return missingKey(op, keys::sqrt_lut);
    if (lut->dtype != out.dtype)
      return layerError(op, diag::OpIntegerParameters, "sqrt_lut_type",
                        "the table sqrt_lut has another element type than the "
                        "result")
          .found(dtypeName(lut->storedType()))
          .expected(dtypeName(out.storedType()));
    p.tableType = lut->dtype;
    p.log2TableSize = llvm::Log2_64(lut->numElements());
    table = constant(*op.getSqrtLut());
  }
  program.call<kernels::ReduceNormInt>(p).bindInOut()["table"] = table;
  return success();
}

/// PROD in integers (docs/operators/reduce.md, Reduce): factors in the order of
/// the axes as they are listed, since every halving rounds.
static LogicalResult buildProductKernel(compass::ReduceOp op,
                                        LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  SmallVector<uint32_t> strides(in.shape.size());
  uint32_t stride = 1;
  for (size_t d = in.shape.size(); d-- > 0; stride *= uint32_t(in.shape[d]))
    strides[d] = stride;
  kernels::ReduceProductIntParams p;
  auto append = [&](kernels::StridedAxes &axes, size_t axis) {
    if (in.shape[axis] == 1)
      return;
    axes.dims[axes.rank] = uint32_t(in.shape[axis]);
    axes.strides[axes.rank++] = strides[axis];
  };
  SmallVector<bool> isReduced(in.shape.size());
  for (int64_t axis : intsKey(op, keys::axis)) {
    size_t place = size_t(axis < 0 ? axis + int64_t(in.shape.size()) : axis);
    isReduced[place] = true;
    append(p.reduced, place);
  }
  for (size_t d = 0; d < in.shape.size(); ++d)
    if (!isReduced[d])
      append(p.kept, d);
  p.inType = in.dtype;
  p.inZp = in.zp;
  p.isSigned = in.lo + in.zp < 0;
  auto scales = intsKey(op, keys::scale_value),
       shifts = intsKey(op, keys::shift_value);
  if (scales.empty() || shifts.empty())
    return missingKey(op,
                      scales.empty() ? keys::scale_value : keys::shift_value);
  constexpr int64_t kMostShift = 1 << 24; // with the halvings in int32
  if (scales[0] < 0 || scales[0] > 65535 || std::abs(shifts[0]) > kMostShift)
    return layerError(op, diag::OpIntegerParameters, keys::scale_value,
                      "scale_value or shift_value is out of range")
        .found(Twine(scales[0]) + " and " + Twine(shifts[0]))
        .expected("0 to 65535 and at most " + Twine(kMostShift));
  p.shift = int32_t(shifts[0]);
  p.requant.outType = out.dtype;
  p.requant.scale = int32_t(scales[0]);
  p.requant.zp = out.zp;
  p.requant.lo = int32_t(out.lo), p.requant.hi = int32_t(out.hi);
  program.call<kernels::ReduceProductInt>(p).bindInOut();
  return success();
}

LogicalResult compass::ReduceOp::buildProgram(LayerProgram &program) {
  using kernels::ReduceOp;
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto mask = reducedAxes(*this);
  auto method = reduceMethod(*this);
  if (failed(mask) || failed(method))
    return failure();
  kernels::ReduceShape s;
  s.rank = in.shape.size();
  for (size_t i = 0; i < in.shape.size(); ++i)
    s.dims[i] = in.shape[i];
  s.reducedMask = *mask;
  if (isIntegerLayer(*this)) {
    bool needsScale = *method == ReduceOp::Mean || *method == ReduceOp::Prod ||
                      *method == ReduceOp::Variance ||
                      *method == ReduceOp::UnbiasedVariance;
    if (needsScale && !out.isQuantized() && !getScaleValue())
      return layerError(
          *this, diag::OpUnsupported, keys::method,
          "method " + getMethod().upper() +
              " is not supported yet for integers without a scale");
    if (*method == ReduceOp::Prod)
      return buildProductKernel(*this, program);
    if (*method == ReduceOp::L1 || *method == ReduceOp::L2)
      return buildNormKernel(*this, s, *method, program);
    kernels::ReduceIntParams p;
    p.shape = s;
    p.op = *method;
    p.inType = in.dtype;
    p.inZp = in.zp;
    uint64_t terms = uint64_t(in.numElements() / out.numElements());
    if (failed(buildRequant(*this, out, p.requant)) ||
        failed(checkSums(*this, p.requant, terms * mostMagnitude(in))))
      return failure();
    program.call<kernels::ReduceInt>(p);
  } else {
    kernels::ReduceFloatParams p;
    p.shape = s;
    p.op = *method;
    p.inType = in.dtype;
    p.outType = out.dtype;
    program.call<kernels::ReduceFloat>(p);
  }
  program.last().bindInOut();
  return success();
}
