//===- CascadeBands.h - Row bands through several convolutions --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A cascade is computed in bands: some rows of its last result, with the rows
// of all earlier layers that their windows cover. Rows that two bands need are
// computed twice. Large bands repeat fewer rows, small bands take less SRAM.
//
//   CascadeBands bands = chooseBands(stages, freeBytes, machine);
//   if (bands.rows == 0) ... // not even one row fits
//   for (uint32_t row = 0; row < last.outH; row += bands.rows)
//     for (const OutputPart &part : partsOf(stages, {...row...})) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_CASCADEBANDS_H
#define YARROW_PASSES_LOWER_CHOOSE_CASCADEBANDS_H

#include "passes/lower/choose/ConvCost.h"

namespace yarrow::npu {

/// A layer of a cascade.
struct CascadeStage {
  const ConvLayer *layer;
  /// Of the tensors that are not between two stages.
  ConvResidents resident;
  uint64_t tableBytes = 0;
};

/// What each stage computes for \p last, rows of the last one's result.
llvm::SmallVector<OutputPart> partsOf(llvm::ArrayRef<CascadeStage> stages,
                                      const OutputPart &last);

/// How a stage's tiles are described: what lies between two stages is a part of
/// a tensor, wherever that would be as a whole.
ConvResidents describedResidents(llvm::ArrayRef<CascadeStage> stages, size_t i);

struct CascadeBands {
  uint32_t rows = 0;
  uint64_t leastCycles = UINT64_MAX;    ///< Of all stages together.
  std::vector<isa::WorkCost> stageWork; ///< Without look-up tables.
};

/// The largest bands of up to \p mostRows rows that fit in \p freeBytes.
CascadeBands chooseBands(llvm::ArrayRef<CascadeStage> stages,
                         uint64_t freeBytes, const isa::Machine &machine,
                         uint32_t mostRows = UINT32_MAX);

/// The same, if cores have a range of rows each; leastCycles is the time from
/// one barrier to the next.
CascadeBands chooseBandsForCores(llvm::ArrayRef<CascadeStage> stages,
                                 uint64_t freeBytes, uint32_t cores,
                                 const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_CASCADEBANDS_H
