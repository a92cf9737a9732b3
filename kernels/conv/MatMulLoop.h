//===- MatMulLoop.h - The loop around every matrix product ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Products of two activations differ in what becomes of their sums; the rest is
// here: the rows of a task in chunks of columns, batches, transposed operands.
//
//   forEachProduct(p, buffers.a(), buffers.b(), task, taskCount,
//                  [&](int64_t *acc, uint32_t row, uint32_t column, uint32_t n,
//                      int64_t element) { ... the sums of n columns ... });
//
// About 1 vector operation for every 32 products of 8 bits; 7 KB of stack.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_MATMULLOOP_H
#define YARROW_KERNELS_CONV_MATMULLOOP_H

#include "kernels/conv/FloatRows.h"
#include "kernels/conv/MatMulParams.h"

namespace yarrow::kernels {

/// Where the matrices of one batch entry start.
struct BatchOffsets {
  int64_t a = 0, b = 0;
};
inline BatchOffsets batchOffsets(const MatMulShape &s, uint32_t batch) {
  BatchOffsets at;
  for (uint32_t d = s.batchRank; d-- > 0;) {
    uint32_t i = batch % s.batchDims[d];
    batch /= s.batchDims[d];
    at.a += int64_t(i) * s.batchStrideA[d];
    at.b += int64_t(i) * s.batchStrideB[d];
  }
  return at;
}

inline uint32_t batchCount(const MatMulShape &s) {
  uint32_t count = 1;
  for (uint32_t d = 0; d < s.batchRank; ++d)
    count *= s.batchDims[d];
  return count;
}

/// Splits the rows of all batch entries and cuts them into chunks of columns;
/// calls fn(offsets, row, firstColumn, columns, outElement).
template <typename Fn>
inline void forEachRowChunk(const MatMulShape &s, uint32_t task,
                            uint32_t taskCount, Fn fn) {
  Share share = shareOf(batchCount(s) * s.m, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    BatchOffsets at = batchOffsets(s, i / s.m);
    forEachChunk(0, s.n, [&](uint32_t column, uint32_t n) {
      fn(at, i % s.m, column, n, int64_t(i) * s.n + column);
    });
  }
}

/// Element (row, k) of A and (k, column) of B.
inline int64_t indexA(const MatMulShape &s, int64_t base, uint32_t row,
                      uint32_t k) {
  return base + (s.transA ? int64_t(k) * s.m + row : int64_t(row) * s.k + k);
}
inline int64_t indexB(const MatMulShape &s, int64_t base, uint32_t k,
                      uint32_t column) {
  return base +
         (s.transB ? int64_t(column) * s.k + k : int64_t(k) * s.n + column);
}

inline void loadShifted(DType type, const void *src, int64_t index, uint32_t n,
                        int32_t zp, int32_t *dst, int64_t stride = 1) {
  loadI32(type, src, index, n, dst, stride);
  for (uint32_t i = 0; i < n; ++i)
    dst[i] += zp;
}

/// acc[j] += sum over kn elements of a[i] * B(k + i, column + j). Operands have
/// at most 17 bits, and `narrow` says at most 9 (8-bit types with their zero
/// points).
inline void multiplyChunk(const MatMulIntParams &p, const void *b,
                          int64_t baseB, const int32_t *a, uint32_t k,
                          uint32_t kn, uint32_t column, uint32_t n, bool narrow,
                          int64_t *acc) {
  const MatMulShape &s = p.shape;
  int32_t row[kChunk];
  if (s.transB) {
    for (uint32_t j = 0; j < n; ++j) {
      loadShifted(p.typeB, b, indexB(s, baseB, k, column + j), kn, p.zpB, row);
      int64_t sum = 0;
      for (uint32_t i = 0; i < kn; ++i)
        sum += int64_t(a[i]) * row[i];
      acc[j] += sum;
    }
    return;
  }
  // kChunk products of 18 bits fit 32.
  int32_t sum[kChunk] = {};
  for (uint32_t i = 0; i < kn; ++i) {
    loadShifted(p.typeB, b, indexB(s, baseB, k + i, column), n, p.zpB, row);
    if (narrow) {
      for (uint32_t j = 0; j < n; ++j)
        sum[j] += a[i] * row[j];
    } else {
      for (uint32_t j = 0; j < n; ++j)
        acc[j] += int64_t(a[i]) * row[j];
    }
  }
  for (uint32_t j = 0; j < n; ++j)
    acc[j] += sum[j];
}

inline bool isNarrow(DType type, int32_t zp) {
  return dtypeBytes(type) == 1 && zp >= -256 && zp <= 256;
}

/// Sums in int64, for which zero points are added to the operands.
template <typename Fn>
inline void forEachProduct(const MatMulIntParams &p, const void *dataA,
                           const void *dataB, uint32_t task, uint32_t taskCount,
                           Fn fn) {
  const MatMulShape &s = p.shape;
  bool narrow = isNarrow(p.typeA, p.zpA) && isNarrow(p.typeB, p.zpB);
  auto chunk = [&](BatchOffsets at, uint32_t row, uint32_t column, uint32_t n,
                   int64_t element) {
    int64_t acc[kChunk] = {};
    int32_t a[kChunk];
    forEachChunk(0, s.k, [&](uint32_t k, uint32_t kn) {
      loadShifted(p.typeA, dataA, indexA(s, at.a, row, k), kn, p.zpA, a,
                  s.transA ? s.m : 1);
      multiplyChunk(p, dataB, at.b, a, k, kn, column, n, narrow, acc);
    });
    fn(acc, row, column, n, element);
  };
  forEachRowChunk(s, task, taskCount, chunk);
}

/// Columns of B that are copied at once.
constexpr uint32_t kCopiedColumns = 16;

/// The columns of B that a block of products is computed for: as they lie, or
/// in \p scratch, filled up with zeros.
class ColumnsOfB {
public:
  ColumnsOfB(const MatMulFloatParams &p, const void *data, int64_t base,
             uint32_t column)
      : p(p), data(data), base(base), column(column) {
    uint32_t left = p.shape.n - column;
    isInPlace = p.typeB == DType::F32 && !p.shape.transB && left >= 8;
    width = isInPlace   ? left >= 32   ? 32
                          : left >= 16 ? 16
                                       : 8
            : left <= 8 ? 8
                        : kCopiedColumns;
    count = left < width ? left : width;
  }

  /// Terms k to k + n.
  TileColumns load(uint32_t k, uint32_t n, float *scratch) const {
    const MatMulShape &s = p.shape;
    if (isInPlace)
      return {static_cast<const float *>(data) + indexB(s, base, k, column),
              s.n};
    if (width == 8)
      copy<8>(k, n, scratch);
    else
      copy<kCopiedColumns>(k, n, scratch);
    return {scratch, width};
  }

  uint32_t width, count;

private:
  /// Term by term, each a vector over the columns.
  template <uint32_t Width>
  void copy(uint32_t k, uint32_t n, float *scratch) const {
    const MatMulShape &s = p.shape;
    uint32_t stride = s.transB ? s.k : 1;
    for (uint32_t i = 0; i < n * Width && count < Width; ++i)
      scratch[i] = 0;
    for (uint32_t i = 0; i < n; ++i) {
      int64_t first = indexB(s, base, k + i, column);
      float *to = scratch + i * Width;
      if (count == Width)
        loadF32(p.typeB, data, first, Width, to, stride);
      else
        loadF32(p.typeB, data, first, count, to, stride);
    }
  }

  const MatMulFloatParams &p;
  const void *data;
  int64_t base;
  uint32_t column;
  bool isInPlace;
};

/// The same of floats.
template <typename Fn>
inline void forEachProduct(const MatMulFloatParams &p, const void *dataA,
                           const void *dataB, uint32_t task, uint32_t taskCount,
                           Fn fn) {
  const MatMulShape &s = p.shape;
  Share share = shareOf(batchCount(s) * s.m, task, taskCount);
  for (uint32_t i = share.begin, rows; i < share.end; i += rows) {
    BatchOffsets at = batchOffsets(s, i / s.m);
    uint32_t row = i % s.m;
    rows = s.m - row < share.end - i ? s.m - row : share.end - i;
    rows = rows < kTileRows ? rows : kTileRows;
    for (uint32_t column = 0, n; column < s.n; column += n) {
      ColumnsOfB columns(p, dataB, at.b, column);
      n = columns.count;
      float sums[kTileRows * kTileColumns] = {};
      float scratch[kCopiedColumns * kTileTerms];
      for (uint32_t k = 0; k < s.k; k += kTileTerms) {
        uint32_t terms = s.k - k < kTileTerms ? s.k - k : kTileTerms;
        FloatRows a{p.typeA,
                    dataA,
                    indexA(s, at.a, row, k),
                    s.transA ? 1 : s.k,
                    rows,
                    s.transA ? s.m : 1};
        addRunOfProducts(columns.width, a, columns.load(k, terms, scratch),
                         terms, sums);
      }
      for (uint32_t r = 0; r < rows; ++r)
        fn(sums + r * kTileColumns, row + r, column, n,
           int64_t(i + r) * s.n + column);
    }
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_MATMULLOOP_H
