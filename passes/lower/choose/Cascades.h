//===- Cascades.h - Convolutions that go through row bands ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Consecutive convolutions whose intermediate tensors are too large to stay in
// SRAM. These tensors need not exist as a whole, if all layers are computed for
// some rows of the last result, then for the next rows.
//
//   for (const CascadeChain &chain : findCascades(order, fused, isSpilled))
//     ... // chain[i + 1] alone reads what chain[i] makes
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_CASCADES_H
#define YARROW_PASSES_LOWER_CHOOSE_CASCADES_H

#include "passes/lower/choose/Epilogues.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace yarrow::npu {

/// Layers, each the last one of a convolution and what is computed behind it.
using CascadeChain = llvm::SmallVector<mlir::Operation *>;

/// The longest chains of two layers and more, in the order of their last
/// layers. \p isSpilled is asked about the tensors between.
std::vector<CascadeChain>
findCascades(llvm::ArrayRef<mlir::Operation *> order, const Epilogues &fused,
             llvm::function_ref<bool(mlir::Value)> isSpilled);

/// \p order with the layers of each chain next to one another, in front of what
/// follows its last one.
std::vector<mlir::Operation *>
gatherChains(llvm::ArrayRef<mlir::Operation *> order,
             llvm::ArrayRef<CascadeChain> chains);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_CASCADES_H
