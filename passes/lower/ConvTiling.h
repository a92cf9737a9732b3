//===- ConvTiling.h - How a convolution is cut ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer whose input, weights and output do not fit in the free SRAM is cut
// into tiles of output rows and output channels. The cut that is ready first
// wins, by the longer of what DDR and multipliers need; of those that are equal
// the one that moves the fewest bytes from DDR.
//
//   ConvTiling cut = chooseTiling(layer, freeBytes, {.input = true}, machine);
//   if (cut.rows == 0) return false; // not even the smallest tile fits
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CONVTILING_H
#define YARROW_PASSES_LOWER_CONVTILING_H

#include "passes/lower/ConvLayer.h"

namespace yarrow::npu {

/// Tiles of rows and of output channels, which loop is outside, and how many
/// phases' weights are in SRAM at once: those of one, or of all.
struct ConvTiling {
  uint32_t rows = 0, channels = 0;
  uint32_t phases = 1;
  bool channelsOutside = false;
};

/// Which tensors of the layer are in SRAM as a whole.
struct ConvResidents {
  bool input = false, output = false, residual = false;
};

/// The cheapest cut that fits in \p freeBytes; rows is 0 if none does.
ConvTiling chooseTiling(const ConvLayer &layer, uint64_t freeBytes,
                        const ConvResidents &resident,
                        const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CONVTILING_H
