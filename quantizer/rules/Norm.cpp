//===- Norm.cpp - BatchNorm and LayerNorm ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Records.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/FusedActivation.h"
#include "quantizer/rules/Linear.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// The bias at the scale of x, with its zero point, as the packs that were
/// corrected by hand have it (spec: integer semantics 4.20).
static bool quantizeBiasAdd(LayerContext &layer) {
  LinearParams in = layer.input(0), out = layer.outputParams(/*isSigned=*/true);
  auto biases = layer.floats("biases");
  if (!biases)
    return layer.unsupported("BiasAdd needs constant biases");
  std::vector<int64_t> quantized;
  for (float bias : biases->values)
    quantized.push_back(quantizeValue(
        bias, in.scale, -in.zp, integerMin(32, true), integerMax(32, true)));
  layer.setTensor("biases", biases->shape, DType::I32, quantized);
  layer.setExtra("biases_scale", floatText(in.scale));
  layer.setExtra("biases_zp", "0");
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequant(layer.approximate(out.scale / in.scale, bits), bits);
  layer.setOutput(0, out);
  return true;
}

bool quantizeBatchNorm(LayerContext &layer) {
  if (recordOf(layer.op)->layerType == "BiasAdd")
    return quantizeBiasAdd(layer);
  std::string activation = layer.word("with_activation", "NONE");
  LinearLayer linear;
  linear.input = layer.input(0);
  linear.output = layer.outputParams(activationIsSigned(layer, activation));
  linear.weightBits = 16; // one product per output: 8 bits would show
  if (!quantizeLinear(layer, linear) ||
      !quantizeActivationKeys(layer, activation, linear.output))
    return false;
  layer.setOutput(0, linear.output);
  return true;
}

/// The normalised value's scale and the keys that produce it (spec: integer
/// semantics 4.8). n values of variance 1 lie within +-sqrt(n).
static LinearParams setNormalization(LayerContext &layer, int64_t n) {
  const LayerOptions &o = layer.options;
  double bound = std::sqrt(double(n));
  int halvings = 0; // of the bound, where 8 bits would leave no fraction
  if (o.activationBits <= 8 && bound > 127)
    halvings = int(std::ceil(std::log2(127.5 / bound / 4)));
  bound *= std::exp2(halvings);
  LinearParams normalized =
      linearParams(float(-bound), float(bound), o.activationMethod.mode,
                   o.activationBits, /*isSigned=*/true);
  if (o.activationBits <= 8) {
    // The sum of squares of n 8-bit differences, shifted to 31 bits with 6 bits
    // to spare; even, as its root is shifted by half. Sums of 4 and fewer have
    // the room anyway: there is no shift to the left.
    int varShift = int(std::ceil(std::log2(double(n)))) + 30 - 31 - (6 >> 1);
    varShift = std::max(0, varShift + (varShift & 1));
    layer.setInt("var_shift_value", varShift);
    layer.setInt("norm_scale_value", 1);
    layer.setInt("norm_shift_value", (varShift >> 1) + halvings);
    layer.setExtra("norm_scale_type", "uint8");
    layer.setExtra("norm_shift_type", "uint8");
  } else {
    ScaleApproximation r =
        layer.approximate(normalized.scale / 127, o.activationBits);
    layer.setInt("var_shift_value", 0);
    layer.setInt("norm_scale_value", r.multiplier);
    layer.setInt("norm_shift_value", r.shift);
    layer.setExtra("norm_scale_type", multiplierType(o.activationBits));
    layer.setExtra("norm_shift_type", "int8");
  }
  layer.setExtra("var_shift_type", "uint8");
  return normalized;
}

bool quantizeLayerNorm(LayerContext &layer) {
  auto shape = layer.shapeOf(layer.op->getOperand(0));
  int64_t n = 1;
  for (int64_t axis : layer.ints("axis"))
    n *= shape[std::size_t(axis < 0 ? axis + int64_t(shape.size()) : axis)];
  LinearLayer linear;
  linear.input = setNormalization(layer, n);
  linear.output = layer.outputParams(/*isSigned=*/true);
  linear.weightBits = layer.options.weightBits;
  linear.unifyShifts = false;
  linear.absorbInputZp = false;
  // The affine weights may span several axes: one channel per weight.
  auto weights = layer.floats("weights");
  auto biases = layer.floats("biases");
  if (!weights || !biases)
    return layer.unsupported("LayerNorm needs constant weights and biases");
  if (!quantizeLinear(layer, linear))
    return false;
  layer.setTensor("lut", {193}, DType::I16, inverseSqrtTable());
  layer.setOutput(0, linear.output);
  return true;
}

} // namespace yarrow
