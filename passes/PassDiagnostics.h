//===- PassDiagnostics.h - Coded diagnostics out of a pass ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A pass calls a function that reports to a DiagnosticEngine. Within the pass
// these diagnostics become MLIR diagnostics, which keep code and place on their
// way to the caller.
//
//   auto work = [&](const isa::Machine &machine, DiagnosticEngine &diags) {
//     scheduleWaits(module, machine);
//   };
//   if (failed(withMachine(module, work)))
//     signalPassFailure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PASSDIAGNOSTICS_H
#define YARROW_PASSES_PASSDIAGNOSTICS_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"

namespace yarrow {

/// Failure if there is an error among them.
mlir::LogicalResult emitAll(const DiagnosticEngine &diags,
                            mlir::ModuleOp module);

/// Makes \p module remember the machine that an option names: one that it knows
/// already stays if the option is empty. Failure after errors.
mlir::LogicalResult setTarget(mlir::ModuleOp module, llvm::StringRef option);

/// Runs \p work with the machine that the module says, and emits what it
/// reports. Failure after errors, and where the work was cancelled.
mlir::LogicalResult withMachine(
    mlir::ModuleOp module,
    llvm::function_ref<void(const isa::Machine &, DiagnosticEngine &)> work);

} // namespace yarrow

#endif // YARROW_PASSES_PASSDIAGNOSTICS_H
