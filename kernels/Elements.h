//===- Elements.h - Chunks of elements of any type ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A kernel supports all combinations of element types: it loads chunks of at
// most kChunk elements as int32 or float, computes, and stores. The switch over
// the type is outside the loop, and LLVM folds it if the parameters are
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

// The conversions between 16 and 32 bits, without the F16C or Zfh instructions
// that TECs lack: of a Float and a Word each, or of vectors of as many.

/// to = the halves in words, with their sign in all upper bits.
template <typename Word, typename Float>
inline void halvesToFloats(const Word &halves, Float &to) {
  // Shifted into a float's place the exponent is too small by 127 - 15; the
  // product with 2^112 repairs it, subnormals included.
  Word bits = (halves << 13) & int32_t(0x8fffe000);
  Float scaled = __builtin_bit_cast(Float, bits) * 0x1p112f;
  // What has the greatest exponent is infinity or NaN.
  Float special = __builtin_bit_cast(Float, bits | 0x7f800000);
  to = __builtin_elementwise_abs(scaled) >= 65536.0f ? special : scaled;
}
inline float halfToFloat(uint16_t h) {
  float f;
  halvesToFloats(int32_t(int16_t(h)), f);
  return f;
}

/// to = halves in the low bits of words, nearest with ties to even; NaN becomes
/// the one quiet NaN 0x7e00.
template <typename Float, typename Word>
inline void floatsToHalves(const Float &floats, Word &to) {
  Word bits = __builtin_bit_cast(Word, floats);
  Word sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  // Subnormal results: the last bit of 0.5f weighs 2^-24 as a subnormal half's
  // does, so the sum rounds to the right place.
  Float aligned = __builtin_bit_cast(Float, magnitude) + 0.5f;
  Word subnormal = __builtin_bit_cast(Word, aligned) - 0x3f000000;
  // 2^16 and above are infinity. The rounding is that of roundRightShift
  // (support/Numeric.h), for which TECs have an instruction.
  constexpr int32_t kLost = 13, kBias = (127 - 15) << 10;
  Word limited = __builtin_elementwise_min(magnitude, Word{} + 0x47800000);
  Word normal = ((limited + 0xfff + ((limited >> kLost) & 1)) >> kLost) - kBias;
  Word half = magnitude < 0x38800000 ? subnormal : normal;
  to = magnitude > 0x7f800000 ? Word{} + 0x7e00 : half | sign;
}
inline uint16_t floatToHalf(float f) {
  int32_t half;
  floatsToHalves(f, half);
  return uint16_t(half);
}

inline float bfloatToFloat(uint16_t b) {
  return __builtin_bit_cast(float, uint32_t(b) << 16);
}

/// to = bfloat16 as floatsToHalves has them; NaN becomes 0x7fc0.
template <typename Float, typename Word>
inline void floatsToBfloats(const Float &floats, Word &to) {
  Word bits = __builtin_bit_cast(Word, floats);
  // The sums of NaN would overflow.
  Word limited = __builtin_elementwise_min(bits, Word{} + 0x7f800000);
  Word rounded = (limited + 0x7fff + ((limited >> 16) & 1)) >> 16;
  to = (bits & 0x7fffffff) > 0x7f800000 ? Word{} + 0x7fc0 : rounded;
}
inline uint16_t floatToBfloat(float f) {
  int32_t bfloat;
  floatsToBfloats(f, bfloat);
  return uint16_t(bfloat);
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

template <typename T, typename Convert>
inline void storeConverted(void *dst, int64_t index, int64_t stride, uint32_t n,
                           const float *src, Convert convert) {
  T *to = static_cast<T *>(dst) + index;
  if (stride == 1) {
    for (uint32_t i = 0; i < n; ++i)
      to[i] = convert(src[i]);
  } else {
    for (uint32_t i = 0; i < n; ++i)
      to[int64_t(i) * stride] = convert(src[i]);
  }
}

/// dst[index + i * stride] = src[i] rounded to a float type.
inline void storeF32(DType type, void *dst, int64_t index, uint32_t n,
                     const float *src, int64_t stride = 1) {
  if (type == DType::F32)
    storeConverted<float>(dst, index, stride, n, src, canonicalNaN);
  else if (type == DType::F16)
    storeConverted<uint16_t>(dst, index, stride, n, src, floatToHalf);
  else
    storeConverted<uint16_t>(dst, index, stride, n, src, floatToBfloat);
}

/// Calls fn(index, n) for the chunks of [begin, end).
template <typename Fn>
inline void forEachChunk(uint32_t begin, uint32_t end, Fn fn) {
  for (uint32_t i = begin; i < end; i += kChunk)
    fn(i, end - i < kChunk ? end - i : kChunk);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ELEMENTS_H
