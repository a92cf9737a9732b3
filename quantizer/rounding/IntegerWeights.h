//===- IntegerWeights.h - Weights of an integer layer, to be rounded anew -===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer y = sum(x * w) + b of an integer network beside its float form: what
// its integers stand for, once its scales are final, and how to change them.
//
// An output is acc * m / 2^s at the output's scale, so an integer weight counts
// in steps of in_scale * m / (2^s * out_scale). That is the step of the
// multiplier as it was rounded, not that of weights_scale: weights that are
// rounded to it make up for the multiplier's error.
//
//   auto w = IntegerWeights::of(floatOp, intOp, options);
//   if (!w) return; // no such layer
//   w->rounded[0] = 3;
//   w->setBiases(realBiases);
//   w->store();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_INTEGERWEIGHTS_H
#define YARROW_QUANTIZER_ROUNDING_INTEGERWEIGHTS_H

#include "dialects/compass/Tensors.h"
#include "mlir/IR/Operation.h"
#include "quantizer/options/QuantizerOptions.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace yarrow {

/// Convolution, DepthwiseConv and FullyConnected; their weights are [output,
/// ...], and the rest of the axes are the terms of an output's sum.
class IntegerWeights {
public:
  /// Nullopt if the layer is none of these, or its weights have a form of their
  /// own (Winograd's, zero points).
  static std::optional<IntegerWeights> of(mlir::Operation *floatOp,
                                          mlir::Operation *intOp,
                                          const LayerOptions &options);

  std::size_t outputs = 0, terms = 0;
  std::vector<float> weights, biases; ///< of the float network
  std::vector<int16_t> rounded;       ///< weights, as weights
  std::vector<float> steps;           ///< of a weight, by output
  int64_t lowest = 0, highest = 0;    ///< of a rounded weight

  std::span<const float> weightsOf(std::size_t output) const {
    return std::span(weights).subspan(output * terms, terms);
  }
  std::span<int16_t> roundedOf(std::size_t output) {
    return std::span(rounded).subspan(output * terms, terms);
  }
  std::span<const int16_t> roundedOf(std::size_t output) const {
    return std::span(rounded).subspan(output * terms, terms);
  }
  /// What the integer biases are as real numbers, without the input's zero
  /// point: those of the float network, or what a method has made of them.
  std::vector<float> storedBiases() const;
  /// The real numbers that biases are to be.
  void setBiases(std::span<const float> real) {
    biases = {real.begin(), real.end()};
  }
  /// Whether the layer ends with a rectifier of its own.
  bool isRectified() const;
  /// Sets the layer's weights and biases.
  void store() const;

private:
  mlir::Operation *op = nullptr;
  std::vector<float> biasSteps; ///< by output
  int64_t inputZp = 0;
  unsigned biasBits = 32, biasEffectiveBits = 32;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_INTEGERWEIGHTS_H
