//===- CountProgram.cpp - Histograms and fractions of zeros ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/statistics/StatisticsOps.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/reduce/Count.h"
#include "kernels/reduce/Reduce.h"
#include "support/diagnostics/Operators.h"

#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

template <typename T>
static BufferBinding constantOf(DType type, ArrayRef<T> values) {
  const char *bytes = reinterpret_cast<const char *>(values.data());
  return constant({int64_t(values.size())}, type,
                  {bytes, bytes + values.size() * sizeof(T)});
}

//===----------------------------------------------------------------------===//
// Count
//===----------------------------------------------------------------------===//

/// Edges of bins between two numbers. Of half-open bins as the reference rounds
/// them; of discrete ones the last holds the greatest number, too.
static SmallVector<float> edgesOf(double min, double max, int64_t bins,
                                  bool isDiscrete) {
  SmallVector<float> edges;
  for (int64_t i = 0; i < bins; ++i)
    edges.push_back(float(min + double(i) * ((max - min) / double(bins))));
  edges.push_back(float(max));
  if (isDiscrete)
    edges.back() =
        std::nextafterf(edges.back(), std::numeric_limits<float>::infinity());
  return edges;
}

/// The least integers at or above the edges. An integer w lies in the discrete
/// bin floor((w - min) * bins / (max - min)), which is computed exactly.
static SmallVector<int64_t> wholeEdges(double min, double max, int64_t bins,
                                       bool isDiscrete) {
  SmallVector<int64_t> whole;
  constexpr double kFar = 4294967296.0; // beyond every int32
  auto above = [&](double edge) {
    return int64_t(std::ceil(std::clamp(edge, -kFar, kFar)));
  };
  if (!isDiscrete) {
    for (float edge : edgesOf(min, max, bins, false))
      whole.push_back(above(edge));
    return whole;
  }
  for (int64_t i = 0; i < bins; ++i) {
    int64_t edge = above(min + double(i) * (max - min) / double(bins));
    auto binOf = [&](int64_t w) {
      return (double(w) - min) * double(bins) / (max - min);
    };
    // The division above may have rounded to the other side of an integer.
    while (binOf(edge - 1) >= double(i) && double(edge - 1) >= min && max > min)
      --edge;
    while (binOf(edge) < double(i))
      ++edge;
    whole.push_back(edge);
  }
  whole.push_back(above(std::floor(max)) + 1);
  return whole;
}

LogicalResult CountOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto min = numberOf(getOperation()->getAttr(keys::min)),
       max = numberOf(getOperation()->getAttr(keys::max));
  if (!min || !max || !getNbins())
    return missingKey(*this, !min   ? KeyName(keys::min)
                             : !max ? KeyName(keys::max)
                                    : KeyName(keys::nbins));
  bool isDiscrete = getDiscrete();
  kernels::CountParams p;
  p.outer = uint32_t(in.shape[0]);
  p.inner = uint32_t(in.numElements() / in.shape[0]);
  p.bins = uint32_t(*getNbins());
  p.inType = in.dtype, p.outType = out.dtype;
  if (in.isFloat()) {
    KernelCall &call = program.call<kernels::CountFloat>(p).bindInOut();
    call["edges"] =
        constantOf<float>(DType::F32, edgesOf(*min, *max, p.bins, isDiscrete));
    return success();
  }
  KernelCall &call = program.call<kernels::CountInt>(p).bindInOut();
  call["edges"] = constantOf<int64_t>(
      DType::I64, wholeEdges(*min, *max, p.bins, isDiscrete));
  return success();
}

//===----------------------------------------------------------------------===//
// ZeroFraction
//===----------------------------------------------------------------------===//

static kernels::BroadcastShape withOneValue(int64_t count) {
  return {.rank = 1, .dims = {uint32_t(count)}, .strideA = {1}, .strideB = {0}};
}

/// All elements of a tensor, which is one axis then, in one sum.
static kernels::ReduceShape allOf(const TensorInfo &in) {
  return {.rank = 1, .dims = {uint32_t(in.numElements())}, .reducedMask = 1};
}

static TensorInfo tensorOf(DType type, ArrayRef<int64_t> shape) {
  TensorInfo info;
  info.setType(type);
  info.shape.assign(shape.begin(), shape.end());
  return info;
}

/// Which values are zeros, as 1 and 0.
static BufferBinding zerosOf(Operation *op, LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0));
  BufferBinding zeros = program.intermediate(
      "zeros", tensorOf(in.isFloat() ? DType::F32 : DType::U8, in.shape));
  if (in.isFloat()) {
    kernels::EltwiseFloatParams p;
    p.shape = withOneValue(in.numElements());
    p.op = kernels::BinaryOp::Equal;
    p.typeA = in.dtype;
    program.call<kernels::EltwiseFloat>(p)["b"] =
        constantOf<float>(DType::F32, 0.0f);
  } else {
    kernels::EltwiseIntParams p;
    p.shape = withOneValue(in.numElements());
    p.op = kernels::BinaryOp::Equal;
    p.isStored = 1;
    p.typeA = in.dtype, p.typeB = DType::I32;
    p.requant.outType = DType::U8;
    program.call<kernels::EltwiseInt>(p)["b"] =
        constantOf<int32_t>(DType::I32, -in.zp);
  }
  program.last()["a"] = operand(0), program.last()["output"] = zeros;
  return zeros;
}

/// One step of a fraction in 64 bits: what \p value becomes with a constant.
static void withConstant(kernels::BinaryOp binary, const BufferBinding &value,
                         int64_t number, const BufferBinding &output,
                         DType typeIn, DType typeOut, LayerProgram &program) {
  kernels::EltwiseIntParams p;
  p.shape = withOneValue(1);
  p.op = binary;
  p.isStored = 1;
  p.typeA = typeIn, p.typeB = DType::I64;
  p.requant.outType = typeOut;
  KernelCall &call = program.call<kernels::EltwiseInt>(p);
  call["a"] = value, call["output"] = output;
  call["b"] = constantOf<int64_t>(DType::I64, number);
}

/// floor((zeros * one + n / 2) / n) - zp, where `one` stands for the fraction 1
/// (docs/operators/statistics.md, ZeroFraction).
static LogicalResult buildIntegerFraction(ZeroFractionOp op,
                                          LayerProgram &program) {
  using kernels::BinaryOp;
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  auto one = numberOf(op->getAttr(keys::output_scale));
  if (!one)
    return missingKey(op, keys::output_scale);
  auto [least, most] = dtypeRange(out.storedType());
  if (!(*one >= 0 && *one - out.zp <= double(most) && -out.zp >= least))
    return layerError(op, diag::OpIntegerParameters, keys::output_scale,
                      "the fractions 0 to 1 do not fit the result's type")
        .found(Twine(std::to_string(*one)))
        .expected("0 to " + Twine(most + out.zp));
  BufferBinding zeros = zerosOf(op, program);
  BufferBinding count =
      program.intermediate("count", tensorOf(DType::I32, {1}));
  kernels::ReduceIntParams sum;
  sum.shape = allOf(in);
  sum.inType = DType::U8;
  sum.requant.outType = DType::I32;
  sum.requant.lo = INT32_MIN, sum.requant.hi = INT32_MAX;
  KernelCall &call = program.call<kernels::ReduceInt>(sum);
  call["input"] = zeros, call["output"] = count;
  BufferBinding scaled =
      program.intermediate("scaled", tensorOf(DType::I64, {1}));
  BufferBinding rounded =
      program.intermediate("rounded", tensorOf(DType::I64, {1}));
  int64_t n = in.numElements();
  withConstant(BinaryOp::Mul, count, int64_t(*one), scaled, DType::I32,
               DType::I64, program);
  withConstant(BinaryOp::Add, scaled, n / 2 - n * out.zp, rounded, DType::I64,
               DType::I64, program);
  withConstant(BinaryOp::FloorQuotient, rounded, n, result(0), DType::I64,
               out.dtype, program);
  return success();
}

LogicalResult ZeroFractionOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (in.isFloat() != out.isFloat())
    return layerError(*this, diag::OpElementType, "layer_bottom_type",
                      "the layer mixes integer and float tensors")
        .hint("put a Quantize or DeQuantize layer between them");
  if (in.isInteger())
    return buildIntegerFraction(*this, program);
  kernels::ReduceFloatParams p;
  p.shape = allOf(in);
  p.op = kernels::ReduceOp::Mean;
  p.outType = out.dtype;
  BufferBinding zeros = zerosOf(*this, program);
  KernelCall &call = program.call<kernels::ReduceFloat>(p);
  call["input"] = zeros, call["output"] = result(0);
  return success();
}
