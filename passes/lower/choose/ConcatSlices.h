//===- ConcatSlices.h - Branches that are computed in place -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The tensor engine writes pixels at any distance, so a convolution can write
// its channels between those of other branches of a Concat, without a copy. Its
// result must have the Concat's scale, by itself or by a table
// (ConcatTables.h).
//
//   ConcatSlices slices = chooseConcatSlices(order, tables, fused);
//   if (auto it = slices.find(result); it != slices.end())
//     ... // it->second.whole is the tensor to write to
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_CONCATSLICES_H
#define YARROW_PASSES_LOWER_CHOOSE_CONCATSLICES_H

#include "passes/lower/choose/ConcatTables.h"
#include "passes/lower/choose/Epilogues.h"

namespace yarrow::npu {

/// Elements of a tensor: `channels` of each of its `pixels`.
struct ConcatSlice {
  mlir::Value whole;
  uint64_t firstElement = 0, pitchElements = 0; ///< From pixel to pixel.
  uint64_t pixels = 0, channels = 0;
  bool hasScale = false; ///< Without a table.
};

/// By result, of what one layer on the tensor engine makes for one Concat.
using ConcatSlices = llvm::DenseMap<mlir::Value, ConcatSlice>;

ConcatSlices chooseConcatSlices(llvm::ArrayRef<mlir::Operation *> order,
                                const ConcatTables &tables,
                                const Epilogues &fused);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_CONCATSLICES_H
