//===- Flags.h - Elements that are not zero ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Conditions of any type as they are stored: 0 is false, all else is true.
//
//   int32_t flags[kChunk];
//   loadFlags(DType::F32, condition, 0, n, flags); // 1 where not 0
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_INDEXING_FLAGS_H
#define YARROW_KERNELS_INDEXING_FLAGS_H

#include "kernels/Elements.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// flags[i] = src[at + i * stride] != 0, as 1 or 0; a NaN is not 0.
inline void loadFlags(DType type, const void *src, int64_t at, uint32_t n,
                      int32_t *flags, int64_t stride = 1) {
  if (contains(kFloats, type)) {
    float x[kChunk];
    loadF32(type, src, at, n, x, stride);
    for (uint32_t i = 0; i < n; ++i)
      flags[i] = x[i] != 0;
    return;
  }
  if (type == DType::I64) {
    // Neither half may decide alone.
    int32_t high[kChunk];
    auto *words = static_cast<const int32_t *>(src) + 2 * at;
    loadLoop<int32_t>(words, 0, 2 * stride, n, flags);
    loadLoop<int32_t>(words, 1, 2 * stride, n, high);
    for (uint32_t i = 0; i < n; ++i)
      flags[i] |= high[i];
  } else {
    loadI32(type, src, at, n, flags, stride);
  }
  for (uint32_t i = 0; i < n; ++i)
    flags[i] = flags[i] != 0;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_INDEXING_FLAGS_H
