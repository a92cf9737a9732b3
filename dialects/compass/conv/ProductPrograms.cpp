//===- ProductPrograms.cpp - Kernels of products of two activations -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/conv/Gemm.h"
#include "support/diagnostics/Operators.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// The product over the last two axes, whose others broadcast.
static FailureOr<kernels::MatMulShape>
productShape(Operation *op, bool transA = false, bool transB = false) {
  TensorInfo a = describe(op->getOperand(0)), b = describe(op->getOperand(1)),
             out = describe(op->getResult(0));
  if (out.shape.size() > 8)
    return layerError(op, diag::OpUnsupported, "layer_top_shape",
                      "products of more than 8 axes are not supported yet");
  kernels::MatMulShape s;
  s.m = out.shape[out.shape.size() - 2];
  s.n = out.shape.back();
  s.k = a.shape[a.shape.size() - (transA ? 2 : 1)];
  s.transA = transA, s.transB = transB;
  s.batchRank = out.shape.size() - 2;
  auto strides = [&](const TensorInfo &t, uint32_t *dest) {
    int64_t step = t.shape[t.shape.size() - 1] * t.shape[t.shape.size() - 2];
    for (int i = int(s.batchRank) - 1, j = int(t.shape.size()) - 3; i >= 0;
         --i, --j) {
      int64_t dim = j >= 0 ? t.shape[j] : 1;
      dest[i] = dim == 1 ? 0 : step;
      if (dim != 1 && dim != out.shape[i])
        return false; // integer multiples do not occur for products
      step *= dim;
    }
    return true;
  };
  for (uint32_t i = 0; i < s.batchRank; ++i)
    s.batchDims[i] = out.shape[i];
  if (!strides(a, s.batchStrideA) || !strides(b, s.batchStrideB))
    return layerError(
        op, diag::OpUnsupported, "layer_bottom_shape",
        "batch dimensions that repeat by a multiple are not supported yet");
  return s;
}

LogicalResult MatMulOp::buildProgram(LayerProgram &program) {
  TensorInfo a = describe(getOperand(0)), b = describe(getOperand(1)),
             out = describe(getResult(0));
  auto shape = productShape(*this, getTransA(), getTransB());
  if (failed(shape))
    return failure();
  if (isIntegerLayer(*this)) {
    kernels::MatMulIntParams p;
    p.shape = *shape;
    p.typeA = a.dtype, p.typeB = b.dtype, p.zpA = a.zp, p.zpB = b.zp;
    uint64_t mostSum = shape->k * mostMagnitude(a) * mostMagnitude(b);
    if (failed(buildRequant(*this, out, p.requant)) ||
        failed(checkSums(*this, p.requant, mostSum)))
      return failure();
    if (getRemainShift() && (a.bits() > 8 || b.bits() > 8))
      return layerError(*this, diag::OpUnsupported, keys::remain_shift,
                        "remain_shift is not supported yet");
    program.call<kernels::MatMulInt>(p);
  } else {
    kernels::MatMulFloatParams p;
    p.shape = *shape;
    p.typeA = a.dtype, p.typeB = b.dtype, p.outType = out.dtype;
    if (getFusedMultiplier() && *getFusedMultiplier() != APFloat(1.0))
      return layerError(*this, diag::OpUnsupported, keys::fused_multiplier,
                        "fused_multiplier is not supported yet in float IR");
    program.call<kernels::MatMulFloat>(p);
  }
  program.last().bindBinary();
  return success();
}

//===----------------------------------------------------------------------===//
// MatMulInteger
//===----------------------------------------------------------------------===//

/// Sums of plain integers: in int32, not requantized.
static kernels::Requant plainSums() {
  kernels::Requant r;
  r.outType = DType::I32;
  r.lo = INT32_MIN, r.hi = INT32_MAX;
  return r;
}

LogicalResult MatMulIntegerOp::buildProgram(LayerProgram &program) {
  TensorInfo a = describe(getOperand(0)), b = describe(getOperand(1)),
             out = describe(getResult(0));
  auto shape = productShape(*this);
  if (failed(shape))
    return failure();
  if (out.dtype != DType::I32)
    return layerError(*this, diag::OpElementType, "layer_top_type",
                      "the type of the sums is not int32")
        .found(dtypeName(out.storedType()))
        .expected("int32");
  kernels::MatMulIntParams p;
  p.shape = *shape;
  p.typeA = a.dtype, p.typeB = b.dtype;
  for (auto [key, zp] :
       {std::pair<IntKey, int32_t *>(keys::a_zero_point, &p.zpA),
        {keys::b_zero_point, &p.zpB}}) {
    int64_t value = intKey(*this, key);
    if (std::abs(value) > 65535)
      return layerError(*this, diag::OpIntegerParameters, key,
                        Twine("the key ") + key + " is out of range")
          .found(Twine(value))
          .expected("-65535 to 65535");
    *zp = int32_t(-value);
  }
  p.requant = plainSums();
  program.call<kernels::MatMulInt>(p).bindBinary();
  return success();
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

static kernels::GemmAddend addendOf(const TensorInfo &c) {
  size_t rank = c.shape.size();
  return {c.dtype, uint32_t(rank > 1 ? c.shape[rank - 2] : 1),
          uint32_t(rank > 0 ? c.shape.back() : 1)};
}

/// The largest magnitude of x + zp.
static double largestOf(const TensorInfo &t) {
  auto [lo, hi] = dtypeRange(t.storedType());
  return double(std::max(std::abs(lo + t.zp), std::abs(hi + t.zp)));
}

namespace {

/// Integers (docs/operators/conv.md, Gemm). Sums that fit int32 go through the
/// MatMul kernel, which the tensor engine has, and one more does the rest;
/// others are computed as a whole in 64 bits.
class IntGemm {
public:
  IntGemm(Operation *op, LayerProgram &program)
      : op(op), program(program), a(describe(op->getOperand(0))),
        b(describe(op->getOperand(1))), out(describe(op->getResult(0))) {}

  LogicalResult build(kernels::MatMulIntParams p, double alpha, double beta) {
    p.typeA = a.dtype, p.typeB = b.dtype, p.zpA = a.zp, p.zpB = b.zp;
    if (failed(buildRequant(op, out, p.requant)))
      return failure();
    if (op->getNumOperands() > 2)
      return addC(p, alpha, beta);
    KernelCall &product = program.call<kernels::MatMulInt>(p).bindBinary();
    if (alpha < 0)
      product["output"] = negate(p.requant);
    return success();
  }

private:
  LogicalResult addC(const kernels::MatMulIntParams &p, double alpha,
                     double beta);
  void addNarrow(kernels::MatMulIntParams p, const kernels::GemmIntParams &g,
                 const kernels::BroadcastShape &shape);
  BufferBinding negate(const kernels::Requant &requant);

  Operation *op;
  LayerProgram &program;
  TensorInfo a, b, out;
};

} // namespace

/// The sign comes last, after zero point and clip.
BufferBinding IntGemm::negate(const kernels::Requant &requant) {
  BufferBinding positive = program.intermediate("positive", out);
  kernels::ActivationIntParams n;
  n.count = out.numElements();
  n.inType = out.dtype;
  n.op = kernels::UnaryIntOp::Negative;
  n.requant.outType = out.dtype;
  n.requant.lo = requant.lo, n.requant.hi = requant.hi;
  KernelCall &call = program.call<kernels::ActivationInt>(n);
  call["input"] = positive;
  call["output"] = result(0);
  return positive;
}

void IntGemm::addNarrow(kernels::MatMulIntParams p,
                        const kernels::GemmIntParams &g,
                        const kernels::BroadcastShape &shape) {
  kernels::EltwiseIntParams sum;
  sum.shape = shape;
  sum.typeA = DType::I32, sum.typeB = g.c.type;
  sum.zpB = g.zpC;
  sum.scaleA = g.scaleProduct, sum.scaleB = g.scaleC;
  sum.requant = p.requant;
  p.requant = plainSums();
  TensorInfo info;
  info.setType(DType::I32);
  info.shape = out.shape;
  BufferBinding product = program.intermediate("product", info);
  program.call<kernels::MatMulInt>(p).bindBinary()["output"] = product;
  KernelCall &call = program.call<kernels::EltwiseInt>(sum);
  call["a"] = product;
  call["b"] = operand(2);
  call["output"] = result(0);
}

LogicalResult IntGemm::addC(const kernels::MatMulIntParams &p, double alpha,
                            double beta) {
  TensorInfo c = describe(op->getOperand(2));
  SmallVector<int64_t> scales = intsKey(op, keys::scale_value);
  if (scales.size() != 3)
    return missingKey(op, keys::scale_value);
  for (int64_t scale : scales)
    if (scale < 0 || scale > INT32_MAX)
      return layerError(op, diag::OpIntegerParameters, keys::scale_value,
                        "a multiplier is out of range")
          .found(Twine(scale))
          .expected("0 to 2147483647, of the result 0 to 65535");
  kernels::GemmIntParams g;
  g.product = p;
  g.c = addendOf(c);
  g.zpC = c.zp;
  g.scaleProduct = int32_t(alpha < 0 ? -scales[1] : scales[1]);
  g.scaleC = int32_t(beta < 0 ? -scales[2] : scales[2]);
  auto shape = broadcastOf(op, out.shape, c.shape, out.shape);
  if (failed(shape))
    return failure();
  double product = largestOf(a) * largestOf(b) * double(p.shape.k);
  // What EltwiseIntParams states.
  if (product <= double(INT32_MAX) &&
      product * double(scales[1]) < std::ldexp(1, 46) && scales[2] <= 65535) {
    addNarrow(p, g, *shape);
    return success();
  }
  // A sum that is saturated at 2^62 must saturate the result, too.
  double least = std::ldexp(double(p.requant.scale), 62 - p.requant.shift);
  if (product * double(scales[1]) >= std::ldexp(1, 62) &&
      least < std::ldexp(1, 32))
    return layerError(
               op, diag::OpUnsupported, keys::shift_value,
               "sums of more than 62 bits with this shift cannot be executed")
        .found(Twine(p.requant.shift));
  KernelCall &call = program.call<kernels::GemmInt>(g).bindBinary();
  call["c"] = operand(2);
  return success();
}

LogicalResult GemmOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  auto shape = productShape(*this, getTransA(), getTransB());
  if (failed(arithmetic) || failed(shape))
    return failure();
  double alpha = getAlpha().convertToDouble(),
         beta = getBeta().convertToDouble();
  if (*arithmetic == Arithmetic::Integer) {
    kernels::MatMulIntParams p;
    p.shape = *shape;
    return IntGemm(*this, program).build(p, alpha, beta);
  }
  kernels::GemmFloatParams p;
  p.product.shape = *shape;
  p.product.typeA = describe(getOperand(0)).dtype;
  p.product.typeB = describe(getOperand(1)).dtype;
  p.product.outType = describe(getResult(0)).dtype;
  p.alpha = float(alpha), p.beta = float(beta);
  bool hasC = getNumOperands() > 2;
  if (hasC)
    p.c = addendOf(describe(getOperand(2)));
  KernelCall &call = program.call<kernels::GemmFloat>(p).bindBinary();
  if (hasC)
    call["c"] = operand(2);
  return success();
}
