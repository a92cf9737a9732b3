//===- ColourPrograms.cpp - RgbToYuv and YuvToRgb as kernels --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/image/ImagePrograms.h"
#include "kernels/image/Colours.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Fractional bits of real coefficients.
constexpr int32_t kRealShift = 20;

/// Matrix and bias of coefficients, which are in the order input offsets,
/// output offsets, matrix.
LogicalResult setMatrix(Operation *op, kernels::ColourParams &p) {
  auto c = numbersWithin(op, "coefficient", -double(1 << 20), 1 << 20,
                         /*isWhole=*/false);
  if (failed(c))
    return failure();
  int64_t shift = intKey(op, keys::coefficient_shift);
  bool isReal = llvm::any_of(*c, [](double v) { return v != std::floor(v); }) ||
                shift == 0;
  double unit = isReal ? double(1 << kRealShift) : 1;
  p.shift = int32_t(shift) + (isReal ? kRealShift : 0);
  auto overflow = [&]() -> LogicalResult {
    return layerError(op, diag::OpUnsupported, keys::coefficient,
                      "coefficients of more than 32 bits are not supported "
                      "yet")
        .expected("numbers whose multiples of 2^-20, or whose sums with the "
                  "offsets, fit 32 bits");
  };
  auto fits = [](double v) { return std::fabs(v) < 2147483647.0; };
  for (int i = 0; i < 9; ++i) {
    double m = std::nearbyint((*c)[6 + i] * unit);
    if (!fits(m))
      return overflow();
    p.matrix[i] = int32_t(m);
  }
  for (int i = 0; i < 3; ++i) {
    double bias = std::ldexp((*c)[3 + i], p.shift);
    for (int k = 0; k < 3; ++k)
      bias -= p.matrix[3 * i + k] * (*c)[k];
    // Real coefficients have no rounding constant.
    if (shift > 0)
      bias += std::ldexp(unit, int(shift) - 1);
    if (p.shift > 31 || !fits(bias))
      return overflow();
    p.bias[i] = int32_t(std::nearbyint(bias));
  }
  return success();
}

/// Rounds down instead of half to even, with one bit more.
LogicalResult roundDown(Operation *op, kernels::ColourParams &p) {
  constexpr int32_t kMost = 1 << 29;
  auto isWide = [](int32_t v) { return v < -kMost || v > kMost; };
  if (p.shift == 0)
    return success();
  if (p.shift > 28 || llvm::any_of(p.matrix, isWide) ||
      llvm::any_of(p.bias, isWide))
    return layerError(op, diag::OpUnsupported, keys::coefficient,
                      "coefficients of more than 30 bits are not supported "
                      "yet");
  for (int32_t &m : p.matrix)
    m *= 2;
  for (int32_t &b : p.bias)
    b = 2 * b + 1 - (1 << p.shift);
  ++p.shift;
  return success();
}

/// Where the chroma of a frame of so many pixels stands.
void setPlanes(Operation *op, uint32_t pixels, kernels::ColourParams &p) {
  std::string format = wordKey(op, keys::format, "I420");
  bool isMixed = format == "NV12" || format == "NV21",
       isVFirst = format == "YV12" || format == "NV21";
  uint32_t second = pixels + (isMixed ? 1 : pixels / 4);
  p.firstU = isVFirst ? second : pixels;
  p.firstV = isVFirst ? pixels : second;
  p.chromaStep = isMixed ? 2 : 1;
}

FailureOr<kernels::ColourParams>
colourParams(Operation *op, ArrayRef<int64_t> image, const TensorInfo &yuv) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  int64_t bits = intKey(op, keys::bits);
  if (bits != 8 && bits != 10)
    return layerError(op, diag::OpBadAttribute, keys::bits,
                      "YUV samples cannot have this many bits")
        .found(Twine(bits))
        .expected("8 or 10");
  if (!in.isInteger() || !out.isInteger())
    return layerError(op, diag::OpUnsupported, "layer_top_type",
                      "colours in floats are not supported yet")
        .found(dtypeName(in.storedType()) + " to " +
               dtypeName(out.storedType()))
        .expected("integers");
  if (yuv.bits() < bits)
    return layerError(op, diag::OpElementType, keys::bits,
                      "the elements of YUV cannot hold this many bits")
        .found(dtypeName(yuv.storedType()))
        .expected(Twine(bits) + " bits");
  kernels::ColourParams p;
  p.batch = uint32_t(image[0]);
  p.height = uint32_t(image[1]), p.width = uint32_t(image[2]);
  p.inType = in.dtype, p.outType = out.dtype;
  p.inZp = in.zp, p.outZp = out.zp;
  // An image of bytes holds 8 bits of 10.
  p.most = bits == 10 && out.bits() > 8 ? 1023 : 255;
  auto [lo, hi] = dtypeRange(out.storedType());
  if (-int64_t(p.outZp) < lo || p.most - int64_t(p.outZp) > hi)
    return layerError(op, diag::OpElementType, "layer_top_type",
                      "the result's values do not fit its type and zero point")
        .found(dtypeName(out.storedType()) + " with the zero point " +
               Twine(out.zp))
        .expected("0 to " + Twine(p.most));
  setPlanes(op, p.height * p.width, p);
  if (failed(setMatrix(op, p)))
    return failure();
  return p;
}

} // namespace

LogicalResult RgbToYuvOp::buildProgram(LayerProgram &program) {
  auto p = colourParams(*this, inputShape(*this, 0), describe(getResult(0)));
  if (failed(p))
    return failure();
  // Integer coefficients of float IR are the definition's.
  bool isDefinition = !describe(getResult(0)).isQuantized() &&
                      intKey(*this, keys::coefficient_shift) > 0;
  if (isDefinition && failed(roundDown(*this, *p)))
    return failure();
  program.call<kernels::RgbToYuv>(*p).bindInOut();
  return success();
}

LogicalResult YuvToRgbOp::buildProgram(LayerProgram &program) {
  auto p =
      colourParams(*this, declaredShape(*this, 0), describe(getOperand(0)));
  if (failed(p))
    return failure();
  program.call<kernels::YuvToRgb>(*p).bindInOut();
  return success();
}
