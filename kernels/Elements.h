//===- Elements.h - Chunks of elements of any type ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels do not exist once per combination of element types: they load chunks
// of at most kChunk elements as int32 or float, compute, and store. The switch
// over the type is outside the loop, and LLVM folds it where the parameters are
// constants.
//
//   int32_t x[kChunk];
//   loadI32(DType::U8, input, /*index=*/64, n, x);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ELEMENTS_H
#define YARROW_KERNELS_ELEMENTS_H

#include "kernels/Kernel.h"

namespace yarrow::kernels {

/// Elements per chunk: four vectors of 32 lanes, and less than 6 KB of stack
/// for the kernel with the most chunk buffers.
constexpr uint32_t kChunk = 128;

inline const uint8_t *bytesAt(const void *base, DType type, int64_t index) {
  return static_cast<const uint8_t *>(base) + index * dtypeBytes(type);
}
inline uint8_t *bytesAt(void *base, DType type, int64_t index) {
  return static_cast<uint8_t *>(base) + index * dtypeBytes(type);
}

/// half to float without the F16C or Zfh instructions that TECs lack.
inline float halfToFloat(uint16_t h) {
  uint32_t sign = uint32_t(h & 0x8000u) << 16;
  uint32_t magnitude = h & 0x7fffu;
  // Shifted into a float's place the exponent is too small by 127 - 15; the
  // product with 2^112 repairs it, subnormals included.
  float scaled = __builtin_bit_cast(float, magnitude << 13) *
                 __builtin_bit_cast(float, uint32_t(254 - 15) << 23);
  uint32_t bits = __builtin_bit_cast(uint32_t, scaled);
  bits = magnitude >= 0x7c00u ? (magnitude << 13) | 0x7f800000u : bits;
  return __builtin_bit_cast(float, bits | sign);
}

/// float to half, nearest with ties to even; NaN becomes the one quiet NaN
/// 0x7e00.
inline uint16_t floatToHalf(float f) {
  uint32_t bits = __builtin_bit_cast(uint32_t, f);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  // Subnormal results: the last bit of 0.5f weighs 2^-24 as a subnormal half's
  // does, so the sum rounds to the right place.
  float aligned = __builtin_bit_cast(float, magnitude) + 0.5f;
  uint32_t subnormal = __builtin_bit_cast(uint32_t, aligned) - 0x3f000000u;
  uint32_t odd = (magnitude >> 13) & 1u;
  uint32_t normal =
      (magnitude + (uint32_t(15 - 127) << 23) + 0xfffu + odd) >> 13;
  uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
  half = magnitude >= 0x47800000u ? 0x7c00u : half; // 2^16 and above
  half = magnitude > 0x7f800000u ? 0x7e00u : half;
  return uint16_t(half | (magnitude > 0x7f800000u ? 0u : sign));
}

inline float bfloatToFloat(uint16_t b) {
  return __builtin_bit_cast(float, uint32_t(b) << 16);
}

/// float to bfloat16, nearest with ties to even; NaN becomes 0x7fc0.
inline uint16_t floatToBfloat(float f) {
  uint32_t bits = __builtin_bit_cast(uint32_t, f);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : uint16_t(rounded);
}

/// A NaN's bits differ between machines (x86 sets the sign of the one it
/// makes), so only this one is ever stored.
inline float canonicalNaN(float f) {
  return f == f ? f : __builtin_bit_cast(float, uint32_t(0x7fc00000));
}

template <typename T, typename R>
inline void loadLoop(const void *src, int64_t index, int64_t stride, uint32_t n,
                     R *dst) {
  const T *from = static_cast<const T *>(src) + index;
  if (stride == 1) {
    for (uint32_t i = 0; i < n; ++i)
      dst[i] = R(from[i]);
  } else if (stride == 0) {
    R value = R(*from);
    for (uint32_t i = 0; i < n; ++i)
      dst[i] = value;
  } else {
    for (uint32_t i = 0; i < n; ++i)
      dst[i] = R(from[int64_t(i) * stride]);
  }
}

/// dst[i] = src[index + i * stride] for integer types of at most 32 bits (U32
/// wraps, I64 truncates).
inline void loadI32(DType type, const void *src, int64_t index, uint32_t n,
                    int32_t *dst, int64_t stride = 1) {
  switch (type) {
  case DType::I8:
    return loadLoop<int8_t>(src, index, stride, n, dst);
  case DType::U8:
  case DType::Bool:
    return loadLoop<uint8_t>(src, index, stride, n, dst);
  case DType::I16:
    return loadLoop<int16_t>(src, index, stride, n, dst);
  case DType::U16:
    return loadLoop<uint16_t>(src, index, stride, n, dst);
  case DType::I64:
    return loadLoop<int64_t>(src, index, stride, n, dst);
  default:
    return loadLoop<int32_t>(src, index, stride, n, dst);
  }
}

/// One element; for parameters outside inner loops.
inline int32_t loadOneI32(DType type, const void *src, int64_t index) {
  int32_t value;
  loadI32(type, src, index, 1, &value);
  return value;
}

template <typename T, typename R>
inline void storeLoop(void *dst, int64_t index, uint32_t n, const R *src) {
  T *to = static_cast<T *>(dst) + index;
  for (uint32_t i = 0; i < n; ++i)
    to[i] = T(src[i]);
}

/// dst[index + i * stride] = src[i]; for rows that are not innermost.
inline void storeI32Strided(DType type, void *dst, int64_t index, uint32_t n,
                            const int32_t *src, int64_t stride) {
  uint32_t bytes = dtypeBytes(type) < 4 ? dtypeBytes(type) : 4;
  for (uint32_t i = 0; i < n; ++i)
    __builtin_memcpy(bytesAt(dst, type, index + int64_t(i) * stride), src + i,
                     bytes);
}

/// dst[index + i] = src[i], whose values fit the type (others lose their high
/// bits).
inline void storeI32(DType type, void *dst, int64_t index, uint32_t n,
                     const int32_t *src) {
  switch (dtypeBytes(type)) {
  case 1:
    return storeLoop<uint8_t>(dst, index, n, src);
  case 2:
    return storeLoop<uint16_t>(dst, index, n, src);
  case 8:
    return storeLoop<int64_t>(dst, index, n, src);
  default:
    return storeLoop<int32_t>(dst, index, n, src);
  }
}

template <typename Convert>
inline void loadHalfLoop(const void *src, int64_t index, int64_t stride,
                         uint32_t n, float *dst, Convert convert) {
  const uint16_t *from = static_cast<const uint16_t *>(src) + index;
  if (stride == 1) {
    for (uint32_t i = 0; i < n; ++i)
      dst[i] = convert(from[i]);
  } else {
    for (uint32_t i = 0; i < n; ++i)
      dst[i] = convert(from[int64_t(i) * stride]);
  }
}

/// dst[i] = src[index + i * stride] for float types, and for integers their
/// value.
inline void loadF32(DType type, const void *src, int64_t index, uint32_t n,
                    float *dst, int64_t stride = 1) {
  switch (type) {
  case DType::F32:
    return loadLoop<float>(src, index, stride, n, dst);
  case DType::F16:
    return loadHalfLoop(src, index, stride, n, dst, halfToFloat);
  case DType::BF16:
    return loadHalfLoop(src, index, stride, n, dst, bfloatToFloat);
  case DType::I8:
    return loadLoop<int8_t>(src, index, stride, n, dst);
  case DType::U8:
  case DType::Bool:
    return loadLoop<uint8_t>(src, index, stride, n, dst);
  case DType::I16:
    return loadLoop<int16_t>(src, index, stride, n, dst);
  case DType::U16:
    return loadLoop<uint16_t>(src, index, stride, n, dst);
  case DType::U32:
    return loadLoop<uint32_t>(src, index, stride, n, dst);
  case DType::I64:
    return loadLoop<int64_t>(src, index, stride, n, dst);
  case DType::I32:
    return loadLoop<int32_t>(src, index, stride, n, dst);
  case DType::F64:
  case DType::U64:
    return; // never executed: compass::isExecutable
  }
}

/// Like loadF32, but gives back the source itself where it already is float.
inline const float *viewF32(DType type, const void *src, int64_t index,
                            uint32_t n, float *scratch) {
  if (type == DType::F32)
    return static_cast<const float *>(src) + index;
  loadF32(type, src, index, n, scratch);
  return scratch;
}

/// dst[index + i] = src[i] rounded to a float type.
inline void storeF32(DType type, void *dst, int64_t index, uint32_t n,
                     const float *src) {
  if (type == DType::F32) {
    float *to = static_cast<float *>(dst) + index;
    for (uint32_t i = 0; i < n; ++i)
      to[i] = canonicalNaN(src[i]);
    return;
  }
  uint16_t *to = static_cast<uint16_t *>(dst) + index;
  if (type == DType::F16) {
    for (uint32_t i = 0; i < n; ++i)
      to[i] = floatToHalf(src[i]);
  } else {
    for (uint32_t i = 0; i < n; ++i)
      to[i] = floatToBfloat(src[i]);
  }
}

/// Calls fn(index, n) for the chunks of [begin, end).
template <typename Fn>
inline void forEachChunk(uint32_t begin, uint32_t end, Fn fn) {
  for (uint32_t i = begin; i < end; i += kChunk)
    fn(i, end - i < kChunk ? end - i : kChunk);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ELEMENTS_H
