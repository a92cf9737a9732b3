//===- Ranges.cpp - Ranges from statistics --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace yarrow {

using Parameters = std::array<float, 4>;

FloatRange rangeOfExtrema(const ObservedStatistics &s, const Parameters &,
                          unsigned, bool) {
  return s.allData;
}

FloatRange rangeOfMeans(const ObservedStatistics &s, const Parameters &,
                        unsigned, bool) {
  return s.running;
}

/// As the reference: extrema where the IR has no range.
FloatRange rangeGivenInIr(const ObservedStatistics &s, const Parameters &,
                          unsigned, bool) {
  return s.inIr.value_or(s.allData);
}

FloatRange rangeByDeviation(const ObservedStatistics &s, const Parameters &p,
                            unsigned, bool) {
  float reach = p[0] * s.deviation;
  return {std::max(s.running.min, s.mean - reach),
          std::min(s.running.max, s.mean + reach)};
}

FloatRange rangeByHistogram(const ObservedStatistics &s, const Parameters &p,
                            unsigned bits, bool) {
  return rangeByDivergence(s.histogram, s.running, 1u << bits,
                           std::max(2u, unsigned(p[0])));
}

FloatRange rangeOfFraction(const ObservedStatistics &s, const Parameters &p,
                           unsigned, bool) {
  return {s.allData.min * p[0], s.allData.max * p[0]};
}

//===----------------------------------------------------------------------===//
// Analytical clipping
//===----------------------------------------------------------------------===//

/// \p alpha is half the width.
static FloatRange aciqRange(const ObservedStatistics &s, float alpha,
                            float gamma, bool symmetric) {
  if (symmetric) {
    float bound = std::fabs(s.mean) + alpha * gamma;
    return {-bound, bound};
  }
  float min = std::max(s.running.min, s.mean - alpha);
  return {min, min + 2 * alpha * gamma};
}

/// Half the width, in units of the mean absolute (Laplace) or standard (Gauss)
/// deviation, that minimises the sum of clipping and rounding error at a number
/// of bits: the zeros of equations 12 and 15 of Banner et al., "Post training
/// 4-bit quantization of convolutional networks" (arXiv 1810.05723).
static constexpr float kLaplace[] = {
    1.05f,  1.86f,  2.83f,  3.89f,  5.03f,  6.2f,   7.41f,  8.64f, 9.89f,
    11.16f, 12.44f, 13.73f, 15.02f, 16.33f, 17.64f, 18.95f, 20.27f};
static constexpr float kGauss[] = {3.92f, 1.24f, 1.71f, 2.15f, 2.55f, 2.93f,
                                   3.28f, 3.61f, 3.92f, 4.21f, 4.49f, 4.75f,
                                   4.99f, 5.24f, 5.47f, 5.69f, 5.89f};

FloatRange rangeByLaplace(const ObservedStatistics &s, const Parameters &p,
                          unsigned bits, bool symmetric) {
  return aciqRange(s, s.absoluteDeviation * kLaplace[bits > 16 ? 8 : bits],
                   p[0], symmetric);
}

FloatRange rangeByGauss(const ObservedStatistics &s, const Parameters &p,
                        unsigned bits, bool symmetric) {
  return aciqRange(s, s.deviation * kGauss[bits > 16 ? 8 : bits], p[0],
                   symmetric);
}

//===----------------------------------------------------------------------===//
// Weighted scales
//===----------------------------------------------------------------------===//

FloatRange rangeByWeightedScale(const ObservedStatistics &s,
                                const Parameters &p, unsigned bits, bool) {
  if (s.isPart)
    return s.running;
  float levels = std::exp2(float(bits)) - 1;
  float positive = std::max(s.running.max, 0.0f);
  float negative = std::fabs(std::min(s.running.min, 0.0f));
  auto scaleOf = [&](float reach) {
    return reach > 0 ? std::min(levels / reach, 0x1p60f) : 1.0f;
  };
  float share = positive > negative ? p[0] : s.deviation > p[3] ? p[1] : p[2];
  float scale = share * scaleOf(positive) + (1 - share) * scaleOf(negative);
  float bound = levels / scale;
  return {s.allData.min < 0 ? -bound : 0, bound};
}

} // namespace yarrow
