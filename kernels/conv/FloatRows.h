//===- FloatRows.h - Rows of any float type times columns -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What is between the tensors of convolutions and matrix products and
// FloatTile.h: rows of any float type, runs of any number of terms, which are
// cut into blocks of at most kTileTerms, and what becomes of the sums.
//
//   FloatRows rows{DType::F16, input, /*index=*/0, /*pitch=*/k, /*count=*/8};
//   addRunOfProducts(32, rows, {weights, 32}, k, sums);
//
// 2 KB of stack.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_FLOATROWS_H
#define YARROW_KERNELS_CONV_FLOATROWS_H

#include "kernels/FloatEpilogue.h"
#include "kernels/FloatTile.h"

namespace yarrow::kernels {

/// Of a block, at most: sums of so few products lose little.
constexpr uint32_t kTileTerms = 64;

/// Element k of row i is src[index + i * pitch + k * stride].
struct FloatRows {
  DType type;
  const void *src;
  int64_t index, pitch;
  uint32_t count; // at most kTileRows
  int64_t stride = 1;
};

/// sums[row * kTileColumns + column] += the n products of the first terms of
/// rows and columns, block by block.
inline void addRunOfProducts(uint32_t width, const FloatRows &rows,
                             TileColumns columns, uint32_t n, float *sums) {
  float scratch[kTileRows * kTileTerms];
  for (uint32_t k = 0; k < n; k += kTileTerms) {
    uint32_t count = n - k < kTileTerms ? n - k : kTileTerms;
    TileRows x{static_cast<const float *>(rows.src) + rows.index + k,
               rows.pitch, rows.count};
    if (rows.type != DType::F32 || rows.stride != 1) {
      for (uint32_t i = 0; i < rows.count; ++i)
        loadF32(rows.type, rows.src,
                rows.index + i * rows.pitch + k * rows.stride, count,
                scratch + i * kTileTerms, rows.stride);
      x = {scratch, kTileTerms, rows.count};
    }
    addProducts(width, x, columns, count, sums);
    columns.first += count * columns.pitch;
  }
}

/// Stores the sums of rows and of `size` columns with the biases from
/// `firstBias` on: row i at element + i * pitch of the output.
template <typename Size>
inline void storeTile(const float *sums, uint32_t rows, Size size,
                      DType biasType, const void *bias, uint32_t firstBias,
                      const FloatEpilogue &epilogue, int64_t element,
                      int64_t pitch, void *output) {
  static_assert(kTileColumns == kStrip);
  Strip<float> biases, y;
  loadFloats(biasType, bias, firstBias, size, biases);
  for (uint32_t i = 0; i < rows; ++i, sums += kTileColumns) {
    loadStrip<float>(sums, 0, WholeStrip(), y);
    y += biases;
    epilogue.store(y, size, element + i * pitch, output);
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_FLOATROWS_H
