//===- LinearValue.h - Real numbers and the integers that stand for them --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The one conversion between a real number and a stored integer, for data, for
// weights and for results: q = clip(RNE(scale * x - zp)) and x = (q + zp) /
// scale, each step in float32 (docs/explanation/quantization.md).
//
//   int64_t q = quantizeValue(0.5f, /*scale=*/255, /*zp=*/0, 0, 255); // 128
//   float x = dequantizeValue(q, 255, 0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_LINEARVALUE_H
#define YARROW_SUPPORT_LINEARVALUE_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace yarrow {

/// clip(RNE(scale * x - zp), lo, hi) in float32; NaN gives 0 clipped.
inline int64_t quantizeValue(float x, float scale, int64_t zp, int64_t lo,
                             int64_t hi) {
  float scaled = scale * x; // a statement of its own: never a fused one
  float y = std::nearbyint(scaled - float(zp));
  if (std::isnan(y))
    return std::clamp<int64_t>(0, lo, hi);
  if (y <= float(lo))
    return lo;
  // float(hi) may round up, for example to 2^31; then hi itself is right.
  if (y >= float(hi))
    return hi;
  return int64_t(y);
}

/// (q + zp) * (1 / scale) in float32: by the reciprocal, as the reference does.
inline float dequantizeValue(int64_t q, float scale, int64_t zp) {
  return float(q + zp) * (1.0f / scale);
}

} // namespace yarrow

#endif // YARROW_SUPPORT_LINEARVALUE_H
