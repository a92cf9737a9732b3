//===- BiasAddProgram.cpp - Sums with one value per channel ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {
/// The biases, repeated so that a run of elements that one loop adds them to is
/// long where channels are few: x as rows of `shape`.
struct RepeatedBias {
  kernels::BroadcastShape shape;
  BufferBinding binding;
};
} // namespace

static RepeatedBias repeat(const TensorInfo &in, ElementsAttr attr,
                           const ConstantView &bias) {
  constexpr int64_t kRun = 128; // elements: what kernels load at once
  int64_t channels = bias.numElements();
  int64_t rows = in.numElements() / channels, times = 1;
  for (int64_t n = 2; n * channels <= kRun; ++n)
    times = rows % n == 0 ? n : times;
  RepeatedBias repeated;
  repeated.shape = {
      .rank = 2,
      .dims = {uint32_t(rows / times), uint32_t(channels * times)},
      .strideA = {int32_t(channels * times), 1},
      .strideB = {0, 1}};
  if (times == 1) {
    repeated.binding = constant(attr);
    return repeated;
  }
  std::vector<char> bytes;
  for (int64_t i = 0; i < times; ++i)
    bytes.insert(bytes.end(), bias.bytes.begin(), bias.bytes.end());
  repeated.binding = constant({channels * times}, bias.dtype, std::move(bytes));
  return repeated;
}

/// An addition of a constant. The bias of integers holds the zero point of x
/// (docs/operators/eltwise.md, BiasAdd).
LogicalResult BiasAddOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  ElementsAttr biasKey = tensorKey(*this, keys::biases);
  auto bias = biasKey ? viewConstant(biasKey) : std::nullopt;
  if (!bias)
    return missingKey(*this, keys::biases);
  if (dtypeIsFloat(bias->dtype) != in.isFloat())
    return layerError(*this, diag::OpElementType, "biases_type",
                      "biases and input are not both floats or both integers")
        .found(dtypeName(bias->storedType()))
        .expected(in.isFloat() ? "a float type" : "int32");
  RepeatedBias repeated = repeat(in, biasKey, *bias);
  if (*arithmetic == Arithmetic::Float) {
    kernels::EltwiseFloatParams p;
    p.shape = repeated.shape;
    p.typeA = in.dtype, p.typeB = bias->dtype, p.outType = out.dtype;
    program.call<kernels::EltwiseFloat>(p);
  } else {
    kernels::EltwiseIntParams p;
    p.shape = repeated.shape;
    p.typeA = in.dtype, p.typeB = bias->dtype;
    if (failed(buildRequant(*this, out, p.requant)))
      return failure();
    if (p.requant.perChannel)
      return layerError(*this, diag::OpUnsupported, "scale_shape",
                        "scale per channel is not supported yet");
    program.call<kernels::EltwiseInt>(p);
  }
  KernelCall &call = program.last();
  call["a"] = operand(0), call["b"] = repeated.binding;
  call["output"] = result(0);
  return success();
}
