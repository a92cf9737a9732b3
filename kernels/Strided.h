//===- Strided.h - Copying elements that lie apart --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   copyStrided(src, /*srcStride=*/64, dst, /*dstStride=*/1, n); // a column
//
// For a TEC it is written with strided vector accesses: LLVM would vectorize
// such a loop for strides of 1 only, and a transposition of 8-bit elements took
// 17 cycles an element, with them 1.2.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_STRIDED_H
#define YARROW_KERNELS_STRIDED_H

#include <stddef.h>
#include <stdint.h>
#ifdef __riscv_vector
#include <riscv_vector.h>
#endif

namespace yarrow::kernels {

#ifdef __riscv_vector

#define YARROW_COPY_STRIDED(BITS)                                              \
  inline void copyStrided(const uint##BITS##_t *src, int64_t srcStride,        \
                          uint##BITS##_t *dst, int64_t dstStride,              \
                          uint32_t n) {                                        \
    for (size_t vl; n > 0; n -= vl) {                                          \
      vl = __riscv_vsetvl_e##BITS##m4(n);                                      \
      vuint##BITS##m4_t v =                                                    \
          srcStride == 1   ? __riscv_vle##BITS##_v_u##BITS##m4(src, vl)        \
          : srcStride == 0 ? __riscv_vmv_v_x_u##BITS##m4(*src, vl)             \
                           : __riscv_vlse##BITS##_v_u##BITS##m4(               \
                                 src, ptrdiff_t(srcStride) * (BITS / 8), vl);  \
      if (dstStride == 1)                                                      \
        __riscv_vse##BITS##_v_u##BITS##m4(dst, v, vl);                         \
      else                                                                     \
        __riscv_vsse##BITS##_v_u##BITS##m4(                                    \
            dst, ptrdiff_t(dstStride) * (BITS / 8), v, vl);                    \
      src += ptrdiff_t(srcStride) * ptrdiff_t(vl);                             \
      dst += ptrdiff_t(dstStride) * ptrdiff_t(vl);                             \
    }                                                                          \
  }
YARROW_COPY_STRIDED(8)
YARROW_COPY_STRIDED(16)
YARROW_COPY_STRIDED(32)
YARROW_COPY_STRIDED(64)
#undef YARROW_COPY_STRIDED

/// Bytes that do not overlap. The call of memcpy alone costs as much as moving
/// a row of a hundred.
inline void copyBytes(const void *src, void *dst, uint32_t n) {
  constexpr uint32_t kMost = 256; // eight registers
  auto *from = static_cast<const uint8_t *>(src);
  auto *to = static_cast<uint8_t *>(dst);
  for (; n > kMost; n -= kMost, from += kMost, to += kMost)
    __riscv_vse8_v_u8m8(to, __riscv_vle8_v_u8m8(from, kMost), kMost);
  __riscv_vse8_v_u8m8(to, __riscv_vle8_v_u8m8(from, n), n);
}

/// The same bytes `times` times, one copy after the other.
inline void repeatBytes(const void *src, void *dst, uint32_t n,
                        uint32_t times) {
  constexpr uint32_t kMost = 256;
  auto *from = static_cast<const uint8_t *>(src);
  auto *to = static_cast<uint8_t *>(dst);
  for (uint32_t i = 0; i < n; i += kMost) {
    uint32_t part = n - i < kMost ? n - i : kMost;
    vuint8m8_t v = __riscv_vle8_v_u8m8(from + i, part);
    for (uint32_t t = 0; t < times; ++t)
      __riscv_vse8_v_u8m8(to + t * n + i, v, part);
  }
}

#else

template <typename T>
void copyStrided(const T *src, int64_t srcStride, T *dst, int64_t dstStride,
                 uint32_t n) {
  for (uint32_t i = 0; i < n; ++i)
    dst[int64_t(i) * dstStride] = src[int64_t(i) * srcStride];
}

inline void copyBytes(const void *src, void *dst, uint32_t n) {
  __builtin_memcpy(dst, src, n);
}

inline void repeatBytes(const void *src, void *dst, uint32_t n,
                        uint32_t times) {
  for (uint32_t t = 0; t < times; ++t)
    __builtin_memcpy(static_cast<uint8_t *>(dst) + size_t(t) * n, src, n);
}

#endif

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_STRIDED_H
