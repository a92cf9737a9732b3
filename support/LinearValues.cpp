//===- LinearValues.cpp - Many real numbers as stored integers ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/LinearValues.h"

#include "support/LinearValue.h"

#include <cstdlib>
#include <cstring>

using namespace yarrow;

/// quantizeValue where limits and zero point are floats without a rest:
/// conversion and comparison may be exchanged then, and all is 32 bits wide.
template <typename T>
__attribute__((always_inline)) static inline void
quantizeShort(std::span<const float> values, const LinearType &type, char *to) {
  float scale = type.scale, zp = float(type.zp), lo = float(type.lo),
        hi = float(type.hi);
  for (std::size_t i = 0; i < values.size(); ++i) {
    float scaled = scale * values[i]; // a statement of its own: never fused
    float y = std::nearbyint(scaled - zp);
    y = y == y ? y : 0.0f;
    y = y < lo ? lo : y;
    y = y > hi ? hi : y;
    T q = T(int32_t(y));
    std::memcpy(to + i * sizeof(T), &q, sizeof(T));
  }
}

using Quantize = void(std::span<const float>, const LinearType &, char *);

static void quantizeBytes(std::span<const float> values, const LinearType &type,
                          char *to) {
  quantizeShort<uint8_t>(values, type, to);
}
static void quantizeWords(std::span<const float> values, const LinearType &type,
                          char *to) {
  quantizeShort<uint16_t>(values, type, to);
}

#ifdef __x86_64__
#define YARROW_V4                                                              \
  __attribute__((target("arch=x86-64-v4"), min_vector_width(512))) static void

YARROW_V4 quantizeBytesV4(std::span<const float> values, const LinearType &type,
                          char *to) {
  quantizeShort<uint8_t>(values, type, to);
}
YARROW_V4 quantizeWordsV4(std::span<const float> values, const LinearType &type,
                          char *to) {
  quantizeShort<uint16_t>(values, type, to);
}
#endif

static Quantize *quantizeOfHost(std::size_t bytes) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("x86-64-v4"))
    return bytes == 1 ? quantizeBytesV4 : quantizeWordsV4;
#endif
  return bytes == 1 ? quantizeBytes : quantizeWords;
}

void yarrow::quantizeValues(std::span<const float> values,
                            const LinearType &type, char *to) {
  constexpr int64_t kMost = int64_t(1) << 24; // floats count as far as that
  auto isShort = [](int64_t x) { return std::abs(x) <= kMost; };
  if (type.bytes <= 2 && isShort(type.lo) && isShort(type.hi) &&
      type.lo <= type.hi)
    return quantizeOfHost(type.bytes)(values, type, to);
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Little-endian hosts only: the low bytes are the encoding.
    int64_t q = quantizeValue(values[i], type.scale, type.zp, type.lo, type.hi);
    std::memcpy(to + i * type.bytes, &q, type.bytes);
  }
}
