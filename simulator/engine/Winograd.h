//===- Winograd.h - The tensor engine's Winograd mode ---------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Executes a conv command whose `winograd` is not None, as docs/isa.md defines
// it: transform of the input tiles, products of taps and channels, transform of
// the sums. The output stage is that of any convolution.
//
//   runWinograd(conv, operands, weights, image, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_WINOGRAD_H
#define YARROW_SIMULATOR_ENGINE_WINOGRAD_H

#include "simulator/engine/ConvOutput.h"
#include "simulator/engine/ConvWeights.h"
#include "simulator/engine/ImageRows.h"

namespace yarrow::sim {

/// \p operands are checked, \p weights those of the command; \p image is
/// scratch.
void runWinograd(const isa::Conv &conv, const ConvOperands &operands,
                 const ConvWeights &weights, ImageRows &image,
                 ConvOutput &output);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_WINOGRAD_H
