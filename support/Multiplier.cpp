//===- Multiplier.cpp - Ratios of scales as integers ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Multiplier.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;

/// Shifts that kernels and the tensor engine take.
constexpr int kMostShift = 62, kMostLeftShift = 31;

std::optional<Multiplier> yarrow::multiplierOf(double ratio, unsigned bits) {
  if (!(ratio > 0) || !std::isfinite(ratio))
    return std::nullopt;
  int exponent = 0;
  std::frexp(ratio, &exponent);
  int shift = std::min(int(bits) - exponent, kMostShift);
  auto scale = std::llround(std::ldexp(ratio, shift));
  if (scale == int64_t(1) << bits) { // rounded up to the next power
    scale /= 2;
    --shift;
  }
  if (shift < -kMostLeftShift)
    return std::nullopt;
  // Below 2^-63 nothing is left; 1 / 2^62 of any sum rounds to 0 as well.
  return Multiplier{int32_t(std::max<int64_t>(scale, 1)), shift};
}

std::optional<Multiplier> yarrow::reducedMultiplierOf(double ratio) {
  std::optional<Multiplier> m = multiplierOf(ratio);
  if (!m)
    return std::nullopt;
  constexpr int32_t kMost = 0x7FFF, kSaturates = 0x7FFF0000;
  int32_t scale = m->scale < kSaturates ? (m->scale + (1 << 15)) >> 16 : kMost;
  int32_t shift = m->shift - 16;
  if (shift < -kMostLeftShift)
    return std::nullopt;
  return Multiplier{std::max(scale, 1), shift};
}
