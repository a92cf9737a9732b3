//===- MoveRun.h - Moving elements of any size ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   moveRun(/*elemBytes=*/2, src, from, 1, dst, to, 1, n);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_MOVEMENT_MOVERUN_H
#define YARROW_KERNELS_MOVEMENT_MOVERUN_H

#include "kernels/ElementSize.h"
#include "kernels/Strided.h"

namespace yarrow::kernels {

/// Moves n elements of any size; offsets and strides count elements.
inline void moveRun(uint32_t elemBytes, const void *src, int64_t from,
                    int64_t srcStride, void *dst, int64_t to, int64_t dstStride,
                    uint32_t n) {
  if (srcStride == 1 && dstStride == 1)
    return copyBytes(static_cast<const uint8_t *>(src) + from * elemBytes,
                     static_cast<uint8_t *>(dst) + to * elemBytes,
                     n * elemBytes);
  withElement(elemBytes, [&](auto zero) {
    using T = decltype(zero);
    copyStrided(static_cast<const T *>(src) + from, srcStride,
                static_cast<T *>(dst) + to, dstStride, n);
  });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_MOVEMENT_MOVERUN_H
