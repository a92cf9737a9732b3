//===- WinogradWeights.cpp - Weights of F(2x2,3x3) in 8 bits --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/WinogradWeights.h"

#include "support/Winograd.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace yarrow {

static const WinogradMatrices &matrices() {
  static const WinogradMatrices m =
      winogradMatrices(unsigned(kWinogradOutputs), unsigned(kWinogradKernel));
  return m;
}

std::vector<float> transformWeights2x2(std::span<const float> weights,
                                       std::size_t outputs,
                                       std::size_t channels) {
  constexpr std::size_t kWindow = kWinogradKernel * kWinogradKernel;
  assert(weights.size() == outputs * kWindow * channels);
  // G (x) G: what each weight of the window adds to each tap.
  const WinogradMatrices &f = matrices();
  double factors[kWinogradTaps][kWindow];
  for (unsigned tap = 0; tap < kWinogradTaps; ++tap)
    for (unsigned k = 0; k < kWindow; ++k)
      factors[tap][k] = f.g(tap / kWinogradTile, k / kWinogradKernel).value() *
                        f.g(tap % kWinogradTile, k % kWinogradKernel).value();
  std::vector<float> transformed(outputs * kWinogradTaps * channels);
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t tap = 0; tap < kWinogradTaps; ++tap)
      for (std::size_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < kWindow; ++k)
          sum += factors[tap][k] *
                 double(weights[(o * kWindow + k) * channels + c]);
        transformed[(o * kWinogradTaps + tap) * channels + c] = float(sum);
      }
  return transformed;
}

unsigned winogradTapShift(float largest, float scale, double limit) {
  assert(limit > 0);
  unsigned shift = 0;
  for (double steps = double(largest) * double(scale); steps > limit;
       steps /= 2)
    ++shift;
  return shift;
}

unsigned winogradFinestShift(std::span<const float> largestOfTaps) {
  float largest = *std::max_element(largestOfTaps.begin(), largestOfTaps.end());
  unsigned finest = 0;
  for (float tap : largestOfTaps)
    while (tap > 0 && finest < kMaxWinogradTapShift &&
           std::ldexp(tap, int(finest) + 1) <= largest)
      ++finest;
  return finest;
}

/// A term of one axis of F(2,3): |B^T| 1 and |A^T| decide how far sums reach.
static int64_t inputGain(unsigned row) {
  int64_t gain = 0;
  for (unsigned i = 0; i < kWinogradTile; ++i)
    gain += std::abs(matrices().bt(row, i).num);
  return gain;
}
static int64_t inputSum(unsigned row) {
  int64_t sum = 0;
  for (unsigned i = 0; i < kWinogradTile; ++i)
    sum += matrices().bt(row, i).num;
  return sum;
}

int64_t winogradSumBound(std::span<const int64_t> weights,
                         std::span<const unsigned> shifts) {
  assert(shifts.size() == kWinogradTaps && "one shift per tap");
  constexpr int64_t kLargestInput = 128;
  std::size_t channels = weights.size() / kWinogradTaps;
  // In 64 bits: 2^7 inputs * gain 4 * 2^15 weights * channels << 5.
  int64_t ofTaps[kWinogradTaps];
  for (unsigned tap = 0; tap < kWinogradTaps; ++tap) {
    int64_t sum = 0;
    for (int64_t w : weights.subspan(tap * channels, channels))
      sum += std::abs(w);
    ofTaps[tap] = (sum * kLargestInput * inputGain(tap / kWinogradTile) *
                   inputGain(tap % kWinogradTile))
                  << shifts[tap];
  }
  int64_t bound = 0;
  for (unsigned y = 0; y < kWinogradOutputs; ++y)
    for (unsigned x = 0; x < kWinogradOutputs; ++x) {
      int64_t sum = 0;
      for (unsigned tap = 0; tap < kWinogradTaps; ++tap)
        sum += std::abs(matrices().at(y, tap / kWinogradTile).num *
                        matrices().at(x, tap % kWinogradTile).num) *
               ofTaps[tap];
      bound = std::max(bound, sum);
    }
  return bound;
}

int64_t winogradResponseToOnes(std::span<const int64_t> weights,
                               std::span<const unsigned> shifts) {
  assert(shifts.size() == kWinogradTaps && "one shift per tap");
  std::size_t channels = weights.size() / kWinogradTaps;
  // B^T takes ones to (0, 2, 0, 0), and A^T gives that tap to both outputs, so
  // the first output stands for all.
  int64_t response = 0;
  for (unsigned tap = 0; tap < kWinogradTaps; ++tap) {
    unsigned y = tap / kWinogradTile, x = tap % kWinogradTile;
    int64_t factor = matrices().at(0, y).num * matrices().at(0, x).num *
                     inputSum(y) * inputSum(x);
    for (int64_t w : weights.subspan(tap * channels, channels))
      response += factor * w * (int64_t(1) << shifts[tap]);
  }
  return response;
}

} // namespace yarrow
