//===- LayerNormColumns.h - Groups side by side --------------- -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   if (block.isColumns())
//     normalizeColumns(chunks, buffers, block);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_LAYERNORMCOLUMNS_H
#define YARROW_KERNELS_NORM_LAYERNORMCOLUMNS_H

#include "kernels/norm/ColumnStrips.h"
#include "kernels/norm/ColumnSums.h"
#include "kernels/norm/LayerNormChunks.h"

namespace yarrow::kernels {

/// Sums of d^2 of each column.
inline void sumSquares(const Chunks &c, const NormBlock &block,
                       const int32_t *offset, int64_t *sums) {
  auto load = [&](int64_t element, uint32_t lane, uint32_t n,
                  Columns<int32_t> &d) {
    Columns<int32_t> offsets;
    c.load(element, n, d);
    __builtin_memcpy(&offsets, offset + lane, sizeof(offsets));
    d += offsets;
  };
  if (isSmall(c.p))
    return sumSmallColumns(
        block, sums,
        [&](int64_t element, uint32_t lane, uint32_t n, Columns<int32_t> &sum) {
          Columns<int32_t> d;
          load(element, lane, n, d);
          sum += d * d;
        });
  sumColumns(
      block, sums,
      [&](int64_t element, uint32_t lane, uint32_t n, Columns<int64_t> &sum) {
        Columns<int32_t> d;
        load(element, lane, n, d);
        auto wide = __builtin_convertvector(d, Columns<int64_t>);
        sum += wide * wide;
      });
}

/// Mean and squares of the columns' groups, of the sums of their bytes and of
/// the bytes' squares.
inline void measureSums(const LayerNormIntParams &p, const NormBlock &block,
                        int64_t *sums, int32_t *offset, int64_t *squares) {
  block.sumGroups(sums);
  block.sumGroups(squares);
  // S (x + o)^2 = S x^2 + 2 o S x + n o^2, all of them whole numbers.
  auto count = int64_t(block.runs()) * p.shape.groupColumns;
  for (uint32_t i = 0; i < block.lanes(); ++i) {
    offset[i] = subtractsMean(p) ? -meanOf(sums[i], block.terms()) : p.inZp;
    squares[i] += 2 * int64_t(offset[i]) * sums[i] +
                  count * int64_t(offset[i]) * offset[i];
  }
}

/// Mean and squares of the columns' groups: what is subtracted from values, and
/// the sums of the squares of what is left.
inline void measureColumns(const Chunks &c, const NormBlock &block,
                           int32_t *offset, int64_t *squares) {
  const LayerNormIntParams &p = c.p;
  double terms = block.terms();
  int64_t sums[kNormColumns];
  auto setOffsets = [&] {
    for (uint32_t i = 0; i < block.lanes(); ++i)
      offset[i] = subtractsMean(p) ? -meanOf(sums[i], terms) : p.inZp;
  };
  if (isSmall(p) && ColumnStrips::fit(block, p.shape)) {
    withByte(p.inType, [&](auto zero) {
      ColumnStrips(block, p.shape)
          .sum<decltype(zero)>(c.input(), sums, squares);
    });
    return measureSums(p, block, sums, offset, squares);
  }
  if (subtractsMean(p)) {
    // Terms of 16 bits, of 18 that are small.
    sumSmallColumns(
        block, sums,
        [&](int64_t element, uint32_t, uint32_t n, Columns<int32_t> &sum) {
          Columns<int32_t> x;
          c.load(element, n, x);
          sum += x;
        });
    block.sumGroups(sums);
  }
  setOffsets();
  sumSquares(c, block, offset, squares);
  block.sumGroups(squares);
}

/// The gain of each column's group.
inline void gainsOfColumns(const Chunks &c, const NormBlock &block,
                           const int64_t *squares, int32_t *gain) {
  for (uint32_t i = 0; i < block.lanes(); ++i)
    gain[i] = i % c.p.shape.groupColumns
                  ? gain[i - 1]
                  : gainOf(c.p, squares[i], block.terms(), c.table());
}

/// The results of rows that follow each other, as if a strip of them were one
/// row: what is each column's is repeated.
inline void storeDense(const LayerNormIntParams &p, LayerNormIntBuffers buffers,
                       const NormBlock &block, const int32_t *offset,
                       const int32_t *gain) {
  int32_t offsets[kStrip], gains[kStrip], repeated[4][kStrip];
  ColumnStrips(block, p.shape).spread(offset, offsets);
  ColumnStrips(block, p.shape).spread(gain, gains);
  using Places = LayerNormIntBuffers::Places;
  void *all[Places::output + 1];
  for (uint32_t i = 0; i <= Places::output; ++i)
    all[i] = buffers.array[i];
  uint32_t lanes = block.lanes(), step = p.shape.innerAffineStride, used = 0;
  auto repeat = [&](bool isThere, uint32_t place, DType type) {
    if (!isThere)
      return;
    uint32_t bytes = dtypeBytes(type);
    auto *to = reinterpret_cast<char *>(repeated[used++]);
    auto *from = static_cast<const char *>(all[place]);
    for (uint32_t i = 0; i < kStrip; ++i)
      __builtin_memcpy(to + i * bytes,
                       from + (block.firstAffine() + i % lanes * step) * bytes,
                       bytes);
    all[place] = to;
  };
  repeat(p.hasWeights, Places::weights, p.weightType);
  repeat(p.hasBias, Places::bias, DType::I32);
  repeat(p.requant.perChannel, Places::scale, p.requant.scaleType);
  repeat(p.requant.perChannel, Places::shift, DType::I8);
  Chunks c(p, LayerNormIntBuffers{{all, buffers.many}});
  const int32_t *eachOffset = offsets, *eachGain = gains;
  Share own = block.ownRuns();
  for (uint32_t i = own.begin * lanes, end = own.end * lanes; i < end;
       i += kStrip)
    c.storeStrips(eachOffset, eachGain, block.firstElement() + i,
                  end - i < kStrip ? end - i : kStrip, /*affine=*/0);
}

/// Groups side by side.
inline void normalizeColumns(const Chunks &c, LayerNormIntBuffers buffers,
                             const NormBlock &block) {
  const LayerNormIntParams &p = c.p;
  int32_t offset[kNormColumns] = {}, gain[kNormColumns];
  int64_t squares[kNormColumns];
  measureColumns(c, block, offset, squares);
  gainsOfColumns(c, block, squares, gain);
  bool smallGain = true;
  for (uint32_t i = 0; i < block.lanes(); ++i)
    smallGain &= isSmallGain(p, gain[i]);
  const int32_t *gains = gain, *offsets = offset;
  if (c.areStrips() && smallGain && ColumnStrips::areDense(block, p.shape) &&
      p.shape.reduced.affineStrides[0] == 0)
    return storeDense(p, buffers, block, offset, gain);
  if (c.areStrips() && smallGain)
    return block.forEachOwnChunk(
        [&](int64_t element, uint32_t n, uint32_t affine) {
          c.storeStrips(offsets, gains, element, n, affine);
        });
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t affine) {
    int32_t x[kNormColumns];
    c.load(element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      x[i] += offset[i];
    c.store(x, gains, smallGain, element, n, affine);
  });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_LAYERNORMCOLUMNS_H
