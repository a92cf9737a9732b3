//===- PoolRules.cpp - Pooling and morphology -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Lut.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// L1 and L2 (docs/operators/pool.md, Pooling). The multiplier of L2 brings the
/// sum of squares to 16 bits, of which the table has the square root.
static bool quantizeNorm(LayerContext &layer, bool isSquared) {
  constexpr unsigned kBits = 16;
  constexpr int32_t kMostShift = 62;
  LinearParams in = layer.input(0);
  LinearParams out = layer.outputParams(/*isSigned=*/false);
  if (!isSquared) {
    ScaleApproximation r =
        layer.approximate(out.scale / in.scale, kBits, kMostShift);
    layer.setRequant(r, kBits);
    layer.setOutput(0, out);
    return true;
  }
  // The greatest result's square is the greatest sum.
  float greatest = layer.range().max;
  LinearParams sums =
      linearParams(0, greatest * greatest, RangeMode::SymmetricRestricted,
                   kBits, /*isSigned=*/false);
  layer.setRequant(
      layer.approximate(sums.scale / (in.scale * in.scale), kBits, kMostShift),
      kBits);
  unsigned items =
      std::min(layer.options.activationBits, layer.options.lutItemsInBits);
  std::vector<int64_t> table =
      buildLut([](double sum) { return std::sqrt(sum); }, sums, out, items);
  layer.setTensor(keys::sqrt_lut, {int64_t(table.size())},
                  integerType(out.bits, out.isSigned), table);
  layer.setOutput(0, out);
  return true;
}

bool quantizePool(LayerContext &layer) {
  std::string method = layer.word(keys::method, "MAX");
  if (method == "L1" || method == "L2")
    return quantizeNorm(layer, method == "L2");
  layer.shareWithInput();
  // Further results are indices.
  for (unsigned i = 1; i < layer.op->getNumResults(); ++i)
    layer.setOutput(i, plainIntegers(32, /*isSigned=*/true),
                    /*isInvariant=*/true);
  return true;
}

bool quantizeFractionalPool(LayerContext &layer) {
  layer.shareWithInput();
  for (unsigned i = 1; i < layer.op->getNumResults(); ++i) {
    bool isShort = layer.extrema(i).max <= 32767;
    layer.setOutput(i, plainIntegers(isShort ? 16 : 32, /*isSigned=*/true),
                    /*isInvariant=*/true);
  }
  return true;
}

/// Input and weights at a common scale: multipliers of 15 bits, where the
/// reference gives the coarser one 8.
bool quantizeMorphology(LayerContext &layer) {
  auto weights = layer.floats(keys::weights);
  if (!weights)
    return layer.unsupported("the layer has no constant weights");
  float most = 0;
  for (float w : weights->values)
    most = std::max(most, std::fabs(w));
  unsigned weightBits = layer.options.weightBits;
  LinearParams in = layer.input(0), out = layer.outputParams(true);
  LinearParams w =
      linearParams(-most, most, RangeMode::SymmetricRestricted, weightBits,
                   /*isSigned=*/true);
  std::vector<int64_t> values;
  for (float v : weights->values)
    values.push_back(quantizeValue(v, w));
  layer.setTensor(keys::weights, weights->shape, integerType(weightBits, true),
                  values);
  layer.setExtra("weights_scale", floatText(w.scale));
  layer.setExtra("weights_zp", "0");
  // The finer scale's multiplier is the smaller one.
  constexpr int kBits = 15;
  float coarser = std::min(in.scale, w.scale);
  float common = float((1 << kBits) - 1) * coarser;
  auto multiplierOf = [&](float scale) {
    return std::max<int64_t>(1, std::lround(common / scale));
  };
  unsigned bits = layer.options.multiplierWidth();
  ScaleApproximation r = layer.approximate(out.scale / common, bits, 60);
  layer.checkMultiplier(r);
  layer.setInts(keys::scale_value,
                {r.multiplier, multiplierOf(in.scale), multiplierOf(w.scale)});
  layer.setInts(keys::shift_value, {r.shift});
  layer.setExtra("scale_type",
                 "[" + std::string(multiplierType(bits)) + ",uint16,uint16]");
  layer.setExtra("shift_type", "int8");
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
