//===- Moments.cpp - Means, variances and their sums ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Spec: integer semantics 4.24.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Lut.h"
#include "quantizer/rules/NormRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// key_value and key_type.
static void setScale(LayerContext &layer, const std::string &key, int64_t value,
                     std::string_view type) {
  layer.setInts(key + "_value", {value});
  layer.setExtra(key + "_type", type);
}

/// The mean has the input's steps, the variance a scale of its own.
bool quantizeMoments(LayerContext &layer) {
  unsigned bits = layer.options.activationBits;
  LinearParams in = layer.input(0),
               variance = layer.outputParams(/*isSigned=*/false, 1);
  ScaleApproximation r =
      layer.approximate(variance.scale / (in.scale * in.scale), bits);
  setScale(layer, "var_scale", r.multiplier, multiplierType(bits));
  setScale(layer, "var_shift", r.shift, "int8");
  setScale(layer, "input_scale", 1, multiplierType(bits));
  setScale(layer, "input_shift", 0, "int8");
  layer.shareWithInput(0);
  layer.setOutput(1, variance);
  return true;
}

static void setAligned(LayerContext &layer, const std::string &key,
                       const EltwiseScales &scales) {
  layer.checkMultiplier(scales.out);
  layer.setInts(key + "_scale_value",
                {scales.out.multiplier, scales.scale0, scales.scale1});
  layer.setExtra(key + "_scale_type", "[uint16,uint16,uint16]");
  setScale(layer, key + "_shift", scales.out.shift, "int8");
}

/// A sum and a difference of aligned operands; the square of the mean is a
/// table.
bool quantizeNormalizedMoments(LayerContext &layer) {
  unsigned bits = layer.options.activationBits;
  auto counts = float(layer.number("counts").value_or(1));
  LinearParams sums = layer.input(0), squares = layer.input(1),
               mean = layer.outputParams(sums.isSigned, 0),
               variance = layer.outputParams(/*isSigned=*/true, 1);
  FloatRange range = layer.intermediateRange("square");
  LinearParams square = linearParams(0, range.max, RangeMode::SymmetricFull,
                                     bits, /*isSigned=*/false);
  std::vector<int64_t> table =
      buildLut([&](double sum) { return sum / counts * (sum / counts); }, sums,
               square, layer.options.lutItemsInBits);
  layer.setTensor("lut", {int64_t(table.size())}, integerType(bits, false),
                  table);
  setAligned(layer, "mean",
             eltwiseAddScales(sums.scale * counts, layer.input(2).scale,
                              mean.scale, bits));
  setAligned(layer, "var",
             eltwiseAddScales(squares.scale * counts, square.scale,
                              variance.scale, bits));
  layer.setOutput(0, mean);
  layer.setOutput(1, variance);
  return true;
}

/// Both operands are brought to one scale, with as many bits more as keep a
/// square within 32.
bool quantizeSufficientStatistics(LayerContext &layer) {
  LinearParams in[] = {layer.input(0), layer.input(1)};
  LinearParams sum = layer.outputParams(/*isSigned=*/true, 0),
               squares = layer.outputParams(/*isSigned=*/false, 1);
  int most = std::max(bitsWithZeroPoint(in[0]), bitsWithZeroPoint(in[1]));
  auto reduction = float(std::max(2 * (most - 15), 1));
  auto finer = float(std::exp2(std::max(0, 15 - most)));
  float scale = std::min(in[0].scale, in[1].scale) / reduction;
  std::vector<ScaleApproximation> requants = {
      layer.approximate(sum.scale / scale / finer, 16),
      layer.approximate(squares.scale / (scale * scale) / (finer * finer), 16),
      layer.approximate(scale / in[0].scale * finer, 16),
      layer.approximate(scale / in[1].scale * finer, 16)};
  layer.setRequants(requants, 16);
  layer.setOutput(0, sum);
  layer.setOutput(1, squares);
  return true;
}

} // namespace yarrow
