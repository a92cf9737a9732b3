//===- Execution.h - Which layers can be computed -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every operator of Compass IR is read, checked and written, but some have no
// kernel yet. A stage that computes asks first, so that all layers that cannot
// be computed are reported, not only the first.
//
//   if (!checkExecutable(module, diags)) return failure(); // E0308 per layer
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_EXECUTION_H
#define YARROW_DIALECTS_COMPASS_EXECUTION_H

#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"

namespace yarrow::compass {

/// Whether \p op is computed: its operator, or its method, in the IR that it is
/// part of (integer or float), with tensors that kernels take (not of 64-bit
/// floats). Its kernel may still refuse a form of it.
bool isExecutable(mlir::Operation *op);

/// The layers of \p module that are not computed yet.
std::vector<mlir::Operation *> notExecutable(mlir::ModuleOp module);

/// Reports each of them; false if there is one.
bool checkExecutable(mlir::ModuleOp module, DiagnosticEngine &diags);

/// Builds the kernel call of every executable layer, which checks its integer
/// parameters as no record can. Reports what is wrong with the layer, and what
/// a kernel does not compute yet: as errors (E0302) if the network \p mustRun,
/// else as notes (N0310). False after errors.
bool checkKernels(mlir::ModuleOp module, bool mustRun, DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_EXECUTION_H
