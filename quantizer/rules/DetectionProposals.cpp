//===- DetectionProposals.cpp - Two-stage detectors -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// docs/operators/detect.md has the integer forms.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Lut.h"
#include "quantizer/rules/DetectionRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

static const std::vector<double> kUsualDivisors = {10, 10, 5, 5};

bool quantizeDetectionOutput(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  // Proposals are read as they are stored.
  if (LinearParams in = layer.input(2); in.zp != 0)
    layer.castInput(2, withoutZeroPoint(in));
  LinearParams scores = layer.input(0), deltas = layer.input(1),
               proposals = layer.input(2);
  double height = layer.number(keys::image_height).value_or(1),
         width = layer.number(keys::image_width).value_or(1);
  std::vector<double> v = listOf(layer, keys::variance, kUsualDivisors);
  double mostLog = layer.number(keys::bbox_xform_clip).value_or(INFINITY);
  double logs = mostValue(deltas) / std::min(v[2], v[3]);
  double centres = std::max(mostMagnitude(deltas) / std::min(v[0], v[1]), 1e-6);
  double longest = std::max({height, width, mostMagnitude(proposals)});
  float boxScale = float(32767 / longest),
        sizeScale =
            float(32767 / std::exp(std::max(std::min(logs, mostLog), 0.0))),
        centreScale = float(32767 / centres);
  setDeltaTables(layer, deltas, centreScale, sizeScale, v, mostLog);
  ScaleApproximation requants[] = {
      layer.approximate(boxScale / (sizeScale * proposals.scale), 16),
      layer.approximate(boxScale / (centreScale * proposals.scale), 16),
      layer.approximate(boxScale / proposals.scale, 16)};
  setScaleLists(layer, keys::box_scale_value, keys::box_shift_value, requants);
  std::vector<int64_t> shifts;
  for (int k : {0, 1})
    shifts.push_back(int64_t(
        std::ceil(std::log2(double(std::max(requants[k].multiplier, 1))))));
  layer.setInts(keys::delta_shift, shifts);
  layer.setInt(keys::height, int64_t(height * boxScale));
  layer.setInt(keys::width, int64_t(width * boxScale));
  layer.setExtra("variance", "[1.0,1.0,1.0,1.0]");
  setStoredThreshold(layer, keys::score_threshold, keys::score_threshold_value,
                     scores);
  for (KeyName key : std::initializer_list<KeyName>{
           keys::variance, keys::image_height, keys::image_width,
           keys::score_threshold, keys::bbox_xform_clip})
    layer.remove(key);
  layer.shareWithInput(0, 0);
  layer.setOutput(1, LinearParams{boxScale, 0, 16, true, -32768, 32767});
  for (unsigned i = 2; i < 5; ++i)
    setWholeNumbers(layer, i);
  return true;
}

bool quantizeProposal(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  LinearParams scores = layer.input(0), deltas = layer.input(1);
  double height = layer.number(keys::height).value_or(1),
         width = layer.number(keys::width).value_or(1);
  FixedPoint fixed =
      fixedPoint(layer, std::max(height, width), deltas, kUsualDivisors);
  double entryScale = std::ldexp(1, fixed.entryBits);
  setDeltaTables(layer, deltas, entryScale, entryScale, kUsualDivisors,
                 INFINITY);
  setAnchors(layer, fixed.boxBits);
  layer.setInt(keys::box_shift_value, fixed.entryBits);
  layer.setInt(keys::height, std::llround(std::ldexp(height, fixed.boxBits)));
  layer.setInt(keys::width, std::llround(std::ldexp(width, fixed.boxBits)));
  setStoredThreshold(layer, keys::score_threshold, keys::score_threshold_value,
                     scores);
  layer.remove(keys::score_threshold);
  layer.remove(keys::scale_anchor);
  layer.shareWithInput(0, 0);
  layer.setOutput(1, LinearParams{float(std::ldexp(1, fixed.boxBits)), 0, 16,
                                  true, -32768, 32767});
  setWholeNumbers(layer, 2);
  setWholeNumbers(layer, 3);
  return true;
}

/// Heights, widths and centres of all anchors, from the planes that the float
/// layer's program makes of its weights.
static bool setAnchorPlanes(LayerContext &layer, int bits) {
  auto weights = layer.floats(keys::weights);
  std::vector<int64_t> scores = layer.shapeOf(layer.op->getOperand(0));
  auto boxes = size_t(scores[1] * scores[2] * scores[3]);
  if (!weights || weights->values.size() != 4 * boxes)
    return layer.unsupported("the anchors of one cell have no integer form",
                             "give the layer the anchors of all cells",
                             "weights");
  const TensorKey names[] = {keys::wa_q, keys::ha_q, keys::xcenter_a_q,
                             keys::ycenter_a_q};
  for (size_t k = 0; k < 4; ++k) {
    std::vector<int64_t> plane;
    plane.reserve(boxes);
    for (size_t i = 0; i < boxes; ++i)
      plane.push_back(int64_t(std::trunc(
          std::ldexp(double(weights->values[k * boxes + i]), bits))));
    layer.setTensor(names[k], {int64_t(boxes)}, DType::I16, plane);
  }
  return true;
}

bool quantizeGenerateProposals(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  LinearParams deltas = layer.input(1);
  double height = layer.number(keys::image_height).value_or(600),
         width = layer.number(keys::image_width).value_or(600);
  double longest = std::max(height, width);
  if (auto weights = layer.floats(keys::weights))
    for (float value : weights->values)
      longest = std::max(longest, std::fabs(double(value)));
  FixedPoint fixed = fixedPoint(layer, longest, deltas, {1, 1, 1, 1});
  if (!setAnchorPlanes(layer, fixed.boxBits))
    return false;
  LinearParams entries{
      float(std::ldexp(1, fixed.entryBits)), 0, 32, true, INT32_MIN, INT32_MAX};
  auto setTable = [&](TensorKey key, const std::function<double(double)> &f) {
    std::vector<int64_t> table =
        buildLut(f, deltas, entries, layer.options.lutItemsInBits);
    layer.setTensor(key, {int64_t(table.size())}, DType::I32, table);
  };
  setTable(keys::xy_lut, [](double x) { return x; });
  setTable(keys::wh_lut, [](double x) { return std::exp(x); });
  int64_t unit = int64_t(1) << fixed.boxBits;
  std::vector<int64_t> scores = layer.shapeOf(layer.op->getOperand(0));
  layer.setInt(keys::anchor_scale, unit);
  layer.setInt(keys::delta_shift, fixed.entryBits);
  layer.setInt(keys::height_stride, int64_t(height / double(scores[1])) * unit);
  layer.setInt(keys::width_stride, int64_t(width / double(scores[2])) * unit);
  layer.setInt(keys::roi_last_shift, 0);
  constexpr int64_t kIouScale = 2048;
  double iou = layer.number(keys::iou_threshold).value_or(0);
  layer.setInt(keys::iou_scale, kIouScale);
  layer.setInt(keys::iou_threshold,
               int64_t(std::clamp(iou, 0.0, 1.0) * kIouScale));
  layer.setInt(keys::min_size,
               int64_t(layer.number(keys::min_size).value_or(16)) * unit);
  layer.shareWithInput(0, 0);
  layer.setOutput(1, LinearParams{float(unit), 0, 16, true, -32768, 32767});
  setWholeNumbers(layer, 2);
  setWholeNumbers(layer, 3);
  return true;
}

} // namespace yarrow
