//===- GroupSums.h - Sums over groups by the tensor engine ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A normalization needs the sum of each group of integers, and the sum of their
// squares. A sum is a product with ones. Squares are products of a group with
// itself: those of 16 groups are the diagonal of a product of 16 rows with
// themselves, which the array computes as fast as it reads them. Words are
// split into bytes, whose products fit 31 bits.
//
//   GroupSums sums;
//   if (!describeGroupSums(params, machine, sums)) return false;
//   for (const GroupProduct &product : sums.products) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_GROUPSUMS_H
#define YARROW_PASSES_LOWER_DESCRIBE_GROUPSUMS_H

#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include "kernels/norm/LayerNorm.h"
#include "llvm/ADT/SmallVector.h"

namespace yarrow::npu {

/// A product of the tensor, to which addresses of it are relative, with itself
/// or with ones; its results are sums or squares.
struct GroupProduct {
  isa::MatMul command;
  bool isOnesA = false, isOnesB = false;
  bool isSquares() const { return !isOnesA && !isOnesB; }
};

struct GroupSums {
  kernels::GroupGainsParams params; ///< Of yk_group_gains, which takes them.
  llvm::SmallVector<GroupProduct, 4> products;
  uint64_t sumBytes = 0, squareBytes = 0;
};

/// False if the groups lie in another way or are too long, or the TECs are as
/// fast.
bool describeGroupSums(const kernels::LayerNormIntParams &norm,
                       const isa::Machine &machine, GroupSums &sums);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_GROUPSUMS_H
