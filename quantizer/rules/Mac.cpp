//===- Mac.cpp - Convolutions and fully connected layers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Keys.h"
#include "quantizer/rules/FusedActivation.h"
#include "quantizer/rules/Linear.h"
#include "quantizer/rules/Rules.h"
#include "quantizer/rules/Winograd.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// A product of plain integers keeps its keys, zero points included, and gives
/// sums of 32 bits. (The reference moves the input's zero point into the type
/// of its producer, whoever else reads that.)
bool quantizeIntegerProduct(LayerContext &layer) {
  LinearParams out;
  out.bits = 32;
  out.qmin = integerMin(32, true);
  out.qmax = integerMax(32, true);
  layer.setOutput(0, out, /*isInvariant=*/true);
  return true;
}

/// \p linear says what the weights are.
static bool quantizeWithActivation(LayerContext &layer, LinearLayer linear) {
  std::string activation = layer.word(keys::with_activation, "NONE");
  linear.input = layer.input(0);
  linear.output = layer.outputParams(activationIsSigned(layer, activation));
  linear.weightBits = layer.options.weightBits;
  bool inWinogradForm = layer.options.winograd != WinogradTransform::None &&
                        isWinogradCandidate(layer.op);
  linear.takesWideBias = !inWinogradForm;
  bool ok = inWinogradForm ? quantizeWinograd(layer, linear)
                           : quantizeLinear(layer, linear);
  if (!ok || !quantizeActivationKeys(layer, activation, linear.output))
    return false;
  layer.setOutput(0, linear.output);
  return true;
}

static unsigned groupsOf(const LayerContext &layer) {
  auto group = layer.op->getAttrOfType<mlir::IntegerAttr>(keys::group);
  return group ? unsigned(group.getInt()) : 1;
}

bool quantizeMac(LayerContext &layer) {
  LinearLayer linear;
  linear.groups = groupsOf(layer);
  return quantizeWithActivation(layer, linear);
}

bool quantizeTransposed(LayerContext &layer) {
  LinearLayer linear;
  linear.groups = linear.filterUses = groupsOf(layer);
  return quantizeWithActivation(layer, linear);
}

bool quantizeDepthwise(LayerContext &layer) {
  int64_t channels = layer.shapeOf(layer.op->getOperand(0)).back();
  int64_t outputs = layer.shapeOf(layer.op->getResult(0)).back();
  // A float IR may leave them out; the reference's reader of integer IRs asks
  // for them.
  mlir::Builder builder(layer.op->getContext());
  layer.op->setAttr(keys::group, builder.getI64IntegerAttr(channels));
  layer.op->setAttr(keys::multiplier,
                    builder.getI64IntegerAttr(outputs / channels));
  LinearLayer linear;
  // Each filter has a scale of its own, whatever the method says.
  linear.groups = unsigned(outputs);
  linear.alwaysTensors = true;
  return quantizeWithActivation(layer, linear);
}

/// Bits of the larger of the multipliers that bring A*B and C to one scale. The
/// reference has 8, of which the smaller may get none, and has the multipliers
/// inverted (docs/operators/conv.md, Gemm). Those of 8-bit operands fit 16
/// bits, by which the sum can follow a product of the tensor engine; of 16-bit
/// operands the product alone takes more than the engine has, and the smaller
/// multiplier gets 12 bits.
static int32_t multiplierBitsOf(const LayerContext &layer, float product,
                                float addend) {
  constexpr int32_t kNarrow = 15, kWide = 30, kLeast = 12;
  float smaller = std::min(product, addend);
  if (layer.input(0).bits <= 8 && layer.input(1).bits <= 8)
    return kNarrow;
  if (smaller <= 0)
    return kNarrow;
  int apart = int(std::ceil(std::log2(std::max(product, addend) / smaller)));
  return std::clamp(apart + kLeast, kNarrow, kWide);
}

/// Multipliers of A*B and C that bring both to the finer one's scale.
bool quantizeGemm(LayerContext &layer) {
  LinearParams a = layer.input(0), b = layer.input(1);
  auto alpha = float(layer.number(keys::alpha).value_or(1)),
       beta = float(layer.number(keys::beta).value_or(1));
  bool hasC = layer.numInputs() > 2;
  bool isSigned = a.isSigned || b.isSigned || alpha < 0;
  unsigned bits = layer.options.multiplierWidth();
  float product = std::fabs(alpha) / (a.scale * b.scale);
  if (!hasC) {
    LinearParams out = layer.outputParams(isSigned);
    layer.setRequant(layer.approximate(product * out.scale, bits), bits);
    layer.setOutput(0, out);
    return true;
  }
  LinearParams c = layer.input(2);
  LinearParams out = layer.outputParams(isSigned || c.isSigned || beta < 0);
  float addend = std::fabs(beta) / c.scale, larger = std::max(product, addend);
  if (larger == 0)
    larger = 1;
  int32_t partBits = multiplierBitsOf(layer, product, addend);
  auto multiplierOf = [&](float part) {
    return std::llround(std::ldexp(double(part / larger), partBits));
  };
  ScaleApproximation r = layer.approximate(larger * out.scale, bits);
  layer.checkMultiplier(r);
  layer.setInts(keys::scale_value,
                {r.multiplier, multiplierOf(product), multiplierOf(addend)});
  layer.setInts(keys::shift_value, {r.shift + partBits});
  // The reference names these types whatever the values are.
  layer.setExtra("scale_type",
                 "[" + std::string(multiplierType(bits)) + ",uint16,uint16]");
  layer.setExtra("shift_type", "int8");
  layer.setOutput(0, out);
  return true;
}

bool quantizeMatMul(LayerContext &layer) {
  LinearParams a = layer.input(0), b = layer.input(1);
  LinearParams out = layer.outputParams(a.isSigned || b.isSigned);
  float ratio = out.scale / (a.scale * b.scale);
  if (auto multiplier = layer.number(keys::fused_multiplier)) {
    if (!(*multiplier > 0))
      return layer.unsupported("fused_multiplier must be positive", "",
                               "fused_multiplier");
    ratio *= float(*multiplier);
    layer.remove(keys::fused_multiplier);
  }
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequant(layer.approximate(ratio, bits), bits);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
