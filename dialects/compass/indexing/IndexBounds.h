//===- IndexBounds.h - Indices that must be in bounds -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One rule for all layers that read or write at indices, "there will be an
// error if any of the index values are out of bounds": constant ones are
// refused where the layer is checked (checkConstantIndices), others stop the
// network that runs, on the host and on the device (callCheckIndices, in front
// of the kernel that uses them).
//
//   if (failed(checkConstantIndices(op, 1, {length}))) return failure();
//   callCheckIndices(op, program, 1, {length});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_INDEXING_INDEXBOUNDS_H
#define YARROW_DIALECTS_COMPASS_INDEXING_INDEXBOUNDS_H

#include "dialects/compass/LayerProgram.h"

namespace yarrow::compass {

enum class NegativeIndices { FromEnd, Refused };

/// Of operand \p operand, whose elements index axes of \p lengths in turn.
llvm::LogicalResult
checkConstantIndices(mlir::Operation *op, unsigned operand,
                     llvm::ArrayRef<int64_t> lengths,
                     NegativeIndices negative = NegativeIndices::FromEnd);

/// The same where the network runs; nothing for a constant operand.
void callCheckIndices(mlir::Operation *op, LayerProgram &program,
                      unsigned operand, llvm::ArrayRef<int64_t> lengths,
                      NegativeIndices negative = NegativeIndices::FromEnd);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_INDEXING_INDEXBOUNDS_H
