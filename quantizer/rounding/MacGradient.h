//===- MacGradient.h - A layer of products, there and back ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A convolution or a fully connected layer over one sample in floats, and how a
// loss changes with its inputs, weights and biases. Sums go in an order that
// the sizes alone decide.
//
//   macForward(map, x, weights, biases, y);
//   macBackward(map, x, weights, byY, {byX, byWeights, byBiases});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_MACGRADIENT_H
#define YARROW_QUANTIZER_ROUNDING_MACGRADIENT_H

#include "quantizer/rounding/Im2col.h"

#include <span>

namespace yarrow {

/// y[pixel, output] = biases[output] + sum of x * weights[output, term].
void macForward(const Im2col &map, std::span<const float> x,
                std::span<const float> weights, std::span<const float> biases,
                std::span<float> y);

/// What is added to: the slopes of the loss. An empty span is not wanted.
struct MacSlopes {
  std::span<float> byX, byWeights, byBiases;
};

void macBackward(const Im2col &map, std::span<const float> x,
                 std::span<const float> weights, std::span<const float> byY,
                 const MacSlopes &slopes);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_MACGRADIENT_H
