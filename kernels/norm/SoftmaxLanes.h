//===- SoftmaxLanes.h - Rows of a softmax as lanes --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Maximum, sum and quotient of a row take longer than the elements of a short
// one. As lanes of a strip (Strips.h) they are found for 32 rows together,
// whether these lie one after the other or side by side.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXLANES_H
#define YARROW_KERNELS_NORM_SOFTMAXLANES_H

#include "kernels/StripRuns.h"
#include "kernels/norm/SoftmaxShape.h"

namespace yarrow::kernels {

/// Rows that are lanes: the first element of the first one, and how far apart
/// they and the elements of a row are.
struct RowsAsLanes {
  int64_t first;
  uint32_t count;
  int32_t stride, step;

  int64_t placeOf(uint32_t i) const { return first + int64_t(i) * step; }
};

/// Whether 32 rows at once are faster than one by one.
inline bool areColumns(const SoftmaxShape &s, uint32_t rows) {
  constexpr uint32_t kFewRows = 8;
  return s.inner == 1 ? rows >= kFewRows : s.inner >= kFewRows;
}

/// Calls fn(rows, size) for the rows of a share.
template <typename Fn>
inline void forEachRowsAsLanes(const SoftmaxShape &s, Share share, Fn fn) {
  for (uint32_t i = share.begin, n; i < share.end; i += n) {
    uint32_t column = i % s.inner;
    n = s.inner == 1 ? kStrip : s.inner - column;
    n = n < share.end - i ? n : share.end - i;
    n = n < kStrip ? n : kStrip;
    int64_t first = int64_t(i / s.inner) * s.axis * s.inner + column;
    RowsAsLanes rows{.first = first,
                     .count = n,
                     .stride = s.inner == 1 ? int32_t(s.axis) : 1,
                     .step = int32_t(s.inner)};
    // Of a whole strip LLVM would store the elements that lie apart one by one.
    if (n == kStrip && rows.stride == 1)
      fn(rows, WholeStrip());
    else
      fn(rows, PartOfStrip{n});
  }
}

/// The greatest of each row, of integers T.
template <typename T, typename Size>
inline void greatestOfLanes(const void *input, const RowsAsLanes &rows,
                            uint32_t axis, Size size, Strip<int32_t> &top) {
  Strip<T> x, tops = Strip<T>{} + kLowest<T>;
  for (uint32_t j = 0; j < axis; ++j) {
    loadStrided<T>(input, rows.placeOf(j), rows.stride, size, x);
    tops = __builtin_elementwise_max(tops, x);
  }
  top = __builtin_convertvector(tops, Strip<int32_t>);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXLANES_H
