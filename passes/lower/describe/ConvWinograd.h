//===- ConvWinograd.h - Winograd layers on the tensor engine --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer with transformed weights runs in the tensor engine's Winograd mode,
// or as ordinary convolutions: one for each position of a tile's outputs
// (passes/winograd/Weights.h), which is a single one if they are all the same.
// Both compute the layer's integers exactly.
//
//   if (describeWinogradMode(call, machine, layer)) ...
//   else if (describeWinogradPhases(call, layer) && fitsAccumulator(layer)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_CONVWINOGRAD_H
#define YARROW_PASSES_LOWER_DESCRIBE_CONVWINOGRAD_H

#include "isa/Machine.h"
#include "passes/lower/describe/ConvLayer.h"

namespace yarrow::npu {

/// The layer in the engine's mode; false if the machine does not have it for
/// this layer or its sums may not fit 32 bits.
bool describeWinogradMode(const KernelCall &call, const isa::Machine &machine,
                          ConvLayer &layer);

/// The layer as ordinary convolutions; false if their weights have more than
/// 16 bits.
bool describeWinogradPhases(const KernelCall &call, ConvLayer &layer);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_CONVWINOGRAD_H
