//===- LowTail.cpp - Values that lie far below all others -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/masks/LowTail.h"

#include <algorithm>
#include <cmath>

namespace yarrow {

void LowTail::add(float value) {
  if (std::isnan(value))
    return;
  std::size_t bin = 0;
  if (std::isinf(value) && value < 0)
    bin = kBins - 1;
  else if (value < 0)
    bin = std::size_t(std::max(std::ilogb(value) - kLeastExponent + 1, 0));
  Bin &b = bins[bin];
  b.isUsed = true;
  b.least = std::min(b.least, value);
  b.most = std::max(b.most, value);
}

void LowTail::add(std::span<const float> values) {
  for (float v : values)
    add(v);
}

void LowTail::merge(const LowTail &other) {
  for (std::size_t i = 0; i < kBins; ++i) {
    bins[i].isUsed |= other.bins[i].isUsed;
    bins[i].least = std::min(bins[i].least, other.bins[i].least);
    bins[i].most = std::max(bins[i].most, other.bins[i].most);
  }
}

std::vector<LowTail::Gap> LowTail::gaps() const {
  std::vector<Gap> found;
  std::size_t last = kBins;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (!bins[i].isUsed)
      continue;
    if (last < kBins && i - last > 1)
      found.push_back({bins[i].most, bins[last].least});
    last = i;
  }
  return found;
}

float LowTail::least() const {
  for (std::size_t i = kBins; i-- > 0;)
    if (bins[i].isUsed)
      return bins[i].least;
  return kNone;
}

float LowTail::most() const {
  for (const Bin &b : bins)
    if (b.isUsed)
      return b.most;
  return -kNone;
}

} // namespace yarrow
