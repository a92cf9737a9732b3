//===- Lower.h - From layers to engine commands ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Adds to a network of integer (or mixed) Compass layers the npu commands that
// compute it: which engine computes a layer, which tensors stay in SRAM, how a
// layer that does not fit is cut into tiles, and which copies feed them.
// Addresses and waits come later (passes/plan, passes/schedule).
//
//   if (!lowerToNpu(module, machine, {}, diags)) ... // else it has @npu_main
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_LOWER_H
#define YARROW_PASSES_LOWER_LOWER_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"

namespace yarrow::npu {

struct LowerOptions {
  /// Compute a residual add in the epilogue of the convolution before it.
  bool fuseResidual = true;
  /// Part of the SRAM that intermediate tensors may occupy for their whole
  /// life; 0 sends every intermediate tensor through DDR.
  double residentFraction = 0.75;
  /// Part of what resident tensors leave that the tiles of a layer may occupy.
  double tileFraction = 1.0;
  /// Copy what a TEC kernel reads and writes through SRAM.
  bool stageKernels = true;
};

/// How much SRAM resident tensors and tiles may claim, from the best case down
/// to plans that always fit because hardly anything shares the memory.
llvm::ArrayRef<LowerOptions> lowerAttempts(bool optimize);

/// Puts @npu_main into \p module, in the place of one that is there. False, and
/// none is there, after errors.
bool lowerToNpu(mlir::ModuleOp module, const isa::Machine &machine,
                const LowerOptions &options, DiagnosticEngine &diags);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_LOWER_H
