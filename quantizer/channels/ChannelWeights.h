//===- ChannelWeights.h - Float weights, by channel -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Weights of a float layer whose input and output channels can be scaled, for
// methods that move factors from one layer to another: convolutions, depthwise
// convolutions and fully connected layers, and normalizations, whose gamma and
// beta stand for output channels.
//
//   auto a = ChannelWeights::of(first), b = ChannelWeights::of(second);
//   a->scaleOutput(c, 1 / s);
//   b->scaleInput(c, s); // the network computes what it did
//   a->store(), b->store();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CHANNELS_CHANNELWEIGHTS_H
#define YARROW_QUANTIZER_CHANNELS_CHANNELWEIGHTS_H

#include "mlir/IR/Operation.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace yarrow {

class ChannelWeights {
public:
  /// Nullopt for other layers, and for groups of more than one channel.
  static std::optional<ChannelWeights> of(mlir::Operation *op);
  /// The same of a normalization over the last axis: it has no inputs to scale.
  static std::optional<ChannelWeights> ofNorm(mlir::Operation *op);

  mlir::Operation *op = nullptr;
  std::size_t outputs() const { return numOutputs; }
  std::size_t inputs() const { return numInputs; }

  /// Whether each output reads one input channel.
  bool isByChannel() const { return isDepthwise; }

  /// Weights of one output for one input channel that it reads.
  std::size_t taps() const { return isDepthwise ? terms : terms / numInputs; }

  float largestOfOutput(std::size_t c) const;
  float largestOfInput(std::size_t c) const;
  /// By input channel, the most that a weight is of the largest of its output.
  std::vector<float> largestShares() const;
  /// Sum of the squares of the weights that input channel \p c meets.
  double squaresOfInput(std::size_t c) const;
  /// Weights and bias of output channel \p c times \p factor > 0.
  void scaleOutput(std::size_t c, float factor);
  void scaleInput(std::size_t c, float factor);
  /// Gives the layer its weights.
  void store() const;

private:
  template <typename Body> void forInput(std::size_t c, const Body &body) const;

  bool isDepthwise = false;
  std::size_t numOutputs = 0, numInputs = 0, terms = 0;
  std::vector<float> weights, biases;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_CHANNELS_CHANNELWEIGHTS_H
