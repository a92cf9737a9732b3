//===- FusedActivation.cpp - with_activation in integers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/FusedActivation.h"

#include <cmath>
#include <limits>

using namespace yarrow::compass;

namespace yarrow {

bool activationIsSigned(const LayerContext &layer,
                        const std::string &activation) {
  if (activation == "RELU" || activation == "RELU6" || activation == "CRELU")
    return false;
  if (activation == "CLIP")
    return layer.number(keys::clip_min).value_or(-1) < 0;
  return true;
}

/// Bounds have 8 fractional bits where the output has 8 bits: the layer clips
/// between two roundings, before the zero point is subtracted. (The reference
/// subtracts it from the bounds of 16-bit layers, which clips elsewhere.)
static void setClipBounds(LayerContext &layer, const LinearParams &out) {
  float scale = out.bits <= 8 ? out.scale * 256 : out.scale;
  for (NumberKey key : {keys::clip_min, keys::clip_max})
    layer.setInt(key, quantizeValue(float(*layer.number(key)), scale, 0,
                                    std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int32_t>::max()));
}

static bool setSlopes(LayerContext &layer) {
  constexpr int kSlopeShift = 12; // slopes of -8 to 8 in int16
  auto slopes = layer.floats(keys::negative_slope);
  if (!slopes)
    return layer.unsupported("PRELU has no constant negative_slope");
  std::vector<int64_t> quantized;
  for (float slope : slopes->values)
    quantized.push_back(quantizeValue(slope, float(1 << kSlopeShift), 0,
                                      integerMin(16, true),
                                      integerMax(16, true)));
  // The batch axis carries one slope per sample in float IR; all are the same.
  std::vector<int64_t> shape = slopes->shape;
  auto rank = layer.shapeOf(layer.op->getOperand(0)).size();
  if (shape.size() >= rank && shape.front() == 1)
    shape.erase(shape.begin());
  layer.setTensor(keys::negative_slope, shape, DType::I16, quantized);
  layer.setInt(keys::negative_slope_shift, kSlopeShift);
  return true;
}

bool quantizeActivationKeys(LayerContext &layer, const std::string &activation,
                            const LinearParams &out) {
  if (activation == "CLIP") {
    if (!layer.number(keys::clip_min) || !layer.number(keys::clip_max))
      return layer.unsupported("CLIP needs clip_min and clip_max");
    setClipBounds(layer, out);
  } else if (activation == "LEAKYRELU") {
    auto slope = layer.number(keys::negative_slope_value);
    if (!slope)
      return layer.unsupported("LEAKYRELU needs negative_slope_value");
    // The shift is not written: it is the width of the result's type.
    unsigned shift = integerType(out.bits, out.isSigned).bits();
    auto quantized =
        int64_t(std::nearbyint(*slope * double(int64_t(1) << shift)));
    layer.setInt(keys::negative_slope_value, quantized);
    layer.setExtra("negative_slope_type",
                   narrowestType(double(std::min<int64_t>(quantized, 0)),
                                 double(std::max<int64_t>(quantized, 0))));
  } else if (activation == "PRELU") {
    return setSlopes(layer);
  }
  return true;
}

} // namespace yarrow
