//===- DetectionLists.cpp - Lists of boxes filtered -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// docs/operators/select.md has the integer forms.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Keys.h"
#include "quantizer/rules/DetectionRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

bool quantizeValidCount(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  // Class ids are compared with 0 as they are stored.
  if (LinearParams in = layer.input(0); in.zp != 0)
    layer.castInput(0, withoutZeroPoint(in));
  LinearParams in = layer.input(0);
  setScoreThresholdValue(layer, in);
  setWholeNumbers(layer, 0, /*isSigned=*/true);
  layer.shareWithInput(1, 0);
  setWholeNumbers(layer, 2, /*isSigned=*/true);
  return true;
}

bool quantizeFilterBoxes(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  LinearParams boxes = layer.input(0);
  setStoredThreshold(layer, keys::score_threshold, keys::score_threshold,
                     layer.input(1));
  std::vector<double> sizes = listOf(layer, keys::min_size, {0, 0});
  for (double &size : sizes) // a difference: without the zero point
    size = std::nearbyint(size * boxes.scale);
  layer.op->setAttr(
      keys::min_size,
      mlir::Builder(layer.op->getContext()).getDenseF64ArrayAttr(sizes));
  for (unsigned i = 0; i < 2; ++i)
    layer.shareWithInput(i, i);
  for (unsigned i = 2; i < 5; ++i)
    layer.shareWithInput(i, i);
  return true;
}

/// Both axes by the longer side, as the definition has it; the reference
/// divides y by the height and x by the width.
bool quantizePostNms(LayerContext &layer) {
  if (!takes16Bits(layer))
    return false;
  LinearParams boxes = layer.input(0);
  double longest = std::max(layer.number(keys::image_height).value_or(600),
                            layer.number(keys::image_width).value_or(600));
  double most = double(integerMax(boxes.bits, false));
  constexpr int kShift = 10;
  auto multiplier = int64_t(
      std::floor(std::ldexp(most / (double(boxes.scale) * longest), kShift)));
  multiplier = std::clamp<int64_t>(multiplier, 1, 65535);
  for (IntsKey scale : {keys::nor_box_scale_h, keys::nor_box_scale_w})
    layer.setInts(scale, {multiplier});
  for (IntsKey shift : {keys::nor_box_shift_h, keys::nor_box_shift_w})
    layer.setInts(shift, {kShift});
  layer.shareWithInput(0, 0);
  // What the multiplier stands for.
  double scale =
      std::ldexp(double(multiplier), -kShift) * double(boxes.scale) * longest;
  layer.setOutput(1, LinearParams{float(scale), 0, 16, false, 0, 65535});
  return true;
}

} // namespace yarrow
