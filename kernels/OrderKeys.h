//===- OrderKeys.h - Values of any type as integers in order ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels that look for the greatest or the least value compare keys of int32,
// whatever the element type and the direction are: the greater key wins. A NaN
// wins against all, as in reductions; -0 and 0 are equal.
//
//   loadKeys(DType::F32, {-1.5f, 2.0f}, 0, 2, /*least=*/false, keys);
//   // keys[1] > keys[0]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ORDERKEYS_H
#define YARROW_KERNELS_ORDERKEYS_H

#include "kernels/Elements.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// The types that have keys.
constexpr DTypeSet kOrderedTypes = kSmallInts | kFloats | setOf(DType::Bool);

constexpr bool isFloatType(DType type) { return contains(kFloats, type); }

/// keys[i] of src[index + i * stride]; with \p least, the least value has the
/// greatest key.
inline void loadKeys(DType type, const void *src, int64_t index, uint32_t n,
                     bool least, int32_t *keys, int64_t stride = 1) {
  int32_t flip = least ? -1 : 0;
  if (isFloatType(type)) {
    float x[kChunk];
    loadF32(type, src, index, n, x, stride);
    for (uint32_t i = 0; i < n; ++i) {
      // -0 + 0 is 0. Bits of negative floats fall where the value rises.
      int32_t bits = __builtin_bit_cast(int32_t, x[i] + 0.0f);
      int32_t key = (bits ^ int32_t(uint32_t(bits >> 31) >> 1)) ^ flip;
      keys[i] = x[i] != x[i] ? INT32_MAX : key;
    }
    return;
  }
  loadI32(type, src, index, n, keys, stride);
  if (type == DType::U32)
    flip ^= INT32_MIN;
  for (uint32_t i = 0; i < n; ++i)
    keys[i] ^= flip;
}

inline int32_t keyAt(DType type, const void *src, int64_t index, bool least) {
  int32_t key;
  loadKeys(type, src, index, 1, least, &key);
  return key;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ORDERKEYS_H
