//===- Lower.h - From layers to engine commands ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Turns a module of integer (or mixed) Compass layers into a module of npu
// commands: which engine computes a layer, which tensors stay in SRAM, how a
// layer that does not fit is cut into tiles, and which copies feed them.
// Addresses and waits come later (passes/plan, passes/schedule).
//
//   LowerOptions options;
//   auto npuModule = lowerToNpu(module, machine, options, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_LOWER_H
#define YARROW_PASSES_LOWER_LOWER_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
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

/// The lowered module; null after errors.
mlir::OwningOpRef<mlir::ModuleOp> lowerToNpu(mlir::ModuleOp module,
                                             const isa::Machine &machine,
                                             const LowerOptions &options,
                                             DiagnosticEngine &diags);

/// Registers the dialect of the result.
void registerNpuDialect(mlir::MLIRContext &context);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_LOWER_H
