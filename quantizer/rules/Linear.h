//===- Linear.h - Weights, bias and requantization of a linear layer ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What convolutions, fully connected layers, BatchNorm and the affine part of
// LayerNorm have in common: acc = sum(x * w) + b per output channel, brought to
// the output's scale (docs/operators/conv.md, Convolution).
//
//   bool ok = quantizeLinear(layer, {.input = in, .output = out});
//
// The steps are there for forms whose weights are rounded in another way:
//
//   auto constants = linearConstants(layer, linear);
//   QuantizedLinear q = ...;
//   setLinear(layer, linear, q);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_LINEAR_H
#define YARROW_QUANTIZER_RULES_LINEAR_H

#include "quantizer/rules/LayerContext.h"

#include <optional>
#include <span>
#include <vector>

namespace yarrow {

struct LinearLayer {
  LinearParams input, output;
  unsigned weightBits = 8;
  /// The kernel takes biases of 64 bits, which bias_bits above 32 ask for.
  bool takesWideBias = false;
  /// Channels that may have scales of their own even per tensor.
  unsigned groups = 1;
  /// Output channels that share a filter, one in each group: 1 but of a
  /// transposed convolution. Channel i has filter i % filters.
  unsigned filterUses = 1;
  bool unifyShifts = true;
  /// Padding and the input's zero point are folded into the bias.
  bool absorbInputZp = true;
  /// Per-tensor scale and shift are written as tensors all the same.
  bool alwaysTensors = false;
};

/// Sets weights, biases, scale and shift. Filters are the first axis of the
/// weights.
bool quantizeLinear(LayerContext &layer, const LinearLayer &linear);

//===--- Steps ------------------------------------------------------------===//

/// Float weights and as many biases as there are output channels.
struct LinearConstants {
  std::vector<float> weights, biases;
  std::vector<int64_t> shape; ///< of the weights
  /// Filters, and weights of one. But of transposed convolutions, a filter is
  /// an output channel.
  std::size_t channels = 1, perChannel = 1;

  std::span<const float> of(std::size_t channel) const {
    return std::span(weights).subspan(channel * perChannel, perChannel);
  }
};

/// What the layer sets.
struct QuantizedLinear {
  std::vector<int64_t> shape; ///< of the weights
  /// As the IR stores them: some layers have a hundred million.
  std::vector<char> weights;
  std::vector<int64_t> biases;
  ChannelParams params; ///< of each filter
  bool perTensor = false;
};

/// Checks the layer's options and constants. nullopt after a diagnostic.
std::optional<LinearConstants> linearConstants(LayerContext &layer,
                                               const LinearLayer &linear);

/// The bits of a bias: at most those of the sums, which are 32 for 8-bit
/// inputs.
unsigned biasBitsOf(const LayerContext &layer, const LinearLayer &linear);

/// The smallest bound of the weights' range whose scale leaves \p bias, and as
/// much again for the zero point's part, within bias_bits. Matters to 16-bit
/// weights, and to channels that training has switched off: their weights are
/// next to nothing, so their scale would saturate the bias, which is all that
/// such a channel has.
float boundForBias(const LayerContext &layer, const LinearLayer &linear,
                   float bias);

/// The range of \p values by calibration_strategy_for_weight, but for in_ir:
/// their extrema. \p isPart: of a channel or a tap, not all weights.
FloatRange weightRange(const LayerContext &layer, std::span<const float> values,
                       unsigned bits, bool isPart);
/// That of the layer's weights as they are in the IR, or of one channel; also
/// by in_ir.
FloatRange weightRangeOf(const LayerContext &layer,
                         const LinearConstants &constants, unsigned bits,
                         std::optional<std::size_t> channel = {});

/// output scale / (input scale * \p weightScale)
inline float requantRatio(const LinearLayer &linear, float weightScale) {
  return linear.output.scale / (linear.input.scale * weightScale);
}
/// Whether a multiplier and a shift approximate the ratios.
bool requantFits(const ChannelParams &params);

void setLinear(LayerContext &layer, const LinearLayer &linear,
               QuantizedLinear quantized);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_LINEAR_H
