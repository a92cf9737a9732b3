//===- Moments.cpp - Means, variances and their sums ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// docs/operators/statistics.md has the integer forms.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Lut.h"
#include "quantizer/rules/NormRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// The mean has the input's steps, the variance a scale of its own.
bool quantizeMoments(LayerContext &layer) {
  unsigned bits = layer.options.activationBits;
  LinearParams in = layer.input(0),
               variance = layer.outputParams(/*isSigned=*/false, 1);
  ScaleApproximation r =
      layer.approximate(variance.scale / (in.scale * in.scale), bits);
  layer.setTypedInts(keys::var_scale_value, {r.multiplier},
                     multiplierType(bits));
  layer.setTypedInts(keys::var_shift_value, {r.shift}, "int8");
  layer.setTypedInts(keys::input_scale_value, {1}, multiplierType(bits));
  layer.setTypedInts(keys::input_shift_value, {0}, "int8");
  layer.shareWithInput(0);
  layer.setOutput(1, variance);
  return true;
}

static void setAligned(LayerContext &layer, IntsKey scaleKey, IntsKey shiftKey,
                       const EltwiseScales &scales) {
  layer.checkMultiplier(scales.out);
  layer.setTypedInts(scaleKey,
                     {scales.out.multiplier, scales.scale0, scales.scale1},
                     "[uint16,uint16,uint16]");
  layer.setTypedInts(shiftKey, {scales.out.shift}, "int8");
}

/// A sum and a difference of aligned operands; the square of the mean is a
/// table.
bool quantizeNormalizedMoments(LayerContext &layer) {
  unsigned bits = layer.options.activationBits;
  auto counts = float(layer.number(keys::counts).value_or(1));
  LinearParams sums = layer.input(0), squares = layer.input(1),
               mean = layer.outputParams(sums.isSigned, 0),
               variance = layer.outputParams(/*isSigned=*/true, 1);
  FloatRange range = layer.intermediateRange("square");
  LinearParams square = linearParams(0, range.max, RangeMode::SymmetricFull,
                                     bits, /*isSigned=*/false);
  std::vector<int64_t> table =
      buildLut([&](double sum) { return sum / counts * (sum / counts); }, sums,
               square, layer.options.lutItemsInBits);
  layer.setTensor(keys::lut, {int64_t(table.size())}, integerType(bits, false),
                  table);
  setAligned(layer, keys::mean_scale_value, keys::mean_shift_value,
             eltwiseAddScales(sums.scale * counts, layer.input(2).scale,
                              mean.scale, bits));
  setAligned(layer, keys::var_scale_value, keys::var_shift_value,
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
