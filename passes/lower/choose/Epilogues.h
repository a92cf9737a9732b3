//===- Epilogues.h - Layers that a convolution computes as well -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The tensor engine's output stage adds a second tensor, or looks results up in
// a table, in the pass of a convolution. So residual adds and look-up tables
// after a convolution become part of its command.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_EPILOGUES_H
#define YARROW_PASSES_LOWER_CHOOSE_EPILOGUES_H

#include "isa/Machine.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace yarrow::npu {

/// A layer that is computed in the epilogue of the convolution before it.
struct FusedLayer {
  mlir::Operation *conv = nullptr;
  unsigned convOperand = 0; ///< operand that the convolution makes
};

struct Epilogues {
  llvm::DenseMap<mlir::Operation *, FusedLayer> layers; ///< by the later layer
  llvm::DenseSet<mlir::Operation *> convs;
};

/// Is it an integer layer with constant weights and one kernel, which the
/// engine may compute with something behind it?
bool canHaveEpilogue(mlir::Operation *op);

/// Of the layers of a graph in their order.
Epilogues chooseEpilogues(llvm::ArrayRef<mlir::Operation *> order,
                          const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_EPILOGUES_H
