//===- Half.h - float16 and bfloat16 as bits ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Conversions between float and the two 16-bit floats, on their bit patterns,
// rounding to nearest even. Integer arithmetic only, no library: host and TEC
// get the same bits whatever their floating-point unit does. Subnormals,
// infinities and NaNs (kept quiet, payload shortened) are exact.
//
//   uint16_t bits = floatToHalf(0.1f);   // 0x2E66
//   float back = halfToFloat(bits);      // 0.0999755859375f
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_HALF_H
#define YARROW_SUPPORT_HALF_H

#include <stdint.h> // freestanding: <cstdint> needs a C++ library

namespace yarrow {

/// By the bits, which many elements at a time are compared by: an exponent of
/// ones is an infinity or NaN.
constexpr bool isNotFinite(float value) {
  return (__builtin_bit_cast(uint32_t, value) & 0x7F800000u) == 0x7F800000u;
}

constexpr float bfloatToFloat(uint16_t bits) {
  return __builtin_bit_cast(float, uint32_t(bits) << 16);
}

constexpr uint16_t floatToBfloat(float value) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
    return uint16_t((bits >> 16) | 0x40u);
  return uint16_t((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

constexpr float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 0x1Fu;
  uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0x1F) // infinity or NaN
    return __builtin_bit_cast(float, sign | 0x7F800000u | (mantissa << 13) |
                                         (mantissa ? 0x400000u : 0u));
  if (exponent == 0) {
    if (mantissa == 0)
      return __builtin_bit_cast(float, sign);
    // A subnormal half is a normal float: shift its first bit up to bit 10.
    exponent = 1;
    while (!(mantissa & 0x400u)) {
      mantissa <<= 1;
      --exponent; // may wrap below zero; the bias below wraps it back
    }
    mantissa &= 0x3FFu;
  }
  return __builtin_bit_cast(float, sign | ((exponent + (127u - 15u)) << 23) |
                                       (mantissa << 13));
}

constexpr uint16_t floatToHalf(float value) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) // NaN
    return uint16_t(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu));
  if (magnitude >= 0x477FF000u) // 65520 and more round to infinity
    return uint16_t(sign | 0x7C00u);
  if (magnitude >= 0x38800000u) { // 2^-14: a normal half
    uint32_t rebased = magnitude - ((127u - 15u) << 23);
    return uint16_t(sign | ((rebased + 0xFFFu + ((rebased >> 13) & 1u)) >> 13));
  }
  if (magnitude <= 0x33000000u) // 2^-25 ties to zero, less is zero
    return uint16_t(sign);
  uint32_t shift = 126u - (magnitude >> 23); // 14 to 24: units of 2^-24
  uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
  uint32_t quotient = mantissa >> shift;
  uint32_t rest = mantissa & ((1u << shift) - 1u);
  uint32_t tie = 1u << (shift - 1u);
  quotient += uint32_t(rest > tie || (rest == tie && (quotient & 1u)));
  return uint16_t(sign | quotient);
}

} // namespace yarrow

#endif // YARROW_SUPPORT_HALF_H
