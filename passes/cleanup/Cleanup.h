//===- Cleanup.h - Simpler networks that compute the same
//-------------------===//
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

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "support/Diagnostics.h"

#include <memory>

namespace yarrow {

/// BatchNorm, and additions of and products with constants, into the weights
/// and biases of the layer before; borders of zeros into convolutions.
std::unique_ptr<mlir::Pass> createFoldIntoWeightsPass();
/// Activations into the layer before as with_activation; RELU and CLIP merge.
std::unique_ptr<mlir::Pass> createFuseActivationsPass();
/// Transposes move towards the outputs until they meet their inverse.
std::unique_ptr<mlir::Pass> createSinkTransposesPass();
/// Layers that copy their input; reshapes of reshapes.
std::unique_ptr<mlir::Pass> createDropIdentitiesPass();
/// Layers whose inputs are all constant.
std::unique_ptr<mlir::Pass> createFoldConstantsPass();

/// All of them, in the order in which they help each other.
void buildCleanupPipeline(mlir::OpPassManager &pm);
/// Runs the pipeline; false after diagnostics.
bool runCleanup(mlir::ModuleOp module, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_PASSES_CLEANUP_CLEANUP_H
