//===- ConvTiling.h - How a convolution is cut ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer whose input, weights and output do not fit in the free SRAM is cut
// into tiles of output rows and output channels. The fastest cut wins, by the
// cost model of the simulator; in a tie, the cut that moves the fewest bytes
// from DDR.
//
//   ConvTiling cut = chooseTiling(layer, freeBytes, {.input = true}, machine);
//   if (cut.rows == 0) return false; // not even the smallest tile fits
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_CONVTILING_H
#define YARROW_PASSES_LOWER_CHOOSE_CONVTILING_H

#include "passes/lower/choose/ConvCost.h"

#include <optional>

namespace yarrow::npu {

/// What all commands of a cut come to (isa/Cost.h), the simulator's figure for
/// them.
isa::WorkCost costOf(const ConvLayer &layer, const ConvTiling &tiling,
                     const ConvResidents &resident, const isa::Machine &machine,
                     const OutputRange &range);
inline isa::WorkCost costOf(const ConvLayer &layer, const ConvTiling &tiling,
                            const ConvResidents &resident,
                            const isa::Machine &machine) {
  return costOf(layer, tiling, resident, machine, OutputRange::all(layer));
}

/// What a cut may take.
struct TilingLimits {
  uint64_t sramBytes;                    ///< Of all that it holds there.
  uint64_t weightPartBytes = UINT64_MAX; ///< Of weights that one load brings.
  uint32_t inputBands = 1; ///< Tiles of rows that there are at least.
  /// What is to be made; none: all.
  std::optional<OutputRange> range = std::nullopt;
};

/// The cheapest cut within \p limits; rows is 0 if there is none. Weights that
/// cannot be cut further may be larger than the limit says.
ConvTiling chooseTiling(const ConvLayer &layer, const TilingLimits &limits,
                        const ConvResidents &resident,
                        const isa::Machine &machine);

/// An element of the module's kTilingsAttr: the cut, its costs, and whether
/// these are all that the layer costs.
mlir::DictionaryAttr tilingAttr(const ConvTiling &tiling,
                                const isa::WorkCost &work, int64_t layer,
                                bool isWholeLayer, mlir::Builder &builder);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_CONVTILING_H
