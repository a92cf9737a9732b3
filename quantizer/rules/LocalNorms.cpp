//===- LocalNorms.cpp - Normalization by a norm and LRN -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Lut.h"
#include "quantizer/rules/NormRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

int bitsWithZeroPoint(const LinearParams &params) {
  int64_t low = params.qmin + params.zp, high = params.qmax + params.zp;
  int bits = 1;
  while (low < integerMin(unsigned(bits), true) ||
         high > integerMax(unsigned(bits), true))
    ++bits;
  return bits;
}

/// Only the result's scale counts: the scale of the values cancels
/// (docs/operators/norm.md, Normalization).
bool quantizeNormalization(LayerContext &layer) {
  unsigned bits = layer.options.activationBits;
  LinearParams in = layer.input(0);
  LinearParams out = layer.outputParams(in.isSigned);
  ScaleApproximation scale = layer.approximate(out.scale, bits);
  layer.setRequant(scale, bits);
  if (layer.word(keys::method, "L2") == "L2") {
    // Of the product with the scale 16 bits remain.
    int64_t factorBits = int64_t(std::ceil(std::log2(scale.multiplier)));
    layer.setInt(keys::reciprocal_shift_value,
                 std::max<int64_t>(factorBits + bitsWithZeroPoint(in) - 16, 0));
    layer.setExtra("reciprocal_shift_type", "int8");
    setInverseSqrtTable(layer);
  }
  layer.setOutput(0, out);
  return true;
}

/// The table is (bias + alpha * m)^-beta of the mean square m, in 16 bits.
bool quantizeLrn(LayerContext &layer) {
  unsigned bits = layer.options.activationBits;
  LinearParams in = layer.input(0);
  LinearParams out = layer.outputParams(in.isSigned);
  double alpha = layer.number(keys::alpha).value_or(1),
         beta = layer.number(keys::beta).value_or(0.5),
         bias = layer.number(keys::bias).value_or(1),
         size = layer.number(keys::size).value_or(1);
  bool isWithin = layer.word(keys::method) == "WITHIN_CHANNEL";
  // No mean of squares exceeds the largest square. The reference takes the
  // largest mean that it has seen across channels, and 1 step for 1 within
  // them, where it also divides by rows only: another number of steps, the same
  // arithmetic. Windows within a channel have one cell (IntegerForms.cpp).
  double largest = std::max(std::fabs(double(in.qmin) + in.zp),
                            std::fabs(double(in.qmax) + in.zp)) /
                   double(in.scale);
  LinearParams mean{.scale = float(65535 / (largest * largest)),
                    .zp = 0,
                    .bits = 16,
                    .isSigned = false,
                    .qmin = 0,
                    .qmax = 65535};
  auto power = [&](double m) { return std::pow(bias + alpha * m, -beta); };
  LinearParams factor = mean;
  factor.scale = float(65535 / std::max(power(0), power(largest * largest)));
  unsigned items = std::min(in.bits, layer.options.lutItemsInBits);
  std::vector<int64_t> table = buildLut(power, mean, factor, items);
  layer.setTensor(keys::lut, {int64_t(table.size())}, DType::U16, table);
  double cells = isWithin ? size * size : size;
  ScaleApproximation sum = layer.approximate(
      mean.scale / (in.scale * in.scale * float(cells)), bits);
  layer.setInts(keys::scale_sum_value, {sum.multiplier});
  layer.setInts(keys::shift_sum_value, {sum.shift});
  layer.setExtra("scale_sum_type", multiplierType(bits));
  layer.setExtra("shift_sum_type", "int8");
  layer.setRequant(layer.approximate(out.scale / in.scale / factor.scale, bits),
                   bits);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
