//===- LowerOptions.h - How a network is lowered ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The shares of the SRAM, and the optimisations that an unoptimised run leaves
// out. If a plan does not fit, the next options are tried.
//
//   for (const LowerOptions &options : lowerAttempts(/*optimize=*/true)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_LOWEROPTIONS_H
#define YARROW_PASSES_LOWER_CHOOSE_LOWEROPTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

namespace yarrow::npu {

enum class WeightLoads {
  Plain,
  Streams, ///< That the DMA engine decodes, where those are shorter.
  /// In a trial: streams of half the bytes, whatever the bytes are. What that
  /// does not make faster, no encoding does.
  HalfStreams
};

struct LowerOptions {
  /// Compute a residual add in the epilogue of the convolution before it.
  bool fuseResidual = true;
  /// Part of the SRAM that intermediate tensors may occupy for their whole
  /// life; 0 sends every intermediate tensor through DDR.
  double residentFraction = 0.75;
  /// Part of what resident tensors leave that the tiles of a layer may occupy.
  double tileFraction = 1.0;
  /// The most bytes of a layer's weights that are loaded at once, where they
  /// can be cut: computing begins with the first part, and a part is in SRAM
  /// for less time.
  uint64_t weightPartBytes = UINT64_MAX;
  /// Bands of rows in which the network's input is loaded, beside the layer
  /// that reads it; planes of channels are put in order by their load as well.
  /// 0: at once, and by the Transpose.
  uint32_t inputBands = 0;
  /// Take a kernel's columns for channels where there are few.
  bool foldColumns = true;
  /// Give the branches of a Concat its scale where they are made, and copy.
  bool splitConcat = true;
  /// Take convolutions between which too much lies for the SRAM band by band.
  bool cascades = false;
  /// So many cores execute the first layers together, those that gain by it.
  uint32_t cores = 1;
  uint32_t dividedLayers = UINT32_MAX;
  /// They do so in runs of layers, row by row, wherever that costs least;
  /// PartOptions (RowRuns.h) says what `busPercent` is.
  bool rowRuns = false;
  uint32_t busPercent = 0;
  /// How weights are loaded.
  WeightLoads weightLoads = WeightLoads::Plain;
  /// To be planned only: constants have sizes, but no bytes.
  bool isTrial = false;
  /// Copy what a TEC kernel reads and writes through SRAM.
  bool stageKernels = true;

  bool operator==(const LowerOptions &) const = default;
};

/// \p options without what the module is to be compiled without.
LowerOptions withoutDisabled(LowerOptions options, mlir::ModuleOp module);

/// How much SRAM resident tensors and tiles may claim, from the best case down
/// to plans that always fit because hardly anything shares the memory.
llvm::ArrayRef<LowerOptions> lowerAttempts(bool optimize);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_LOWEROPTIONS_H
