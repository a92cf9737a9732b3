//===- DetectionNms.cpp - Non-maximum suppression -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Boxes keep their scale. The reference shifts all areas right by 13, which of
// 8-bit boxes leaves 3 bits: here they lose what 19 bits do not hold.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/DetectionRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

constexpr int kIouBits = 8;

/// Of exp(-iou^2 / (2 sigma)) at 256 overlaps from 0 to 1.
static void setDecayTables(LayerContext &layer) {
  constexpr int64_t kLevels = 1 << kIouBits;
  double sigma = layer.number(keys::soft_nms_sigma).value_or(0);
  std::vector<int64_t> factors, shifts;
  for (int64_t i = 0; i < kLevels; ++i) {
    double iou = double(i) / (kLevels - 1);
    double decay = i == 0      ? 1
                   : sigma > 0 ? std::exp(-0.5 / sigma * iou * iou)
                               : 0;
    ScaleApproximation r = approximateScale(float(decay), 16);
    // A decay too small for a multiplier leaves nothing.
    bool isNothing = r == kNoApproximation || r.multiplier == 0;
    factors.push_back(isNothing ? 0 : r.multiplier);
    shifts.push_back(isNothing ? 0 : std::max(r.shift, 0));
  }
  layer.setTensor(keys::gaussian_scale_lut, {kLevels}, DType::U16, factors);
  layer.setTensor(keys::gaussian_shift_lut, {kLevels}, DType::U8, shifts);
}

bool quantizeNms(LayerContext &layer) {
  LinearParams boxes = layer.input(0), scores = layer.input(3);
  if (!takes16Bits(layer))
    return false;
  std::string method = layer.word(keys::method, "HARD");
  setStoredThreshold(layer, keys::score_threshold, keys::score_threshold,
                     scores);
  double iou = layer.number(keys::iou_threshold).value_or(0);
  layer.setInt(keys::iou_threshold,
               int64_t(std::clamp(iou, 0.0, 1.0) * (1 << kIouBits)));
  layer.setInt(keys::iou_thresh_shift, kIouBits);
  layer.setInt(keys::areas_shift, std::max(2 * int(boxes.bits) - 19, 0));
  if (method == "GAUSSIAN") {
    layer.setInt(keys::soft_nms_sigma_in_shift, kIouBits);
    setDecayTables(layer);
  }
  layer.setRequant({1, 0}, 16);
  layer.setOutput(0, withoutZeroPoint(boxes), layer.isInvariant(0));
  setWholeNumbers(layer, 1);
  layer.shareWithInput(2, 3);
  setWholeNumbers(layer, 3);
  return true;
}

} // namespace yarrow
