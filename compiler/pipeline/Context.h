//===- Context.h - Where the compiler's modules live ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A context keeps types, attributes and constants as long as it lives. Who
// compiles a network many times does so in contexts of their own, with
// networks that share the constants of one.
//
//   std::unique_ptr<mlir::MLIRContext> trial = makeContext();
//   auto copy = shareWith(*trial, network); // network outlives it
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_CONTEXT_H
#define YARROW_COMPILER_PIPELINE_CONTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace yarrow {

/// A context with every dialect of the program, without threads of its own:
/// passes are short, and threads would blur the order of diagnostics.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// \p module in the new context \p context. Constants are not copied: they are
/// views of the module's.
mlir::OwningOpRef<mlir::ModuleOp> shareWith(mlir::MLIRContext &context,
                                            mlir::ModuleOp module);

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_CONTEXT_H
