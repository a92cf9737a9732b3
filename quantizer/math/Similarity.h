//===- Similarity.h - How near two signals are ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Cosine, signal-to-quantization-noise ratio and largest error of a signal and
// its approximation, accumulated over any number of samples.
//
//   Similarity s;
//   s.add(floatLogits, dequantizedLogits);
//   s.cosine(); s.sqnrDb(); s.maxError;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_SIMILARITY_H
#define YARROW_QUANTIZER_MATH_SIMILARITY_H

#include <cstdint>
#include <span>
#include <string>

namespace yarrow {

struct Similarity {
  double dot = 0, signalSquares = 0, approximationSquares = 0, noiseSquares = 0;
  double maxError = 0;
  uint64_t count = 0;

  /// \p signal and \p approximation have the same length.
  void add(std::span<const float> signal, std::span<const float> approximation);
  void merge(const Similarity &other);

  /// 1 if both are zero, 0 if one is.
  double cosine() const;
  double meanSquaredError() const {
    return count ? noiseSquares / double(count) : 0;
  }
  /// Decibels; infinite without noise.
  double sqnrDb() const;
  /// The same for a table: "exact" without noise, "-inf" without a signal.
  std::string sqnrText(int digits) const;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_SIMILARITY_H
