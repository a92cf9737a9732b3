//===- StatisticRules.cpp - Products, running sums, counts ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/StatisticRules.h"
#include "dialects/compass/LayerKeys.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// The multiplier and the shift by which a product of n factors leaves the
/// factors' scale, of 15 bits: halved, rounding down, after every factor, as
/// the product itself is when it is computed (docs/operators/reduce.md).
class ProductScale {
public:
  /// \p start is the multiplier of the empty product.
  ProductScale(ScaleApproximation factor, ScaleApproximation result,
               int64_t start)
      : factor(factor), result(result), multiplier(start) {}

  void addFactor() {
    multiplier *= factor.multiplier;
    shift += factor.shift;
    halve(multiplier, shift);
  }
  /// To the scale of the result.
  std::pair<int64_t, int64_t> total() const {
    int64_t m = multiplier * result.multiplier, s = shift + result.shift;
    halve(m, s);
    return {m, s};
  }

private:
  static void halve(int64_t &m, int64_t &s) {
    for (; m > 32767; m >>= 1)
      --s;
  }
  ScaleApproximation factor, result;
  int64_t multiplier, shift = 0;
};
} // namespace

bool quantizeReduceProduct(LayerContext &layer) {
  constexpr unsigned kBits = 16;
  LinearParams in = layer.input(0), out = layer.outputParams(in.isSigned);
  int64_t factors = describe(layer.op->getOperand(0)).numElements() /
                    describe(layer.op->getResult(0)).numElements();
  ProductScale scale(layer.approximate(1 / in.scale, kBits),
                     layer.approximate(out.scale, kBits), 1);
  for (int64_t i = 0; i < factors; ++i)
    scale.addFactor();
  auto [multiplier, shift] = scale.total();
  layer.setInts(keys::scale_value, {multiplier});
  layer.setInts(keys::shift_value, {shift});
  layer.setExtra("scale_type", "uint16");
  layer.setExtra("shift_type", shift < 0 ? "int32" : "uint32");
  layer.setOutput(0, out);
  return true;
}

static void setRunningProduct(LayerContext &layer, const LinearParams &in,
                              const LinearParams &out, int64_t length) {
  constexpr unsigned kBits = 15;
  bool isExclusive = boolKey(layer.op, keys::exclusive);
  ProductScale scale(layer.approximate(1 / in.scale, kBits),
                     layer.approximate(out.scale, kBits), 1);
  std::vector<int64_t> multipliers, shifts;
  for (int64_t k = 0; k < length; ++k) {
    if (k > 0 || !isExclusive)
      scale.addFactor();
    auto [multiplier, shift] = scale.total();
    multipliers.push_back(multiplier);
    shifts.push_back(shift);
  }
  layer.setTensor(keys::scale, {length}, DType::U16, multipliers);
  layer.setTensor(keys::shift, {length}, DType::I32, shifts);
}

bool quantizeCumulate(LayerContext &layer) {
  constexpr unsigned kSumBits = 15; // also of 8-bit activations
  LinearParams in = layer.input(0);
  bool isProduct = layer.word(keys::method, "SUM") == "PROD";
  if (layer.isInvariant(0) && !isProduct) {
    // Sums of whole numbers are such, of more bits: signed ones, which every
    // layer has a form for, where all sums fit.
    double length = double(describe(layer.op->getOperand(0)).numElements());
    LinearParams out =
        plainIntegers(32, in.isSigned || double(in.qmax) * length <= INT32_MAX);
    layer.setRequant({1, 0}, kSumBits);
    layer.setOutput(0, out, /*isInvariant=*/true);
    return true;
  }
  LinearParams out = layer.outputParams(in.isSigned);
  if (isProduct) {
    std::vector<int64_t> shape = layer.shapeOf(layer.op->getOperand(0));
    auto axis = int64_t(layer.number(keys::axis).value_or(-1));
    axis += axis < 0 ? int64_t(shape.size()) : 0;
    setRunningProduct(layer, in, out, shape[std::size_t(axis)]);
  } else {
    layer.setRequant(layer.approximate(out.scale / in.scale, kSumBits),
                     kSumBits);
  }
  layer.setOutput(0, out);
  return true;
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// The sum of squares with 16 unsigned bits, and a table of its roots
/// (docs/operators/reduce.md).
bool quantizeReduceRoot(LayerContext &layer) {
  constexpr unsigned kBits = 16;
  LinearParams in = layer.input(0), out = layer.outputParams(false);
  float most = layer.range().max;
  // The layer limits sums of squares to 32 bits.
  float finest = std::sqrt(float(UINT32_MAX)) / most * 0.999f;
  if (in.scale > finest) {
    in.zp = int32_t(std::lround(double(in.zp) * finest / in.scale));
    in.scale = finest;
    layer.castInput(0, in);
  }
  LinearParams sum = linearParams(0, most * most, RangeMode::SymmetricFull,
                                  kBits, /*isSigned=*/false);
  layer.setRequant(layer.approximate(sum.scale / (in.scale * in.scale), kBits,
                                     /*maxShift=*/62),
                   kBits);
  std::vector<int64_t> table = buildLut(
      [](double x) { return std::sqrt(x); }, sum, out,
      std::min(layer.options.activationBits, layer.options.lutItemsInBits));
  layer.setTensor(keys::sqrt_lut, {int64_t(table.size())},
                  integerType(out.bits, out.isSigned), table);
  layer.setOutput(0, out);
  return true;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

bool quantizeCount(LayerContext &layer) {
  LinearParams in = layer.input(0);
  for (NumberKey key : {keys::min, keys::max}) {
    // The layer compares stored integers.
    auto value = double(std::nearbyint(
        float(layer.number(key).value_or(0)) * in.scale - float(in.zp)));
    layer.op->setAttr(
        key, mlir::Builder(layer.op->getContext()).getF64FloatAttr(value));
  }
  layer.setOutput(0, LinearParams{1, 0, 16, false, 0, 65535},
                  /*isInvariant=*/true);
  return true;
}

bool quantizeZeroFraction(LayerContext &layer) {
  LinearParams out;
  out.bits = layer.options.activationBits;
  out.isSigned = false;
  out.qmin = 0, out.qmax = integerMax(out.bits, false);
  out.scale = float(out.qmax);
  layer.setInt(keys::output_scale, out.qmax);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
