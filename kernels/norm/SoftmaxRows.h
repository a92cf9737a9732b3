//===- SoftmaxRows.h - The rows of a softmax --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the forms of Softmax and LogSoftmax share: a task's rows along the axis,
// their maximum, and how results are stored.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXROWS_H
#define YARROW_KERNELS_NORM_SOFTMAXROWS_H

#include "kernels/StripRuns.h"
#include "kernels/norm/SoftmaxShape.h"

namespace yarrow::kernels {

/// One row along the axis: `first` + i * stride for i < axis.
struct Row {
  int64_t first;
  uint32_t stride;
};

/// The i-th of all.
inline Row rowOf(const SoftmaxShape &s, uint32_t i) {
  return {int64_t(i / s.inner) * s.axis * s.inner + i % s.inner, s.inner};
}

template <typename Fn>
inline void forEachRow(const SoftmaxShape &s, uint32_t task, uint32_t taskCount,
                       Fn fn) {
  Share share = shareOf(s.outer * s.inner, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i)
    fn(rowOf(s, i));
}

/// The n values of a row from the i-th on.
inline void loadRowChunk(DType type, const void *src, const Row &row,
                         uint32_t i, uint32_t n, int32_t *x) {
  loadI32(type, src, row.first + int64_t(i) * row.stride, n, x, row.stride);
}

inline int32_t maxOf(DType type, const void *src, const Row &row,
                     uint32_t axis) {
  if (isByte(type) && row.stride == 1) {
    int32_t best;
    withByte(type, [&](auto zero) {
      best = greatestOf<decltype(zero)>(src, row.first, axis);
    });
    return best;
  }
  int32_t x[kChunk], best = INT32_MIN;
  forEachChunk(0, axis, [&](uint32_t i, uint32_t n) {
    loadRowChunk(type, src, row, i, n, x);
    for (uint32_t k = 0; k < n; ++k)
      best = best > x[k] ? best : x[k];
  });
  return best;
}

inline void storeRowChunk(DType type, void *dst, const Row &row, uint32_t i,
                          uint32_t n, const int32_t *values) {
  int64_t index = row.first + int64_t(i) * row.stride;
  if (row.stride == 1)
    storeI32(type, dst, index, n, values);
  else
    storeI32Strided(type, dst, index, n, values, row.stride);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXROWS_H
