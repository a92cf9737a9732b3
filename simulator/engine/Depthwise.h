//===- Depthwise.h - Channel-by-channel convolution -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Depthwise convolution: no products are shared between channels, so channels
// are the vector and window cells the loop.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_DEPTHWISE_H
#define YARROW_SIMULATOR_ENGINE_DEPTHWISE_H

#include "simulator/engine/ConvOutput.h"
#include "simulator/engine/ConvWeights.h"
#include "simulator/engine/ImageRows.h"

namespace yarrow::sim {

/// \p image holds each channel once per filter on it.
void runDepthwise(const isa::Conv &conv, const ConvWeights &weights,
                  const ImageRows &image, ConvOutput &output);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_DEPTHWISE_H
