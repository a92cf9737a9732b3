//===- FloatTile.h - Products of floats for many outputs at once *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The inner loop of float convolutions and matrix products: some rows of
// activations against a block of columns, vectorized across the columns. Every
// output adds its products one after the other into a block's sum, which begins
// at 0, and the blocks' sums one after the other. So its bits depend on how the
// caller cuts the terms into blocks, but not on the width of vectors, on how
// many rows go together, or on the machine.
//
//   float sums[kTileRows * kTileColumns] = {};
//   addProducts(/*width=*/32, {x, pitch, rows}, {weights, 32}, n, sums);
//
// A vector load for 32 columns of weights, and for each row a scalar load, a
// product and a sum; TECs have a form of their own (TecFloatBlock.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_FLOATTILE_H
#define YARROW_KERNELS_FLOATTILE_H

#include "kernels/Elements.h"

#ifdef __riscv_v_fixed_vlen // a TEC
#include "kernels/TecFloatBlock.h"
#endif

namespace yarrow::kernels {

/// Of a call of addProducts at most.
constexpr uint32_t kTileRows = 8, kTileColumns = 32;

/// How many columns a block of at most kTileColumns that has so many is filled
/// up to.
constexpr uint32_t tileWidth(uint32_t columns) {
  return columns > 16 ? kTileColumns : columns > 8 ? 16 : 8;
}
/// The same of any number of columns in blocks.
constexpr uint32_t packedColumns(uint32_t columns) {
  uint32_t rest = columns % kTileColumns;
  return columns - rest + (rest ? tileWidth(rest) : 0);
}

/// Rows `pitch` elements apart, or columns of weights of which those of term k
/// are at first[k * pitch].
struct TileRows {
  const float *first;
  int64_t pitch;
  uint32_t count;
};
struct TileColumns {
  const float *first;
  int64_t pitch;
};

/// sums[row * kTileColumns + column] += a block of n products, of Rows rows.
#ifdef __riscv_v_fixed_vlen // a TEC
template <uint32_t Width, uint32_t Rows>
__attribute__((always_inline)) inline void
addBlock(const TileRows &x, const TileColumns &w, uint32_t n, float *sums) {
  TecFloatBlock<Width, Rows> block;
  uint32_t k = 0;
  for (; k + kRegister <= n; k += kRegister)
    block.addTerms(x.first + k, x.pitch, w.first + k * w.pitch, w.pitch);
  for (; k < n; ++k)
    block.addTerm(x.first + k, x.pitch, w.first + k * w.pitch);
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < Rows; ++row) {
    typedef float Columns __attribute__((vector_size(Width * sizeof(float))));
    Columns sum, more;
    float *to = sums + row * kTileColumns;
    __builtin_memcpy(&sum, to, sizeof(sum));
    __builtin_memcpy(&more, block.sums + row * block.kRegisters, sizeof(more));
    sum += more;
    __builtin_memcpy(to, &sum, sizeof(sum));
  }
}
#else
template <uint32_t Width, uint32_t Rows>
__attribute__((always_inline)) inline void
addBlock(const TileRows &x, const TileColumns &w, uint32_t n, float *sums) {
  typedef float Columns __attribute__((vector_size(Width * sizeof(float))));
  Columns block[Rows] = {};
  for (uint32_t k = 0; k < n; ++k) {
    Columns weights;
    __builtin_memcpy(&weights, w.first + k * w.pitch, sizeof(weights));
#pragma clang loop unroll(full)
    for (uint32_t row = 0; row < Rows; ++row)
      block[row] += weights * x.first[row * x.pitch + k];
  }
#pragma clang loop unroll(full)
  for (uint32_t row = 0; row < Rows; ++row) {
    Columns sum;
    float *to = sums + row * kTileColumns;
    __builtin_memcpy(&sum, to, sizeof(sum));
    sum += block[row];
    __builtin_memcpy(to, &sum, sizeof(sum));
  }
}
#endif

/// The same of any number of rows, at most Most in registers.
template <uint32_t Width, uint32_t Most>
__attribute__((always_inline)) inline void
addRows(TileRows x, const TileColumns &w, uint32_t n, float *sums) {
  for (; x.count >= Most; x.count -= Most) {
    addBlock<Width, Most>(x, w, n, sums);
    x.first += Most * x.pitch;
    sums += Most * kTileColumns;
  }
  if constexpr (Most > 1)
    addRows<Width, Most - 1>(x, w, n, sums);
}

/// For machines whose registers hold so many sums of 32 columns.
template <uint32_t Registers>
__attribute__((always_inline)) inline void
addProductsIn(uint32_t width, const TileRows &x, const TileColumns &w,
              uint32_t n, float *sums) {
  constexpr uint32_t kMost16 =
      2 * Registers < kTileRows ? 2 * Registers : kTileRows;
  if (width == 32)
    addRows<32, Registers>(x, w, n, sums);
  else if (width == 16)
    addRows<16, kMost16>(x, w, n, sums);
  else
    addRows<8, kTileRows>(x, w, n, sums);
}

#ifdef __x86_64__
/// The host's widest vectors.
using AddProducts = void(uint32_t width, const TileRows &x,
                         const TileColumns &w, uint32_t n, float *sums);
AddProducts *addProductsOfHost();
#endif

/// sums[row * kTileColumns + column] += a block of n products, of columns that
/// are `width` as tileWidth says and at most kTileRows rows.
inline void addProducts(uint32_t width, const TileRows &x, const TileColumns &w,
                        uint32_t n, float *sums) {
#ifdef __x86_64__
  static AddProducts *const add = addProductsOfHost();
  add(width, x, w, n, sums);
#else
  addProductsIn<4>(width, x, w, n, sums);
#endif
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_FLOATTILE_H
