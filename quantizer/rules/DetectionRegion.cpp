//===- DetectionRegion.cpp - YOLO's regions -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// docs/operators/detect.md has the integer form of Region. Where the reference
// wraps or finds nothing, the keys are chosen so that the same arithmetic does
// not: anchors have as many bits as keep widths in 32, and at 16 bits the
// threshold has 8, like the scores that it is compared with.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Keys.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/DetectionRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

static void setTable(LayerContext &layer, TensorKey key, DType type,
                     const std::vector<int64_t> &table) {
  layer.setTensor(key, {int64_t(table.size())}, type, table);
}

/// exp of the distance to the greatest score, which has 20 bits.
static void setScoreTable(LayerContext &layer, const LinearParams &in) {
  constexpr double kMost = 1 << 20;
  LinearParams distance = in; // 0 .. 2^bits - 1, the last entry is no distance
  distance.zp = 0, distance.isSigned = false;
  distance.qmin = 0, distance.qmax = integerMax(in.bits, false);
  double last = std::nearbyint(std::log(kMost) * in.scale - in.zp) + in.zp -
                std::ldexp(1, int(in.bits));
  LinearParams out{1, 0, 32, false, 0, int64_t(kMost)};
  double shift = last / in.scale;
  setTable(layer, keys::score_softmax_lut, DType::U32,
           buildLut([=](double x) { return std::exp(x + shift); }, distance,
                    out, layer.options.lutItemsInBits));
}

bool quantizeRegion(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  LinearParams in = layer.input(0);
  double height = layer.number(keys::grid_height).value_or(1),
         width = layer.number(keys::grid_width).value_or(1);
  int cell = std::min(14, int(std::floor(std::log2(65535 / width))));
  double unit = std::ldexp(1, cell);
  layer.setInt(keys::col_shift, cell), layer.setInt(keys::row_shift, cell);
  layer.setInt(keys::grid_w_scale, int64_t(32768 / width));
  layer.setInt(keys::grid_h_scale, int64_t(32768 / height));
  layer.setInt(keys::grid_w_shift, 15), layer.setInt(keys::grid_h_shift, 15);

  unsigned items = layer.options.lutItemsInBits;
  auto compensate =
      layer.op->getAttrOfType<mlir::BoolAttr>(keys::grid_compensate);
  bool isEven = std::fmod(height, 2) == 0 && std::fmod(width, 2) == 0;
  double offset = compensate && compensate.getValue() && isEven ? 0.5 : 0;
  setTable(layer, keys::xy_sigmoid_lut, DType::I16,
           buildLut([=](double x) { return sigmoid(x) - offset; }, in,
                    {float(unit), 0, 16, true, -32768, 32767}, items));
  setTable(layer, keys::conf_sigmoid_lut, DType::U16,
           buildLut(sigmoid, in, {32768, 0, 16, false, 0, 65535}, items));
  layer.setInt(keys::conf_sigmoid_shift, 15);
  double mostExp = std::exp(6.39), expScale = 65535 / mostExp;
  setTable(layer, keys::wh_exp_lut, DType::U16,
           buildLut([](double x) { return std::exp(x); }, in,
                    {float(expScale), 0, 16, false, 0, 65535}, items));
  ScaleApproximation r = layer.approximate(float(unit / expScale), 16);
  layer.setInt(keys::wh_exp_scale, r.multiplier);
  layer.setInt(keys::wh_exp_shift, r.shift);
  setScoreTable(layer, in);

  std::vector<double> anchors = listOf(layer, keys::anchors, {});
  double most = 1e-6;
  for (double anchor : anchors)
    most = std::max(most, anchor);
  int bits = int(std::floor(std::log2(65535 / most)));
  // The widest box that the table knows, in cells' units, has 31 bits.
  double widest = most / std::min(height, width) *
                  std::min(mostExp, std::exp(mostValue(in))) * unit;
  bits = std::min(
      bits, int(std::floor(std::log2(2147483647.0 / std::max(widest, 1.0)))));
  bits = std::max(bits, 0);
  std::vector<int64_t> stored;
  stored.reserve(anchors.size());
  for (double anchor : anchors)
    stored.push_back(int64_t(std::nearbyint(std::ldexp(anchor, bits))));
  layer.setTensor(keys::qanchors_lut, {int64_t(stored.size())}, DType::U16,
                  stored);
  layer.setInt(keys::anchors_exp_h_shift, bits);
  layer.setInt(keys::anchors_exp_w_shift, bits);
  layer.remove(keys::anchors);
  double threshold = layer.number(keys::obj_thresh).value_or(0);
  layer.setInt(keys::obj_thresh,
               int64_t(std::clamp(threshold, 0.0, 1.0) * 255));

  int64_t mostScore = integerMax(in.bits, false);
  layer.setOutput(
      0, LinearParams{float(mostScore), 0, in.bits, false, 0, mostScore});
  layer.setOutput(1, LinearParams{float(unit), 0, 16, true, -32768, 32767});
  setWholeNumbers(layer, 2);
  setWholeNumbers(layer, 3, /*isSigned=*/true);
  setWholeNumbers(layer, 4);
  return true;
}

bool quantizeRegionFuse(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  for (unsigned i = 0; i < 4; ++i)
    if (LinearParams in = layer.input(i); in.zp != 0)
      layer.castInput(i, withoutZeroPoint(in));
  const std::pair<IntsKey, IntsKey> names[] = {
      {keys::score_scale_value, keys::score_shift_value},
      {keys::box_scale_value, keys::box_shift_value}};
  for (unsigned k = 0; k < 2; ++k) {
    LinearParams a = layer.input(2 * k), b = layer.input(2 * k + 1);
    bool isSigned = a.isSigned || b.isSigned;
    FloatRange range = layer.range(k);
    LinearParams out =
        linearParams(range.min, range.max, RangeMode::SymmetricRestricted,
                     std::max(a.bits, b.bits), isSigned);
    std::vector<int64_t> scales, shifts;
    for (const LinearParams &in : {a, b}) {
      ScaleApproximation r = layer.approximate(out.scale / in.scale, 8);
      scales.push_back(r.multiplier), shifts.push_back(r.shift);
    }
    layer.setTypedInts(names[k].first, scales, "[uint8,uint8]");
    layer.setTypedInts(names[k].second, shifts, "[int8,int8]");
    layer.setOutput(k, out);
  }
  for (unsigned k = 2; k < 5; ++k)
    layer.shareWithInput(k, 2 * k);
  return true;
}

} // namespace yarrow
