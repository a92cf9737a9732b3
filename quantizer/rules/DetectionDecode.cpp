//===- DetectionDecode.cpp - Boxes from anchors and deltas ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// docs/operators/detect.md has the integer forms. Internal scales come from the
// values that the inputs can hold, not from those of samples, so that no table
// saturates.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Keys.h"
#include "dialects/compass/detect/BoxKeys.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/DetectionRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

double leastValue(const LinearParams &p) {
  return double(p.qmin + p.zp) / p.scale;
}
double mostValue(const LinearParams &p) {
  return double(p.qmax + p.zp) / p.scale;
}
double mostMagnitude(const LinearParams &p) {
  return std::max(std::fabs(leastValue(p)), std::fabs(mostValue(p)));
}

LinearParams int16At(double scale) {
  return {float(scale), 0, 16, true, -32767, 32767};
}

void setInt16Table(LayerContext &layer, TensorKey key,
                   const LinearParams &input, double scale,
                   const std::function<double(double)> &f) {
  std::vector<int64_t> table =
      buildLut(f, input, int16At(scale), layer.options.lutItemsInBits);
  layer.setTensor(key, {int64_t(table.size())}, DType::I16, table);
}

/// Scales, shifts and tables of BoundingBox and MultiboxTransformLoc; \p
/// divisors of y, x, h and w deltas.
static void setCornerKeys(LayerContext &layer, const LinearParams &boxes,
                          const LinearParams &deltas,
                          const std::array<double, 4> &divisors) {
  // Sizes are limited to a 3276th of what 16 bits hold.
  LinearParams sizes = deltas;
  float most = float(integerMax(deltas.bits, true) + deltas.zp);
  float mostLog =
      float(std::log(3276.0)) * float(std::max(divisors[2], divisors[3]));
  float leastLog =
      float(std::log(3276.0)) * float(std::min(divisors[2], divisors[3]));
  if (most > deltas.scale * leastLog)
    sizes.scale = most / mostLog;
  std::vector<ScaleApproximation> requants;
  for (int k : {0, 1})
    requants.push_back(
        layer.approximate(float(1 / (double(deltas.scale) * divisors[k])), 16));
  const TensorKey tables[] = {keys::th_lut, keys::tw_lut};
  for (int k : {0, 1}) {
    double divisor = divisors[2 + k];
    double scale =
        65534 /
        (2 * std::exp(std::max(double(most), 1.0) / sizes.scale / divisor));
    setInt16Table(layer, tables[k], sizes, scale,
                  [=](double x) { return std::exp(x / divisor); });
    ScaleApproximation r = layer.approximate(float(1 / scale), 16);
    ++r.shift; // half of a size
    requants.push_back(r);
  }
  requants.push_back(layer.approximate(32767 / boxes.scale, 14));
  setScaleLists(layer, keys::box_scale_value, keys::box_shift_value, requants);
  layer.setInt(keys::delta_shift,
               int64_t(boxes.bits + deltas.bits) - 15 + (deltas.zp != 0));
  layer.setOutput(0, LinearParams{32767, 0, 16, true, -32768, 32767});
}

void setScaleLists(LayerContext &layer, IntsKey scaleKey, IntsKey shiftKey,
                   llvm::ArrayRef<ScaleApproximation> requants) {
  std::vector<int64_t> scales, shifts;
  std::string scaleTypes, shiftTypes;
  for (const ScaleApproximation &r : requants) {
    scales.push_back(r.multiplier), shifts.push_back(r.shift);
    scaleTypes += scaleTypes.empty() ? "[uint16" : ",uint16";
    shiftTypes += shiftTypes.empty() ? "[int8" : ",int8";
  }
  layer.setTypedInts(scaleKey, scales, scaleTypes + "]");
  layer.setTypedInts(shiftKey, shifts, shiftTypes + "]");
}

bool quantizeBoundingBox(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  setCornerKeys(layer, layer.input(0), layer.input(1), {10, 10, 5, 5});
  return true;
}

bool quantizeMultibox(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  LinearParams scores = layer.input(0);
  auto [y, x, h, w] = multiboxFactors(layer.op);
  setCornerKeys(layer, layer.input(2), layer.input(1),
                {1.0 / y, 1.0 / x, 1.0 / h, 1.0 / w});
  setScoreThresholdValue(layer, scores);
  ScaleApproximation r = layer.approximate(32767 / scores.scale, 15);
  layer.setInts(keys::score_scale_value, {r.multiplier});
  layer.setInts(keys::score_shift_value, {r.shift});
  layer.setExtra("score_scale_type", "uint16");
  layer.setExtra("score_shift_type", "int8");
  setWholeNumbers(layer, 1);
  return true;
}

FixedPoint fixedPoint(const LayerContext &layer, double size,
                      const LinearParams &deltas,
                      const std::vector<double> &divisors) {
  double most = size;
  for (TensorKey key : {keys::ycenter, keys::xcenter, keys::ha, keys::wa})
    if (auto anchors = layer.floats(key))
      for (float value : anchors->values)
        most = std::max(most, std::fabs(double(value)));
  double entry = 1;
  for (int k = 0; k < 4; ++k)
    entry = std::max({entry, mostMagnitude(deltas) / divisors[k],
                      k < 2 ? 0 : std::exp(mostValue(deltas) / divisors[k])});
  auto bits = [](double greatest) {
    return std::max(int(std::floor(std::log2(32767 / greatest))), 0);
  };
  return {bits(most), bits(entry)};
}

void setDeltaTables(LayerContext &layer, const LinearParams &deltas,
                    double centreScale, double sizeScale,
                    const std::vector<double> &divisors, double mostLog) {
  const TensorKey names[] = {keys::ty_lut, keys::tx_lut, keys::th_lut,
                             keys::tw_lut};
  for (int k = 0; k < 4; ++k) {
    double divisor = divisors[k];
    setInt16Table(layer, names[k], deltas, k < 2 ? centreScale : sizeScale,
                  [=](double x) {
                    x /= divisor;
                    return k < 2 ? x : std::exp(std::min(x, mostLog));
                  });
  }
}

void setAnchors(LayerContext &layer, int bits) {
  for (TensorKey key : {keys::ycenter, keys::xcenter, keys::ha, keys::wa}) {
    auto anchors = layer.floats(key);
    if (!anchors)
      continue;
    std::vector<int64_t> stored;
    for (float value : anchors->values)
      stored.push_back(int64_t(std::trunc(std::ldexp(double(value), bits))));
    layer.setTensor(key, anchors->shape, DType::I16, stored);
  }
}

bool quantizeDecodeBox(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  LinearParams scores = layer.input(0), deltas = layer.input(1);
  auto sizeOf = [&](NumericKey key, NumericKey other) {
    return layer.number(key).value_or(layer.number(other).value_or(1));
  };
  auto normalized =
      layer.op->getAttrOfType<mlir::BoolAttr>(keys::proposal_normalized);
  bool isUnit = !normalized || normalized.getValue();
  double height = isUnit ? 1 : sizeOf(keys::image_height, keys::height),
         width = isUnit ? 1 : sizeOf(keys::image_width, keys::width);
  std::vector<double> v = listOf(layer, keys::variance, {10, 10, 5, 5});
  FixedPoint fixed = fixedPoint(layer, std::max(height, width), deltas, v);
  double entryScale = std::ldexp(1, fixed.entryBits);
  setDeltaTables(layer, deltas, entryScale, entryScale, v, INFINITY);
  setAnchors(layer, fixed.boxBits);
  layer.setInt(keys::box_shift, fixed.entryBits);
  layer.setInt(keys::image_height,
               std::llround(std::ldexp(height, fixed.boxBits)));
  layer.setInt(keys::image_width,
               std::llround(std::ldexp(width, fixed.boxBits)));
  // Scores are compared, and written, with their zero point added.
  LinearParams plain = withoutZeroPoint(scores);
  setStoredThreshold(layer, keys::score_threshold, keys::score_threshold_uint8,
                     plain);
  layer.setOutput(0, LinearParams{float(std::ldexp(1, fixed.boxBits)), 0, 16,
                                  true, -32768, 32767});
  setWholeNumbers(layer, 1);
  setWholeNumbers(layer, 2);
  layer.setOutput(3, plain, layer.isInvariant(0));
  setWholeNumbers(layer, 4, /*isSigned=*/true);
  return true;
}

} // namespace yarrow
