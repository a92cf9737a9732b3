//===- FixedFunctions.h - Sigmoid and tanh in 16 bits -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sigmoid and tanh of a number in 16-bit fixed point, in 16-bit arithmetic
// alone: a few of the last bits are what the method makes of them, and models
// that were quantized for it were recorded with them. e^x is a power of e for
// each bit of -x from a quarter on, and a series of four terms for the rest;
// 1 / (1 + e^x) comes from Newton's method. Results have 15 fractional bits.
//
//   int32_t y = fixedSigmoid(4096, /*integerBits=*/3); // of 1.0: 23952 / 2^15
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SEQUENCE_FIXEDFUNCTIONS_H
#define YARROW_KERNELS_SEQUENCE_FIXEDFUNCTIONS_H

#include "support/Numeric.h"

namespace yarrow::kernels {

constexpr int32_t saturateToI16(int64_t x) {
  return int32_t(clamp<int64_t>(x, INT16_MIN, INT16_MAX));
}

/// a * b / 2^15 of two values of 16 bits, ties upwards; -1 * -1 saturates.
constexpr int32_t multiplyQ15(int32_t a, int32_t b) {
  int32_t y = (a * b + (1 << 14)) >> 15; // |a * b| <= 2^30
  return y > INT16_MAX ? INT16_MAX : y;
}

/// e^a of a in [-1/4, 0) of 15 fractional bits: the series around -1/8.
constexpr int32_t fixedExpNear0(int32_t a) {
  constexpr int32_t kAtMinusEighth = 28918; // e^(-1/8) * 2^15
  constexpr int32_t kThird = 10923;         // 2^15 / 3
  int32_t x = a + (1 << 12);
  int32_t x2 = multiplyQ15(x, x), x3 = multiplyQ15(x2, x),
          x4 = multiplyQ15(x2, x2);
  // x^2/2 + x^3/6 + x^4/24, not negative as |x| <= 1/8.
  int32_t quarter = (x4 + 2) >> 2;
  int32_t higher = (multiplyQ15(quarter + x3, kThird) + x2 + 1) >> 1;
  return saturateToI16(kAtMinusEighth +
                       multiplyQ15(kAtMinusEighth, x + higher));
}

/// e^a of a in (-2^integerBits, 0], with 15 fractional bits in the result and
/// 15 - integerBits, at least 8, in a.
constexpr int32_t fixedExp(int32_t a, int32_t integerBits) {
  if (a == 0)
    return INT16_MAX;
  // e^(-2^k) * 2^15 from k = -2 on.
  constexpr int32_t kPowers[] = {25520, 19875, 12055, 4435, 600, 11, 0, 0, 0};
  int32_t fractionBits = 15 - integerBits, quarter = 1 << (fractionBits - 2);
  int32_t near = (a & (quarter - 1)) - quarter; // in [-1/4, 0)
  int32_t y = fixedExpNear0(near * (1 << integerBits));
  int32_t rest = near - a; // whole quarters
  for (int32_t i = 0; i < integerBits + 2; ++i)
    if (rest >> (fractionBits - 2 + i) & 1)
      y = multiplyQ15(y, kPowers[i]);
  return y;
}

/// 2 / (1 + a) of a in [0, 1) of 15 fractional bits; the result has 13.
constexpr int32_t fixedTwoOverOnePlus(int32_t a) {
  constexpr int32_t kOne = 1 << 13;
  // The line through which Newton's method starts best: 48/17 - 32/17 d.
  constexpr int32_t kStart = 23130, kSlope = -15420;
  int32_t half = (a + INT16_MAX + 1) >> 1; // d = (1 + a) / 2
  int32_t x = kStart + multiplyQ15(half, kSlope);
  for (int i = 0; i < 3; ++i) {
    int32_t error = kOne - multiplyQ15(half, x);
    // The product has 11 fractional bits.
    x = saturateToI16(x + saturateToI16(multiplyQ15(x, error) * 4));
  }
  return x;
}

/// Of x with 15 - integerBits fractional bits, 0 <= integerBits <= 6.
constexpr int32_t fixedSigmoid(int32_t x, int32_t integerBits) {
  if (x == 0)
    return 1 << 14;
  int32_t size = x < 0 ? (x == INT16_MIN ? INT16_MAX : -x) : x;
  int32_t y =
      saturateToI16(fixedTwoOverOnePlus(fixedExp(-size, integerBits)) * 2);
  return x > 0 ? y : INT16_MAX - y;
}

/// (1 - e^-2x) / (1 + e^-2x).
constexpr int32_t fixedTanh(int32_t x, int32_t integerBits) {
  if (x == 0)
    return 0;
  int32_t size = x < 0 ? (x == INT16_MIN ? INT16_MAX : -x) : x;
  int32_t twice = fixedTwoOverOnePlus(fixedExp(-size, integerBits + 1));
  int32_t y = saturateToI16((twice - (1 << 13)) * 4);
  return x > 0 ? y : -y;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SEQUENCE_FIXEDFUNCTIONS_H
