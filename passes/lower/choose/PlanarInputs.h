//===- PlanarInputs.h - Transpositions of the network's input --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Most networks begin with a transposition from planes of channels to pixels,
// and a convolution is its only reader. The convolution can load the planes
// itself, some rows at a time, while it computes the rows before.
//
//   for (auto &[conv, transpose] : findPlanarInputs(order))
//     ... // conv reads transpose->getOperand(0), an input of the network
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_PLANARINPUTS_H
#define YARROW_PASSES_LOWER_CHOOSE_PLANARINPUTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace yarrow::npu {

/// By convolution, its Transpose.
llvm::DenseMap<mlir::Operation *, mlir::Operation *>
findPlanarInputs(llvm::ArrayRef<mlir::Operation *> order);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_PLANARINPUTS_H
