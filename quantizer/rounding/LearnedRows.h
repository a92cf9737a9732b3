//===- LearnedRows.h - Training data of one layer ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What methods that learn a layer's integers by gradients share: rows of inputs
// of the quantized network with the float network's sums for them, batches of
// these in a seeded order, and Adam's steps.
//
//   LearnedRows data(layer, /*samples=*/64);
//   for (uint64_t i = 0; i < iterations; ++i) {
//     data.nextBatch(batchSize);
//     data.addGradient(g, w, biases, gradient, biasGradient);
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_LEARNEDROWS_H
#define YARROW_QUANTIZER_ROUNDING_LEARNEDROWS_H

#include "quantizer/rounding/Rounding.h"

#include <random>
#include <span>
#include <vector>

namespace yarrow {

/// Adam (Kingma and Ba, 2014) for one array of parameters.
class Adam {
public:
  Adam(std::size_t size, double rate) : rate(rate), first(size), second(size) {}
  void step(std::span<const float> gradient, std::span<float> values);

private:
  double rate;
  uint64_t count = 0;
  std::vector<float> first, second;
};

class LearnedRows {
public:
  /// Of the first \p samples samples.
  LearnedRows(const RoundingLayer &layer, std::size_t samples);

  std::size_t numSamples() const { return samples; }
  std::size_t numGroups() const { return inputs.size(); }
  /// Chooses \p batchSize samples, in an order that is new each time that all
  /// have been seen.
  void nextBatch(std::size_t batchSize);
  /// The gradient of the mean over the batch's pixels of the sum over channels
  /// of the square error behind the layer's rectifier, by the weights of
  /// \p group, [output, term], and by its biases.
  void gradient(std::size_t group, const Matrix &weights,
                std::span<const float> biases, Matrix &byWeights,
                std::span<float> byBiases) const;

private:
  const RoundingLayer &layer;
  std::size_t samples, perSample;
  std::vector<Matrix> inputs, targets; ///< by group: [row, term], [row, output]
  std::mt19937_64 random;
  std::vector<std::size_t> order, batch;
  std::size_t next = 0;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_LEARNEDROWS_H
