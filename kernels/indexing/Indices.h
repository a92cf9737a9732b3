//===- Indices.h - Indices that come as data --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Indices have any type, may count from the end and may be wrong; a
// kernel brings them into the tensor before it reads or writes there.
//
//   loadIndices(DType::I64, indices, 0, n, at);   // int32, limited
//   wrapIndices(at, n, /*size=*/10);              // -1 becomes 9, 10 becomes 9
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_INDEXING_INDICES_H
#define YARROW_KERNELS_INDEXING_INDICES_H

#include "kernels/Elements.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

/// Of an index that a float holds; a NaN is below all.
inline int32_t truncatedIndex(float x) {
  constexpr float kMost = 2147483520.0f; // the greatest of int32
  return !(x > -kMost) ? INT32_MIN : x < kMost ? int32_t(x) : INT32_MAX;
}

/// One integer of any type, or a float cut to one.
inline int64_t loadIndex(DType type, const void *src, int64_t at) {
  float x;
  switch (type) {
  case DType::F32:
  case DType::F16:
  case DType::BF16:
    loadF32(type, src, at, 1, &x);
    return truncatedIndex(x);
  case DType::I64:
    return static_cast<const int64_t *>(src)[at];
  case DType::U32:
    return static_cast<const uint32_t *>(src)[at];
  default:
    return loadOneI32(type, src, at);
  }
}

/// dst[i] = src[at + i * stride], limited to int32.
inline void loadIndices(DType type, const void *src, int64_t at, uint32_t n,
                        int32_t *dst, int64_t stride = 1) {
  if (type == DType::I64) {
    auto *from = static_cast<const int64_t *>(src) + at;
    for (uint32_t i = 0; i < n; ++i)
      dst[i] = saturateToI32(from[int64_t(i) * stride]);
    return;
  }
  if (type == DType::F32 || type == DType::F16 || type == DType::BF16) {
    float x[kChunk];
    loadF32(type, src, at, n, x, stride);
    for (uint32_t i = 0; i < n; ++i)
      dst[i] = truncatedIndex(x[i]);
    return;
  }
  loadI32(type, src, at, n, dst, stride);
  if (type == DType::U32)
    for (uint32_t i = 0; i < n; ++i)
      dst[i] = dst[i] < 0 ? INT32_MAX : dst[i];
}

/// Indices of an axis of \p size: negative ones count from the end, those
/// beyond either end are the end's.
inline void wrapIndices(int32_t *index, uint32_t n, int32_t size) {
  for (uint32_t i = 0; i < n; ++i) {
    int32_t at = index[i] < 0 ? index[i] + size : index[i];
    at = at < 0 ? 0 : at;
    index[i] = at < size ? at : size - 1;
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_INDEXING_INDICES_H
