//===- WinogradWeights.cpp - Transformed weights for the host -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/WinogradWeights.h"

#include "simulator/engine/ImageRows.h"
#include <algorithm>
#include <cstdlib>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// |B^T d B| of inputs in [-128, 127].
static int64_t largestTransformed(WinogradMode mode) {
  return int64_t(1) << (transformedBits(mode) - 1);
}

/// Weights times the shifts of their taps, [outChannels][taps][inChannels]:
/// 16 bits and a shift of up to 15.
static std::vector<int32_t> shiftedWeights(const Conv &conv,
                                           const ConvOperands &operands) {
  uint64_t count = filterSize(conv) * conv.outChannels;
  std::vector<int16_t> values(count);
  widen(conv.weightType, operands.weights, count, values.data());
  std::vector<int32_t> shifted(values.begin(), values.end());
  if (operands.tapShifts)
    for (uint64_t i = 0; i < count; ++i)
      shifted[i] *= 1 << operands.tapShifts[i / conv.inChannels];
  return shifted;
}

/// \p part gives the int16 of a weight that goes into this plane.
template <typename Part>
static WeightPlane makePlane(const Conv &conv,
                             const std::vector<int32_t> &weights,
                             int32_t factor, Part part) {
  WeightPlane plane;
  plane.factor = factor;
  int64_t largest = 0;
  WinogradSums sums = sumsOf(conv.winograd);
  uint64_t channels = conv.inChannels, even = (channels + 1) / 2 * 2;
  uint64_t pitch = sums.rows * even;
  // The channel that makes the number even stays 0.
  std::vector<int16_t> filters(conv.outChannels * pitch);
  plane.matrices.resize(sums.count);
  for (uint32_t s = 0; s < sums.count; ++s) {
    for (uint32_t o = 0; o < conv.outChannels; ++o)
      for (uint32_t r = 0; r < sums.rows; ++r) {
        uint64_t tap = (uint64_t(o) * sums.rows + r) * sums.count + s;
        for (uint64_t c = 0; c < channels; ++c) {
          int16_t value = part(weights[tap * channels + c]);
          largest = std::max<int64_t>(largest, std::abs(int(value)));
          filters[o * pitch + r * even + c] = value;
        }
      }
    packMatrix(filters.data(), pitch, conv.outChannels, uint32_t(pitch),
               plane.matrices[s]);
  }
  plane.chunkPairs = chunkPairs(largestTransformed(conv.winograd), largest);
  return plane;
}

void sim::packWinogradWeights(const Conv &conv, const ConvOperands &operands,
                              ConvWeights &to) {
  std::vector<int32_t> weights = shiftedWeights(conv, operands);
  uint64_t filter = filterSize(conv);
  bool fits16 = true;
  for (uint32_t o = 0; o < conv.outChannels; ++o) {
    // A result adds and subtracts some of the taps' sums.
    int64_t magnitude = 0;
    for (uint64_t i = o * filter; i < (o + 1) * filter; ++i) {
      magnitude += std::abs(int64_t(weights[i]));
      fits16 &= weights[i] >= INT16_MIN && weights[i] <= INT16_MAX;
    }
    // It has up to 60 bits; what matters is whether the sums fit 32.
    magnitude = std::min(magnitude, int64_t(1) << 32);
    to.largestSum =
        std::max(to.largestSum, magnitude * largestTransformed(conv.winograd));
  }
  if (fits16) {
    to.planes.push_back(
        makePlane(conv, weights, 1, [](int32_t w) { return int16_t(w); }));
    return;
  }
  to.planes.push_back(makePlane(conv, weights, 1,
                                [](int32_t w) { return int16_t(w & 0x7fff); }));
  to.planes.push_back(makePlane(conv, weights, 1 << 15,
                                [](int32_t w) { return int16_t(w >> 15); }));
}
