//===- ChannelWeights.cpp - Float weights, by channel ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/channels/ChannelWeights.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/norm/NormOps.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

std::optional<ChannelWeights> ChannelWeights::of(mlir::Operation *op) {
  if (!mlir::isa<ConvolutionOp, DepthwiseConvOp, FullyConnectedOp>(op))
    return std::nullopt;
  auto weights = tensorKey(op, keys::weights),
       biases = tensorKey(op, keys::biases);
  if (!weights || !biases || viewConstant(weights)->dtype != DType::F32 ||
      viewConstant(biases)->dtype != DType::F32)
    return std::nullopt;
  if (mlir::isa<ConvolutionOp>(op) && intKey(op, keys::group) != 1)
    return std::nullopt;
  ChannelWeights w;
  w.op = op;
  w.weights = floatsOf(*viewConstant(weights));
  w.biases = floatsOf(*viewConstant(biases));
  w.isDepthwise = mlir::isa<DepthwiseConvOp>(op);
  auto shape = viewConstant(weights)->shape;
  w.numOutputs = std::size_t(shape.front());
  w.terms = w.weights.size() / w.numOutputs;
  w.numInputs = std::size_t(w.isDepthwise ? compass::inputShape(op, 0).back()
                                          : shape.back());
  if (w.biases.size() != w.numOutputs)
    return std::nullopt;
  return w;
}

std::optional<ChannelWeights> ChannelWeights::ofNorm(mlir::Operation *op) {
  if (!mlir::isa<RMSNormOp, LayerNormOp, GroupNormOp, InstanceNormOp,
                 BatchNormOp>(op))
    return std::nullopt;
  auto weights = tensorKey(op, keys::weights),
       biases = tensorKey(op, keys::biases);
  if (!weights || viewConstant(weights)->dtype != DType::F32)
    return std::nullopt;
  ChannelWeights w;
  w.op = op;
  w.weights = floatsOf(*viewConstant(weights));
  if (biases)
    w.biases = floatsOf(*viewConstant(biases));
  w.numOutputs = w.weights.size();
  w.terms = 1;
  auto channels = std::size_t(compass::shapeOf(op->getResult(0)).back());
  if (w.numOutputs != channels || (biases && w.biases.size() != channels))
    return std::nullopt;
  return w;
}

/// Calls \p body with the place of each weight that input channel \p c meets.
template <typename Body>
void ChannelWeights::forInput(std::size_t c, const Body &body) const {
  if (isDepthwise) {
    std::size_t multiplier = numOutputs / numInputs;
    for (std::size_t i = c * multiplier * terms;
         i < (c + 1) * multiplier * terms; ++i)
      body(i);
    return;
  }
  for (std::size_t i = c; i < weights.size(); i += numInputs)
    body(i);
}

float ChannelWeights::largestOfOutput(std::size_t c) const {
  float largest = 0;
  for (std::size_t i = c * terms; i < (c + 1) * terms; ++i)
    largest = std::max(largest, std::fabs(weights[i]));
  return largest;
}

float ChannelWeights::largestOfInput(std::size_t c) const {
  float largest = 0;
  forInput(c, [&](std::size_t i) {
    largest = std::max(largest, std::fabs(weights[i]));
  });
  return largest;
}

std::vector<float> ChannelWeights::largestShares() const {
  std::vector<float> shares(numInputs);
  for (std::size_t o = 0; o < numOutputs; ++o) {
    float largest = largestOfOutput(o);
    for (std::size_t i = 0; largest > 0 && i < terms; ++i) {
      std::size_t c = isDepthwise ? o * numInputs / numOutputs : i % numInputs;
      shares[c] =
          std::max(shares[c], std::fabs(weights[o * terms + i]) / largest);
    }
  }
  return shares;
}

double ChannelWeights::squaresOfInput(std::size_t c) const {
  double squares = 0;
  forInput(c,
           [&](std::size_t i) { squares += double(weights[i]) * weights[i]; });
  return squares;
}

void ChannelWeights::scaleOutput(std::size_t c, float factor) {
  for (std::size_t i = c * terms; i < (c + 1) * terms; ++i)
    weights[i] *= factor;
  if (!biases.empty())
    biases[c] *= factor;
}

void ChannelWeights::scaleInput(std::size_t c, float factor) {
  forInput(c, [&](std::size_t i) { weights[i] *= factor; });
}

void ChannelWeights::store() const {
  auto set = [&](TensorKey name, const std::vector<float> &values) {
    mlir::ElementsAttr old = tensorKey(op, name);
    op->setAttr(name,
                makeConstantOf<float>(
                    op->getContext(), (layerNameOf(op) + "_" + name).str(),
                    viewConstant(old)->shape, DType::F32, values));
  };
  set(keys::weights, weights);
  if (!biases.empty())
    set(keys::biases, biases);
}
