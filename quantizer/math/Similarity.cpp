//===- Similarity.cpp - How near two signals are --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Similarity.h"

#include "support/Format.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace yarrow {

void Similarity::add(std::span<const float> signal,
                     std::span<const float> approximation) {
  assert(signal.size() == approximation.size() && "signals of other lengths");
  for (std::size_t i = 0; i < signal.size(); ++i) {
    double a = signal[i], b = approximation[i], error = std::fabs(a - b);
    dot += a * b;
    signalSquares += a * a;
    approximationSquares += b * b;
    noiseSquares += error * error;
    maxError = std::max(maxError, error);
  }
  count += signal.size();
}

void Similarity::merge(const Similarity &other) {
  dot += other.dot;
  signalSquares += other.signalSquares;
  approximationSquares += other.approximationSquares;
  noiseSquares += other.noiseSquares;
  maxError = std::max(maxError, other.maxError);
  count += other.count;
}

double Similarity::cosine() const {
  if (signalSquares == 0 || approximationSquares == 0)
    return signalSquares == approximationSquares ? 1 : 0;
  return dot / (std::sqrt(signalSquares) * std::sqrt(approximationSquares));
}

double Similarity::sqnrDb() const {
  if (noiseSquares == 0)
    return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signalSquares / noiseSquares);
}

std::string Similarity::sqnrText(int digits) const {
  if (noiseSquares == 0)
    return "exact";
  return signalSquares == 0 ? "-inf" : formatFixed(sqnrDb(), digits);
}

} // namespace yarrow
