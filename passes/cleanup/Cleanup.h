//===- Cleanup.h - Simpler networks that compute the same -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rewrites that make a network smaller before it is quantized or lowered. The
// value-changing ones (up to float rounding) touch float layers only; the
// movement ones also apply to integer networks and keep every bit. Names of the
// network's outputs never change.
//
//   if (!runCleanup(module, diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_CLEANUP_CLEANUP_H
#define YARROW_PASSES_CLEANUP_CLEANUP_H

#include "dialects/npu/Optimizations.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "support/Diagnostics.h"

namespace yarrow {

/// The clean-up passes of Passes.td, in the order in which they help each
/// other.
void buildCleanupPipeline(mlir::OpPassManager &pm);
/// Without those that \p disabled names.
void buildCleanupPipeline(mlir::OpPassManager &pm,
                          llvm::ArrayRef<npu::Optimization> disabled);
/// Runs the pipeline; false after diagnostics.
bool runCleanup(mlir::ModuleOp module, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_PASSES_CLEANUP_CLEANUP_H
