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
#include <iterator>
#include <numeric>

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

unsigned winogradFinestShift(std::span<const float> largestOfTaps,
                             float range) {
  unsigned finest = 0;
  for (float tap : largestOfTaps)
    while (tap > 0 && finest < kMaxWinogradTapShift &&
           std::ldexp(tap, int(finest) + 1) <= range)
      ++finest;
  return finest;
}

namespace {

/// The square error of results as a form in the errors of taps, e^T R e.
struct ErrorForm {
  double r[kWinogradTaps][kWinogradTaps];
};

/// e^T R e as a sum of squares, for taps in the order in which they are
/// rounded: weight[k] * (e[k] + sum over j < k of feedback[k][j] * e[j])^2. So
/// tap k does best if its error is near the negative sum.
struct RoundingOrder {
  unsigned taps[kWinogradTaps];
  double weight[kWinogradTaps];
  double feedback[kWinogradTaps][kWinogradTaps] = {};
};

} // namespace

static ErrorForm computeErrorForm() {
  const WinogradMatrices &f = matrices();
  ErrorForm form = {};
  for (unsigned y = 0; y < kWinogradOutputs; ++y)
    for (unsigned x = 0; x < kWinogradOutputs; ++x) {
      // What a tap adds to the window that the output sees of the tile.
      double window[kWinogradTaps][kWinogradTaps], sum[kWinogradTaps] = {};
      for (unsigned tap = 0; tap < kWinogradTaps; ++tap)
        for (unsigned cell = 0; cell < kWinogradTaps; ++cell) {
          unsigned ty = tap / kWinogradTile, tx = tap % kWinogradTile;
          window[tap][cell] = f.at(y, ty).value() * f.at(x, tx).value() *
                              f.bt(ty, cell / kWinogradTile).value() *
                              f.bt(tx, cell % kWinogradTile).value();
          sum[tap] += window[tap][cell];
        }
      for (unsigned a = 0; a < kWinogradTaps; ++a)
        for (unsigned b = 0; b < kWinogradTaps; ++b) {
          // Independent cells of variance 1 and of mean 1.
          form.r[a][b] += sum[a] * sum[b];
          for (unsigned cell = 0; cell < kWinogradTaps; ++cell)
            form.r[a][b] += window[a][cell] * window[b][cell];
        }
    }
  return form;
}

/// Taps of coarse steps first: later ones can still make up for their errors.
static RoundingOrder roundingOrder(std::span<const double> steps) {
  static const ErrorForm form = computeErrorForm();
  RoundingOrder order;
  std::iota(std::begin(order.taps), std::end(order.taps), 0u);
  std::stable_sort(std::begin(order.taps), std::end(order.taps),
                   [&](unsigned a, unsigned b) {
                     return steps[a] * steps[a] * form.r[a][a] >
                            steps[b] * steps[b] * form.r[b][b];
                   });
  // Completes squares from the last tap on. The form is positive definite: the
  // 16 taps' windows in the four outputs are independent.
  double rest[kWinogradTaps][kWinogradTaps];
  for (unsigned i = 0; i < kWinogradTaps; ++i)
    for (unsigned j = 0; j < kWinogradTaps; ++j)
      rest[i][j] = form.r[order.taps[i]][order.taps[j]];
  for (unsigned k = kWinogradTaps; k-- > 0;) {
    order.weight[k] = rest[k][k];
    for (unsigned j = 0; j < k; ++j)
      order.feedback[k][j] = rest[k][j] / rest[k][k];
    for (unsigned i = 0; i < k; ++i)
      for (unsigned j = 0; j < k; ++j)
        rest[i][j] -= rest[k][i] * order.feedback[k][j];
  }
  return order;
}

double roundWinogradWeights(std::span<const float> transformed,
                            std::span<const double> steps, int64_t lowest,
                            int64_t highest, std::span<int64_t> rounded) {
  assert(steps.size() == kWinogradTaps && "one step per tap");
  assert(transformed.size() == rounded.size());
  std::size_t channels = transformed.size() / kWinogradTaps;
  RoundingOrder order = roundingOrder(steps);
  double error = 0;
  std::vector<double> errors(transformed.size()); // [taps in order, channels]
  std::vector<double> wanted(channels);
  for (unsigned k = 0; k < kWinogradTaps; ++k) {
    std::size_t tap = order.taps[k];
    std::span<const float> values =
        transformed.subspan(tap * channels, channels);
    std::copy(values.begin(), values.end(), wanted.begin());
    for (unsigned j = 0; j < k; ++j)
      if (double factor = order.feedback[k][j]; factor != 0)
        for (std::size_t c = 0; c < channels; ++c)
          wanted[c] += factor * errors[j * channels + c];
    for (std::size_t c = 0; c < channels; ++c) {
      double count = std::nearbyint(wanted[c] / steps[tap]);
      // Not a number counts as 0, as in quantizeValue.
      double q = std::isnan(count)
                     ? 0
                     : std::clamp(count, double(lowest), double(highest));
      rounded[tap * channels + c] = int64_t(q);
      errors[k * channels + c] = double(values[c]) - q * steps[tap];
      double left = wanted[c] - q * steps[tap];
      error += order.weight[k] * left * left;
    }
  }
  return error;
}

/// Rows of |B^T| 1 and of B^T 1.
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
