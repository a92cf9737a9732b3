//===- BiasBits.cpp - How many bits of a bias take part -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/BiasBits.h"

#include "quantizer/math/QuantParams.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace yarrow {

static std::vector<double> logSoftmax(const std::vector<double> &x) {
  double largest = *std::ranges::max_element(x), sum = 0;
  for (double v : x)
    sum += std::exp(v - largest);
  std::vector<double> result;
  result.reserve(x.size());
  for (double v : x)
    result.push_back(v - largest - std::log(sum));
  return result;
}

/// sum(p * ln(p / q)) over the number of values, as the reference has it.
static double divergence(const std::vector<double> &p,
                         const std::vector<double> &q) {
  std::vector<double> logP = logSoftmax(p), logQ = logSoftmax(q);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    sum += std::exp(logP[i]) * (logP[i] - logQ[i]);
  return sum / double(p.size());
}

unsigned adaptedBiasBits(std::span<const float> biases,
                         std::span<const float> scales, unsigned bits,
                         unsigned effectiveBits) {
  effectiveBits = std::min(effectiveBits, bits);
  auto quantized = [&](unsigned width) {
    std::vector<int64_t> q;
    for (std::size_t i = 0; i < biases.size(); ++i)
      q.push_back(quantizeValue(biases[i], scales[i], 0,
                                integerMin(width, true),
                                integerMax(width, true)));
    return q;
  };
  auto real = [&](const std::vector<int64_t> &q) {
    std::vector<double> x;
    for (std::size_t i = 0; i < q.size(); ++i)
      x.push_back(double(q[i]) / double(scales[i]));
    return x;
  };
  std::vector<int64_t> full = quantized(bits), cleared = full;
  clearLowBiasBits(cleared, effectiveBits);
  if (biases.empty() || full == cleared)
    return bits;
  // The first comparison is of the stored integers themselves, as the
  // reference's: only whether the low bits matter is asked.
  std::vector<double> exact(biases.begin(), biases.end());
  double change = divergence(exact, {full.begin(), full.end()}) -
                  divergence(exact, {cleared.begin(), cleared.end()});
  if (!(std::fabs(change) > 0.05))
    return bits;
  unsigned best = bits;
  double least = 0;
  for (unsigned width = std::min(std::max(effectiveBits, 19u), bits - 1);
       width < bits; ++width) {
    std::vector<int64_t> q = quantized(width), low = q;
    clearLowBiasBits(low, effectiveBits);
    double distance = std::fabs(divergence(real(q), real(low)));
    if (best == bits || distance < least) {
      best = width;
      least = distance;
    }
  }
  return best;
}

} // namespace yarrow
