//===- ResizeGrid.h - A resize of integers as weighted pixels ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every pixel of the result is a sum of at most two by two pixels, and places
// along an axis are of few kinds: for twice the size there are two kinds
// between pixels and one at the borders, where both pixels are the same. So a
// resize is a few interleaved convolutions with constant weights. The weights
// are those of the kernel, rounded like there, divided by their common power of
// two.
//
//   auto grid = ResizeGrid::of(params);
//   for (const PlaceRun &run : runsOf(grid->rows, 0, grid->rows.size()))
//     // rows run.first, run.first + run.step, ... see rows run.low,
//     // run.low + run.lowStep, ..., with grid->weights(run.kind, ...)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_RESIZEGRID_H
#define YARROW_PASSES_LOWER_DESCRIBE_RESIZEGRID_H

#include "kernels/image/Resize.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <optional>
#include <vector>

namespace yarrow::npu {

/// A row or column of the result.
struct ResizePlace {
  uint32_t low = 0;  ///< The first one of the input that it sees,
  uint32_t span = 0; ///< and how many behind it: 0 or 1.
  uint32_t kind = 0; ///< Those of a kind have the same weights.
};

/// Weights by row and column; 0 of what is not seen.
using PixelWeights = std::array<std::array<int32_t, 2>, 2>;

class ResizeGrid {
public:
  /// None if the engine's weights cannot be the kernel's, its sums do not fit
  /// the accumulators, or places have very many kinds.
  static std::optional<ResizeGrid> of(const kernels::ResizeIntParams &params);

  std::vector<ResizePlace> rows, columns;
  uint32_t shift = 0; ///< Of the sums.
  kernels::DType weightType = kernels::DType::I8;
  bool isCopy = false; ///< Each pixel is one of the input's.

  const PixelWeights &weights(uint32_t rowKind, uint32_t columnKind) const {
    return all[uint64_t(rowKind) * columnKinds + columnKind];
  }

private:
  bool reduce(const kernels::ResizeIntParams &params);

  uint32_t columnKinds = 0;
  std::vector<PixelWeights> all;
};

/// Places of one kind at equal distances.
struct PlaceRun {
  uint32_t first, count, step;
  uint32_t low, lowStep; ///< Of what they see.
  uint32_t span, kind;
};

/// The places from \p begin to \p end in few runs.
std::vector<PlaceRun> runsOf(llvm::ArrayRef<ResizePlace> places, uint32_t begin,
                             uint32_t end);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_RESIZEGRID_H
