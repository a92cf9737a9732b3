//===- WinogradWeights.cpp - Transformed weights in 8 bits ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/WinogradWeights.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace yarrow {

unsigned winogradTapShift(float largest, float scale, double limit) {
  assert(limit > 0);
  unsigned shift = 0;
  double steps = double(largest) * double(scale);
  while (steps > limit) {
    steps /= 2;
    ++shift;
  }
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

WinogradTile::WinogradTile(WinogradMatrices ofHeight, WinogradMatrices ofWidth)
    : y(std::move(ofHeight)), x(std::move(ofWidth)),
      errorForm(computeErrorForm()) {
  assert(y.isIntegral() && x.isIntegral());
}

int64_t WinogradTile::at(unsigned output, unsigned tap) const {
  return y.at(output / x.outputs, tap / x.tile()).num *
         x.at(output % x.outputs, tap % x.tile()).num;
}
double WinogradTile::g(unsigned tap, unsigned weight) const {
  return y.g(tap / x.tile(), weight / x.kernel).value() *
         x.g(tap % x.tile(), weight % x.kernel).value();
}
int64_t WinogradTile::bt(unsigned tap, unsigned cell) const {
  return y.bt(tap / x.tile(), cell / x.tile()).num *
         x.bt(tap % x.tile(), cell % x.tile()).num;
}

std::vector<float>
WinogradTile::transformWeights(std::span<const float> weights,
                               std::size_t outputs,
                               std::size_t channels) const {
  assert(weights.size() == outputs * window() * channels);
  std::vector<float> transformed(outputs * taps() * channels);
  for (std::size_t o = 0; o < outputs; ++o)
    for (unsigned tap = 0; tap < taps(); ++tap) {
      std::vector<double> sums(channels);
      for (unsigned k = 0; k < window(); ++k) {
        double factor = g(tap, k);
        std::span<const float> values =
            weights.subspan((o * window() + k) * channels, channels);
        for (std::size_t c = 0; c < channels; ++c)
          sums[c] += factor * double(values[c]);
      }
      std::copy(sums.begin(), sums.end(),
                transformed.begin() +
                    std::ptrdiff_t((o * taps() + tap) * channels));
    }
  return transformed;
}

/// e^T R e as a sum of squares, for taps in the order in which they are
/// rounded: weight[k] * (e[k] + sum over j < k of feedback[k][j] * e[j])^2. So
/// tap k does best if its error is near the negative sum.
struct WinogradTile::RoundingOrder {
  std::vector<unsigned> taps;
  std::vector<double> weight;
  std::vector<std::vector<double>> feedback;
};

std::vector<double> WinogradTile::computeErrorForm() const {
  std::vector<double> form(taps() * taps());
  for (unsigned output = 0; output < outputs(); ++output)
    for (unsigned a = 0; a < taps(); ++a)
      for (unsigned b = 0; b < taps(); ++b) {
        // What a tap adds to the window that the output sees of the tile.
        int64_t both = at(output, a) * at(output, b), sumA = 0, sumB = 0;
        int64_t product = 0;
        for (unsigned cell = 0; cell < taps(); ++cell) {
          sumA += bt(a, cell), sumB += bt(b, cell);
          product += bt(a, cell) * bt(b, cell);
        }
        // Independent cells of variance 1 and of mean 1.
        form[a * taps() + b] += double(both * (product + sumA * sumB));
      }
  return form;
}

/// Taps of coarse steps first: later ones can still make up for their errors.
WinogradTile::RoundingOrder
WinogradTile::roundingOrder(std::span<const double> steps) const {
  auto form = [&](unsigned a, unsigned b) { return errorForm[a * taps() + b]; };
  RoundingOrder order{std::vector<unsigned>(taps()),
                      std::vector<double>(taps()),
                      std::vector<std::vector<double>>(taps())};
  std::iota(order.taps.begin(), order.taps.end(), 0u);
  std::ranges::stable_sort(order.taps, [&](unsigned a, unsigned b) {
    return steps[a] * steps[a] * form(a, a) > steps[b] * steps[b] * form(b, b);
  });
  // Completes squares from the last tap on. The form is positive definite: no
  // change of the taps leaves the windows of all outputs as they are.
  std::vector<std::vector<double>> rest(taps(), std::vector<double>(taps()));
  for (unsigned i = 0; i < taps(); ++i)
    for (unsigned j = 0; j < taps(); ++j)
      rest[i][j] = form(order.taps[i], order.taps[j]);
  for (unsigned k = taps(); k-- > 0;) {
    order.weight[k] = rest[k][k];
    for (unsigned j = 0; j < k; ++j)
      order.feedback[k].push_back(rest[k][j] / rest[k][k]);
    for (unsigned i = 0; i < k; ++i)
      for (unsigned j = 0; j < k; ++j)
        rest[i][j] -= rest[k][i] * order.feedback[k][j];
  }
  return order;
}

double WinogradTile::roundWeights(std::span<const float> transformed,
                                  std::span<const double> steps, int64_t lowest,
                                  int64_t highest,
                                  std::span<int64_t> rounded) const {
  assert(steps.size() == taps() && "one step per tap");
  assert(transformed.size() == rounded.size());
  std::size_t channels = transformed.size() / taps();
  RoundingOrder order = roundingOrder(steps);
  double error = 0;
  std::vector<double> errors(transformed.size()); // [taps in order, channels]
  std::vector<double> wanted(channels);
  for (unsigned k = 0; k < taps(); ++k) {
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

int64_t WinogradTile::sumBound(std::span<const int64_t> weights,
                               std::span<const unsigned> shifts) const {
  assert(shifts.size() == taps() && "one shift per tap");
  constexpr int64_t kLargestInput = 128;
  std::size_t channels = weights.size() / taps();
  // In 64 bits: 2^7 inputs * gain 4 * 2^15 weights * channels << 5.
  std::vector<int64_t> ofTaps(taps());
  for (unsigned tap = 0; tap < taps(); ++tap) {
    int64_t sum = 0, inputGain = 0;
    for (int64_t w : weights.subspan(tap * channels, channels))
      sum += std::abs(w);
    for (unsigned cell = 0; cell < taps(); ++cell)
      inputGain += std::abs(bt(tap, cell));
    ofTaps[tap] = (sum * kLargestInput * inputGain) << shifts[tap];
  }
  int64_t bound = 0;
  for (unsigned output = 0; output < outputs(); ++output) {
    int64_t sum = 0;
    for (unsigned tap = 0; tap < taps(); ++tap)
      sum += std::abs(at(output, tap)) * ofTaps[tap];
    bound = std::max(bound, sum);
  }
  return bound;
}

int64_t WinogradTile::responseToOnes(std::span<const int64_t> weights,
                                     std::span<const unsigned> shifts) const {
  assert(shifts.size() == taps() && "one shift per tap");
  std::size_t channels = weights.size() / taps();
  // B^T of F(2,3) takes ones to (0, 2, 0, 0), and A^T gives that tap to both
  // outputs, so the first output stands for all.
  int64_t response = 0;
  for (unsigned tap = 0; tap < taps(); ++tap) {
    int64_t factor = 0;
    for (unsigned cell = 0; cell < taps(); ++cell)
      factor += at(0, tap) * bt(tap, cell);
    for (int64_t w : weights.subspan(tap * channels, channels))
      response += factor * w * (int64_t(1) << shifts[tap]);
  }
  return response;
}

} // namespace yarrow
