//===- MomentPrograms.cpp - The kernels that compute moments --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Moments, NormalizedMoments and SufficientStatistics: in floats reductions and
// arithmetic of two values, in integers the formulas of
// docs/operators/statistics.md.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/LutCall.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/statistics/StatisticsOps.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/norm/Moments.h"
#include "kernels/reduce/Reduce.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BinaryOp;
using kernels::Requant;

namespace {

/// Where a value of a program is.
struct MomentValue {
  BufferBinding binding;
  TensorInfo info;
};

class MomentProgram {
public:
  MomentProgram(Operation *op, LayerProgram &program)
      : op(op), program(program) {}

  MomentValue input(unsigned i) const {
    return {operand(i), describe(op->getOperand(i))};
  }
  MomentValue output(unsigned i) const {
    return {result(i), describe(op->getResult(i))};
  }
  /// A value between kernels.
  MomentValue between(const char *name, ArrayRef<int64_t> shape, DType type) {
    TensorInfo info;
    info.shape.assign(shape.begin(), shape.end());
    info.setType(type);
    return {program.intermediate(name, info), info};
  }

  /// The axes in the key `axis` of the first operand.
  FailureOr<kernels::ReduceShape> reduced() const;
  void reduce(kernels::ReduceOp how, const kernels::ReduceShape &shape,
              const MomentValue &in, const MomentValue &out);
  LogicalResult binary(BinaryOp how, const MomentValue &a, const MomentValue &b,
                       const MomentValue &out);
  /// scales: of the result, of a and of b.
  LogicalResult binaryInt(BinaryOp how, const MomentValue &a,
                          const MomentValue &b, const MomentValue &out,
                          ArrayRef<int64_t> scales, int64_t shift);
  void requantize(const MomentValue &in, const MomentValue &out, int64_t scale,
                  int64_t shift);

  Operation *op;
  LayerProgram &program;
};

} // namespace

static Requant requantTo(const TensorInfo &out, int64_t scale, int64_t shift) {
  Requant r;
  r.outType = out.dtype, r.zp = out.zp;
  auto [lo, hi] =
      out.quantized ? std::pair(out.lo, out.hi) : dtypeRange(out.storedType());
  r.lo = int32_t(lo), r.hi = int32_t(hi);
  r.scale = int32_t(scale), r.shift = int32_t(shift);
  return r;
}

FailureOr<kernels::ReduceShape> MomentProgram::reduced() const {
  ArrayRef<int64_t> shape = inputShape(op, 0);
  auto axes = axesKey(op, shape.size());
  if (failed(axes))
    return failure();
  if (shape.size() > kernels::kMaxRank)
    return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                      "more than " + Twine(kernels::kMaxRank) +
                          " axes are not supported yet");
  kernels::ReduceShape s;
  s.rank = shape.size();
  llvm::copy(shape, s.dims);
  for (int64_t axis : *axes)
    s.reducedMask |= 1u << axis;
  return s;
}

void MomentProgram::reduce(kernels::ReduceOp how,
                           const kernels::ReduceShape &shape,
                           const MomentValue &in, const MomentValue &out) {
  kernels::ReduceFloatParams p;
  p.shape = shape, p.op = how;
  p.inType = in.info.dtype, p.outType = out.info.dtype;
  KernelCall &call = program.call<kernels::ReduceFloat>(p);
  call["input"] = in.binding, call["output"] = out.binding;
}

LogicalResult MomentProgram::binary(BinaryOp how, const MomentValue &a,
                                    const MomentValue &b,
                                    const MomentValue &out) {
  auto shape = broadcastOf(op, a.info.shape, b.info.shape, out.info.shape);
  if (failed(shape))
    return failure();
  kernels::EltwiseFloatParams p;
  p.shape = *shape, p.op = how;
  p.typeA = a.info.dtype, p.typeB = b.info.dtype, p.outType = out.info.dtype;
  KernelCall &call = program.call<kernels::EltwiseFloat>(p);
  call["a"] = a.binding, call["b"] = b.binding, call["output"] = out.binding;
  return success();
}

LogicalResult MomentProgram::binaryInt(BinaryOp how, const MomentValue &a,
                                       const MomentValue &b,
                                       const MomentValue &out,
                                       ArrayRef<int64_t> scales,
                                       int64_t shift) {
  auto shape = broadcastOf(op, a.info.shape, b.info.shape, out.info.shape);
  if (failed(shape))
    return failure();
  kernels::EltwiseIntParams p;
  p.shape = *shape, p.op = how;
  p.typeA = a.info.dtype, p.typeB = b.info.dtype;
  p.zpA = a.info.zp, p.zpB = b.info.zp;
  p.scaleA = int32_t(scales[1]), p.scaleB = int32_t(scales[2]);
  p.requant = requantTo(out.info, scales[0], shift);
  KernelCall &call = program.call<kernels::EltwiseInt>(p);
  call["a"] = a.binding, call["b"] = b.binding, call["output"] = out.binding;
  return success();
}

void MomentProgram::requantize(const MomentValue &in, const MomentValue &out,
                               int64_t scale, int64_t shift) {
  kernels::ActivationIntParams p;
  p.count = uint32_t(in.info.numElements());
  p.inType = in.info.dtype, p.inZp = in.info.zp;
  p.requant = requantTo(out.info, scale, shift);
  KernelCall &call = program.call<kernels::ActivationInt>(p);
  call["input"] = in.binding, call["output"] = out.binding;
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

/// The one integer of a key; \p fallback without it.
static int64_t oneOf(Operation *op, IntsKey key, int64_t fallback) {
  auto list = intsKey(op, key);
  return list.empty() ? fallback : list[0];
}

LogicalResult MomentsOp::buildProgram(LayerProgram &program) {
  MomentProgram m(*this, program);
  auto arithmetic = arithmeticOf(*this);
  auto shape = m.reduced();
  if (failed(arithmetic) || failed(shape))
    return failure();
  if (*arithmetic == Arithmetic::Float) {
    m.reduce(kernels::ReduceOp::Mean, *shape, m.input(0), m.output(0));
    m.reduce(kernels::ReduceOp::Variance, *shape, m.input(0), m.output(1));
    return success();
  }
  TensorInfo in = m.input(0).info, mean = m.output(0).info;
  kernels::MomentsIntParams p;
  p.shape = *shape;
  p.inType = in.dtype;
  p.inScale = int32_t(oneOf(*this, keys::input_scale_value, 1));
  p.inShift = int32_t(oneOf(*this, keys::input_shift_value, 0));
  int64_t largest = int64_t(p.inScale) << in.bits();
  if (p.inShift < 0 || largest >> p.inShift > int64_t(1) << 20)
    return layerError(*this, diag::OpUnsupported, keys::input_shift_value,
                      "an input scale this large is not supported yet")
        .found(Twine(p.inScale) + " and " + Twine(p.inShift))
        .expected("values below 2^20 and a shift of 0 or more");
  p.meanType = mean.dtype;
  Requant range = requantTo(mean, 1, 0);
  p.meanLo = range.lo, p.meanHi = range.hi;
  p.isWide = in.bits() > 8;
  p.variance =
      requantTo(m.output(1).info, oneOf(*this, keys::var_scale_value, 1),
                oneOf(*this, keys::var_shift_value, 0));
  KernelCall &call = program.call<kernels::MomentsInt>(p);
  call["input"] = operand(0);
  call["mean"] = result(0), call["variance"] = result(1);
  return success();
}

//===----------------------------------------------------------------------===//
// NormalizedMoments
//===----------------------------------------------------------------------===//

/// The square of the mean from a table, the rest as Add and Sub do it.
static LogicalResult buildNormalizedInt(NormalizedMomentsOp op,
                                        MomentProgram &m) {
  auto mean = intsKey(op, keys::mean_scale_value),
       variance = intsKey(op, keys::var_scale_value);
  if (mean.size() != 3 || variance.size() != 3)
    return missingKey(op, mean.size() != 3 ? keys::mean_scale_value
                                           : keys::var_scale_value);
  auto table = op.getLut() ? viewConstant(*op.getLut()) : std::nullopt;
  if (!table)
    return missingKey(op, keys::lut);
  MomentValue sums = m.input(0);
  if (failed(m.binaryInt(BinaryOp::Add, sums, m.input(2), m.output(0), mean,
                         oneOf(op, keys::mean_shift_value, 0))))
    return failure();
  MomentValue squares = m.between("square", sums.info.shape, table->dtype);
  KernelCall &call = callLut(m.program, sums.info, constant(*op.getLut()));
  call["input"] = sums.binding, call["output"] = squares.binding;
  return m.binaryInt(BinaryOp::Sub, m.input(1), squares, m.output(1), variance,
                     oneOf(op, keys::var_shift_value, 0));
}

LogicalResult NormalizedMomentsOp::buildProgram(LayerProgram &program) {
  MomentProgram m(*this, program);
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  if (*arithmetic == Arithmetic::Integer)
    return buildNormalizedInt(*this, m);
  float counts = float(numberOf((*this)->getAttr(keys::counts)).value_or(1));
  std::vector<char> bytes(sizeof(counts));
  std::memcpy(bytes.data(), &counts, sizeof(counts));
  TensorInfo one;
  one.shape = {1};
  MomentValue divisor{constant({1}, DType::F32, bytes), one};
  MomentValue sums = m.input(0), squares = m.input(1);
  MomentValue mean = m.between("shifted_mean", sums.info.shape, DType::F32),
              square = m.between("square", sums.info.shape, DType::F32),
              meanSquare =
                  m.between("mean_square", squares.info.shape, DType::F32);
  return success(
      succeeded(m.binary(BinaryOp::Div, sums, divisor, mean)) &&
      succeeded(m.binary(BinaryOp::Add, mean, m.input(2), m.output(0))) &&
      succeeded(m.binary(BinaryOp::Mul, mean, mean, square)) &&
      succeeded(m.binary(BinaryOp::Div, squares, divisor, meanSquare)) &&
      succeeded(m.binary(BinaryOp::Sub, meanSquare, square, m.output(1))));
}

//===----------------------------------------------------------------------===//
// SufficientStatistics
//===----------------------------------------------------------------------===//

LogicalResult SufficientStatisticsOp::buildProgram(LayerProgram &program) {
  MomentProgram m(*this, program);
  auto arithmetic = arithmeticOf(*this);
  auto shape = m.reduced();
  if (failed(arithmetic) || failed(shape))
    return failure();
  MomentValue x = m.input(0), shift = m.input(1);
  bool isFloat = *arithmetic == Arithmetic::Float;
  DType type = isFloat ? DType::F32 : DType::I32;
  MomentValue difference = m.between("difference", x.info.shape, type);
  if (isFloat) {
    MomentValue square = m.between("square", x.info.shape, type);
    if (failed(m.binary(BinaryOp::Sub, x, shift, difference)) ||
        failed(m.binary(BinaryOp::Mul, difference, difference, square)))
      return failure();
    m.reduce(kernels::ReduceOp::Sum, *shape, difference, m.output(0));
    m.reduce(kernels::ReduceOp::Sum, *shape, square, m.output(1));
    return success();
  }
  auto scales = intsKey(*this, keys::scale_value),
       shifts = intsKey(*this, keys::shift_value);
  if (scales.size() != 4 || shifts.size() != 4)
    return missingKey(*this, scales.size() != 4 ? keys::scale_value
                                                : keys::shift_value);
  if (shifts[0] < 0 || shifts[1] < 0)
    return layerError(*this, diag::OpUnsupported, keys::shift_value,
                      "shifting sums to the left is not supported yet")
        .found(Twine(shifts[0]) + " and " + Twine(shifts[1]))
        .expected("0 or more");
  // Differences of 32 bits saturate: 16 bits with multipliers of 15 are far
  // from it.
  MomentValue scaledX = m.between("scaled_x", x.info.shape, DType::I32),
              scaledShift =
                  m.between("scaled_shift", shift.info.shape, DType::I32);
  m.requantize(x, scaledX, scales[2], shifts[2]);
  m.requantize(shift, scaledShift, scales[3], shifts[3]);
  if (failed(m.binaryInt(BinaryOp::Sub, scaledX, scaledShift, difference,
                         {1, 1, 1}, 0)))
    return failure();
  kernels::DifferenceSumsIntParams p;
  p.shape = *shape;
  p.sum = requantTo(m.output(0).info, scales[0], shifts[0]);
  p.squareSum = requantTo(m.output(1).info, scales[1], shifts[1]);
  KernelCall &call = program.call<kernels::DifferenceSumsInt>(p);
  call["input"] = difference.binding;
  call["sum"] = result(0), call["squareSum"] = result(1);
  return success();
}
