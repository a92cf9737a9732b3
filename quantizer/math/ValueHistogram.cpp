//===- ValueHistogram.cpp - How values of a tensor are spread -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/math/ValueHistogram.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

/// Smaller ones are all the same in any range of interest.
static constexpr int kLeastExponent = -60;

double ValueHistogram::bound() const {
  return isEmpty() ? 0 : std::ldexp(1.0, exponent);
}

void ValueHistogram::growTo(int wanted) {
  if (isEmpty())
    exponent = wanted;
  // Of bound 2 B, bin kHalf + j holds bins kHalf + 2 j and the next of bound B.
  for (int halvings = std::min(wanted - exponent, 16); halvings > 0;
       --halvings) {
    std::array<uint64_t, kBins> coarse{};
    for (std::size_t i = 0; i < kBins; ++i)
      coarse[(i + kHalf) / 2] += bins[i];
    bins = coarse;
  }
  exponent = std::max(exponent, wanted);
}

void ValueHistogram::add(std::span<const float> values) {
  float min = 0, max = 0;
  bool isAny = false;
  for (float x : values)
    if (std::isfinite(x)) {
      min = isAny ? std::min(min, x) : x;
      max = isAny ? std::max(max, x) : x;
      isAny = true;
    }
  if (!isAny)
    return;
  least = isEmpty() ? min : std::min(least, min);
  largest = isEmpty() ? max : std::max(largest, max);
  // The smallest power of two above the largest magnitude: of 1, 2.
  double magnitude = std::max(std::fabs(double(min)), std::fabs(double(max)));
  int wanted = kLeastExponent;
  if (magnitude > std::ldexp(1.0, kLeastExponent))
    wanted = std::ilogb(magnitude) + 1;
  if (isEmpty() || wanted > exponent)
    growTo(wanted);
  double binsByUnit = std::ldexp(double(kHalf), -exponent);
  for (float x : values)
    if (std::isfinite(x))
      ++bins[std::size_t(std::floor(double(x) * binsByUnit) + double(kHalf))];
}

void ValueHistogram::merge(const ValueHistogram &other) {
  if (other.isEmpty())
    return;
  if (isEmpty()) {
    *this = other;
    return;
  }
  ValueHistogram same = other;
  growTo(std::max(exponent, other.exponent));
  same.growTo(exponent);
  for (std::size_t i = 0; i < kBins; ++i)
    bins[i] += same.bins[i];
  least = std::min(least, other.least);
  largest = std::max(largest, other.largest);
}
