//===- LearnedRows.cpp - Training data of one layer -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/LearnedRows.h"

#include <algorithm>

using namespace yarrow;

/// Pixels of a sample that are kept: neighbours tell nearly the same, and the
/// rows of all samples have to fit memory.
static std::size_t pixelsOf(const LayerRows &rows, std::size_t samples) {
  constexpr std::size_t kMostElements = std::size_t(8) << 20;
  std::size_t width = rows.groups() * (rows.terms() + rows.outputsPerGroup());
  return std::clamp<std::size_t>(kMostElements /
                                     std::max<std::size_t>(1, width * samples),
                                 1, std::min<std::size_t>(rows.pixels(), 64));
}

LearnedRows::LearnedRows(const WeightedLayer &layer, std::size_t wanted)
    : layer(layer),
      samples(std::clamp<std::size_t>(wanted, 1, layer.layer.numSamples)),
      perSample(pixelsOf(layer.rows, samples)), order(samples, layer.seed) {
  const IntegerWeights &w = layer.weights;
  std::size_t perGroup = layer.rows.outputsPerGroup();
  std::vector<Matrix> floats =
      layer.rows.gather(InputsOf::Floats, 0, samples, perSample);
  inputs = layer.rows.gather(InputsOf::Integers, 0, samples, perSample);
  for (std::size_t g = 0; g < inputs.size(); ++g) {
    Matrix transposed(w.terms, perGroup);
    for (std::size_t o = 0; o < perGroup; ++o)
      for (std::size_t i = 0; i < w.terms; ++i)
        transposed.at(i, o) = w.weightsOf(g * perGroup + o)[i];
    Matrix sums(floats[g].rows, perGroup);
    for (std::size_t r = 0; r < sums.rows; ++r)
      std::copy_n(w.biases.data() + g * perGroup, perGroup, sums.row(r));
    addProduct(floats[g], transposed, sums);
    targets.push_back(std::move(sums));
  }
}

void LearnedRows::nextBatch(std::size_t batchSize) {
  batch = order.next(std::max<std::size_t>(1, batchSize));
}

void LearnedRows::gradient(std::size_t group, const Matrix &weights,
                           std::span<const float> biases, Matrix &byWeights,
                           std::span<float> byBiases) const {
  std::size_t rows = batch.size() * perSample, outputs = weights.rows;
  bool isRectified = layer.weights.isRectified();
  Matrix x(rows, weights.columns), errors(rows, outputs);
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t from = batch[i / perSample] * perSample + i % perSample;
    std::copy_n(inputs[group].row(from), weights.columns, x.row(i));
    std::copy_n(biases.data(), outputs, errors.row(i));
  }
  addProduct(x, weights.transposed(), errors);
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t from = batch[i / perSample] * perSample + i % perSample;
    const float *target = targets[group].row(from);
    float *sum = errors.row(i);
    for (std::size_t o = 0; o < outputs; ++o) {
      float wanted = isRectified ? std::max(target[o], 0.0f) : target[o];
      bool isOff = isRectified && sum[o] <= 0;
      // A rectified sum has no slope, but one that should not be rectified is
      // still to be led back.
      float error =
          isOff ? (wanted > 0 ? sum[o] - wanted : 0.0f) : sum[o] - wanted;
      sum[o] = 2 * error / float(rows);
      byBiases[o] += sum[o];
    }
  }
  addProduct(errors.transposed(), x, byWeights);
}

void LearnedRows::gradient(std::span<const float> inSteps,
                           std::span<const float> biases,
                           std::span<float> byWeights,
                           std::span<float> byBiases) const {
  const IntegerWeights &w = layer.weights;
  std::size_t perGroup = layer.rows.outputsPerGroup();
  std::fill(byBiases.begin(), byBiases.end(), 0.0f);
  for (std::size_t g = 0; g < inputs.size(); ++g) {
    Matrix real(perGroup, w.terms), byReal(perGroup, w.terms);
    std::size_t first = g * perGroup;
    for (std::size_t o = 0; o < perGroup; ++o)
      for (std::size_t i = 0; i < w.terms; ++i)
        real.at(o, i) = inSteps[(first + o) * w.terms + i] * w.steps[first + o];
    gradient(g, real, biases.subspan(first, perGroup), byReal,
             byBiases.subspan(first, perGroup));
    for (std::size_t o = 0; o < perGroup; ++o)
      for (std::size_t i = 0; i < w.terms; ++i)
        byWeights[(first + o) * w.terms + i] =
            byReal.at(o, i) * w.steps[first + o];
  }
}
