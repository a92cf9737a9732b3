//===- ColumnSums.h - Sums over groups that lie side by side ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums of each column of a block, 16 columns at a time from the first row to
// the last, so that they stay in registers. With vectors by name: left to
// itself LLVM sums up one column after the other over strided loads, which
// takes 10 times as long.
//
//   sumColumns<FloatColumns>(block, lanes, [&](int64_t element, uint32_t lane,
//                                              auto n, DoubleColumns &sum) {
//     ... loadColumns(type, src, element + lane, n, x) ...
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_COLUMNSUMS_H
#define YARROW_KERNELS_NORM_COLUMNSUMS_H

#include "kernels/FloatStrips.h"
#include "kernels/norm/NormLoops.h"

namespace yarrow::kernels {

constexpr uint32_t kVectorColumns = 16;

template <typename T>
using Columns __attribute__((vector_size(kVectorColumns * sizeof(T)))) = T;

template <typename T, typename R>
inline void loadAll(const void *src, int64_t index, Columns<R> &x) {
  Columns<T> v;
  __builtin_memcpy(&v, static_cast<const T *>(src) + index, sizeof(v));
  x = __builtin_convertvector(v, Columns<R>);
}

/// x = src[index ...], of which there are n; lanes beyond are 0.
inline void loadColumns(DType type, const void *src, int64_t index, uint32_t n,
                        Columns<int32_t> &x) {
  if (n == kVectorColumns) {
    switch (type) {
    case DType::I8:
      return loadAll<int8_t, int32_t>(src, index, x);
    case DType::U8:
      return loadAll<uint8_t, int32_t>(src, index, x);
    case DType::I16:
      return loadAll<int16_t, int32_t>(src, index, x);
    case DType::U16:
      return loadAll<uint16_t, int32_t>(src, index, x);
    default:
      break;
    }
  }
  int32_t few[kVectorColumns] = {};
  loadI32(type, src, index, n, few);
  __builtin_memcpy(&x, few, sizeof(x));
}
inline void loadColumns(DType type, const void *src, int64_t index, uint32_t n,
                        Columns<float> &x) { // of a float type
  if (n == kVectorColumns)
    return loadFloats(type, src, index, Whole<kVectorColumns>(), x);
  loadFloats(type, src, index, PartOf<kVectorColumns>{n}, x);
}

/// Adds up rows for the columns of a block: `add` is called as
/// add(element, lane, n, sum) for n columns from `lane` on, whose first element
/// is `element`, and adds to sum[0 .. n).
template <typename Sum, typename Add>
inline void sumColumns(const NormBlock &block, Sum *sums, Add add) {
  uint32_t lane = 0, lanes = block.lanes();
  auto columns = [&](uint32_t n) {
    Columns<Sum> sum = {};
    block.forEachRun(
        [&](int64_t element) { add(element + lane, lane, n, sum); });
    __builtin_memcpy(sums + lane, &sum, n * sizeof(Sum));
  };
  for (; lane + kVectorColumns <= lanes; lane += kVectorColumns)
    columns(kVectorColumns);
  if (lane < lanes)
    columns(lanes - lane);
}

/// The same of terms of at most 2^18 in magnitude: 2^12 of them fit 32 bits,
/// which have half the vector work of 64.
template <typename Add>
inline void sumSmallColumns(const NormBlock &block, int64_t *sums, Add add) {
  Columns<int32_t> part = {};
  uint32_t terms = 0, end = block.runs();
  sumColumns<int64_t>(
      block, sums,
      [&](int64_t element, uint32_t lane, uint32_t n, Columns<int64_t> &sum) {
        add(element, lane, n, part);
        ++terms;
        if ((terms & 4095) != 0 && terms != end)
          return;
        sum += __builtin_convertvector(part, Columns<int64_t>);
        part = Columns<int32_t>{};
        terms = terms == end ? 0 : terms;
      });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_COLUMNSUMS_H
