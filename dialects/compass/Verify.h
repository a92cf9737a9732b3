//===- Verify.h - A layer against its operator's record -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What can be checked of any layer without knowing what it computes: number,
// element types and axes of its tensors; keys that are missing, out of range or
// say an unknown word; the parameters that an integer layer of its rule class
// must hold. Shape inference (CompassOp::inferShapes) checks the rest.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_VERIFY_H
#define YARROW_DIALECTS_COMPASS_VERIFY_H

#include "dialects/compass/Records.h"
#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// Emits every problem (LayerError.h) and fails if there is one. Ops without a
/// record pass.
llvm::LogicalResult verifyRecord(mlir::Operation *op);

/// The same of operands and keys alone: for an op whose results are not known.
llvm::LogicalResult verifyOperandsAndKeys(mlir::Operation *op);

/// The same of a layer that could not be read in full, so that one run tells
/// all that is wrong with it: keys that are there, operands and results if
/// there are any. That a key is missing is said unless \p isUnread.
llvm::LogicalResult
verifyReadNetwork(mlir::Operation *op,
                  llvm::function_ref<bool(llvm::StringRef)> isUnread);

/// Whether \p op has the key's default if it lacks the key: its selector says a
/// word of the key's, and the key is not of integer IR alone in a float layer.
bool keyApplies(const KeyRecord &key, mlir::Operation *op);

/// The keys of need Expected that \p op should have and has not: what runs is
/// the default, which a user may not have meant.
llvm::SmallVector<const KeyRecord *> missingExpectedKeys(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_VERIFY_H
