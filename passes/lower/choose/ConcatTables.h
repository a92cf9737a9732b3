//===- ConcatTables.h - Branches with their join's scale --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A Concat gives all its branches one scale. With 8 bits, this is a table of
// 256 entries for each branch. The tensor engine applies it to the results of
// the convolution that computes the branch, at no cost in cycles. Then the
// Concat only moves bytes.
//
//   ConcatTables tables = chooseConcatTables(order, fused.convs);
//   const ConcatTable &table = tables.find(conv)->second;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_CONCATTABLES_H
#define YARROW_PASSES_LOWER_CHOOSE_CONCATTABLES_H

#include "kernels/convert/Convert.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace yarrow::npu {

struct ConcatTable {
  kernels::DType inType, outType; ///< of 8 bits
  std::vector<char> entries;      ///< by the value, the least one first
};

using ConcatTables = llvm::DenseMap<mlir::Operation *, ConcatTable>;

/// Whether a branch keeps its bytes.
bool movesBranch(const kernels::ConcatParams &params, unsigned branch);

/// By convolution, of those that have no other epilogue (\p withEpilogue).
ConcatTables
chooseConcatTables(llvm::ArrayRef<mlir::Operation *> order,
                   const llvm::DenseSet<mlir::Operation *> &withEpilogue);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_CONCATTABLES_H
