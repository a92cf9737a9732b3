//===- LearnedRows.h - Training data of one layer ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What methods that learn a layer's integers by gradients share: rows of inputs
// of the quantized network with the float network's sums for them, batches of
// these in a seeded order.
//
//   LearnedRows data(layer, /*samples=*/64);
//   for (uint64_t i = 0; i < iterations; ++i) {
//     data.nextBatch(batchSize);
//     data.gradient(inSteps, biases, byWeights, byBiases);
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_LEARNEDROWS_H
#define YARROW_QUANTIZER_ROUNDING_LEARNEDROWS_H

#include "quantizer/rounding/Adam.h"
#include "quantizer/rounding/Rounding.h"

#include <span>
#include <vector>

namespace yarrow {

class LearnedRows {
public:
  /// Of the first \p samples samples.
  LearnedRows(const WeightedLayer &layer, std::size_t samples);

  std::size_t numSamples() const { return samples; }
  std::size_t numGroups() const { return inputs.size(); }
  /// Chooses \p batchSize samples, in an order that is new each time that all
  /// have been seen.
  void nextBatch(std::size_t batchSize);
  /// The gradient of the mean over the batch's pixels of the sum over channels
  /// of the square error behind the layer's rectifier, by the layer's weights
  /// in steps, which need not be whole, and by its biases.
  void gradient(std::span<const float> inSteps, std::span<const float> biases,
                std::span<float> byWeights, std::span<float> byBiases) const;

private:
  /// Of one group, by weights as real numbers, [output, term].
  void gradient(std::size_t group, const Matrix &weights,
                std::span<const float> biases, Matrix &byWeights,
                std::span<float> byBiases) const;

  const WeightedLayer &layer;
  std::size_t samples, perSample;
  std::vector<Matrix> inputs, targets; ///< by group: [row, term], [row, output]
  SampleOrder order;
  std::vector<std::size_t> batch;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_LEARNEDROWS_H
