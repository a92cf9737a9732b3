//===- Winograd.h - The tensor engine's Winograd mode -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Executes a conv command whose `winograd` is not None, as docs/isa.md defines
// it: transform of the input tiles, products of taps and channels, transform of
// the sums. The output stage is that of any convolution.
//
//   runWinograd(conv, operands, weights, scratch, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_WINOGRAD_H
#define YARROW_SIMULATOR_ENGINE_WINOGRAD_H

#include "simulator/engine/ConvOutput.h"
#include "simulator/engine/ConvWeights.h"
#include "simulator/engine/ImageRows.h"

namespace yarrow::sim {

/// What is of use within one command.
struct WinogradScratch {
  ImageRows image;
  Scratch<int16_t> columns, inputs;       ///< Transformed along y; transformed.
  Scratch<int32_t> products, results;     ///< Before and after the transform.
  Scratch<int64_t> wideSums, wideResults; ///< If 32 bits may not do.
};

/// \p operands are checked, \p weights those of the command.
void runWinograd(const isa::Conv &conv, const ConvOperands &operands,
                 const ConvWeights &weights, WinogradScratch &scratch,
                 ConvOutput &output);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_WINOGRAD_H
