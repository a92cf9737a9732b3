//===- IntegerFn.h - Functions of two integers ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What BinaryFn.def needs and C++ has no operator for, or leaves undefined.
// T is int32_t, or int64_t where a type needs it.
//
//   shiftLeft<int32_t>(1, 40)     // 0
//   floorQuotient<int32_t>(-7, 2) // -4
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ARITHMETIC_INTEGERFN_H
#define YARROW_KERNELS_ARITHMETIC_INTEGERFN_H

#include "support/Numeric.h"

namespace yarrow::kernels {

/// (a - b)^2, at most 2^31 - 1. Operands have up to 33 bits; a difference
/// beyond 2^16 has a greater square.
inline int64_t squaredDifference(int64_t a, int64_t b) {
  constexpr int64_t kEnough = 1 << 16;
  int64_t d = clamp(a - b, -kEnough, kEnough);
  d *= d;
  return d < INT32_MAX ? d : INT32_MAX;
}

/// a * b of operands of up to 33 bits, at most 2^62 in magnitude.
inline int64_t saturatingMul(int64_t a, int64_t b) {
  uint64_t x = uint64_t(a < 0 ? -a : a), y = uint64_t(b < 0 ? -b : b);
  // The high halves tell: below 2^30, x * y < 2^62 + 2^51 + 2^32.
  uint64_t product = x * y, most = uint64_t(1) << 62;
  product = (x >> 16) * (y >> 16) >= uint64_t(1) << 30 ? most : product;
  return (a < 0) == (b < 0) ? int64_t(product) : -int64_t(product);
}

/// a * 2^b without the bits that T does not hold; 0 for an amount of T's width
/// or more, and for a negative one.
template <typename T> inline T shiftLeft(T a, T b) {
  constexpr T kWidth = T(8 * sizeof(T));
  uint64_t shifted = uint64_t(a) << (uint64_t(b) & uint64_t(kWidth - 1));
  return b >= 0 && b < kWidth ? T(shifted) : T(0);
}

/// a / 2^b rounded down; the sign for an amount of T's width or more, and for a
/// negative one.
template <typename T> inline T shiftRight(T a, T b) {
  constexpr T kMost = T(8 * sizeof(T)) - 1;
  return T(a >> (b >= 0 && b < kMost ? b : kMost));
}

/// a / b rounded towards zero; 0 for b = 0. The result of the least T by -1
/// does not fit T.
template <typename T> inline int64_t truncQuotient(T a, T b) {
  // By -1 C++ leaves it undefined for the least T.
  T divisor = b == 0 || b == -1 ? T(1) : b;
  int64_t quotient = a / divisor;
  quotient = b == -1 ? int64_t(0 - uint64_t(int64_t(a))) : quotient;
  return b == 0 ? 0 : quotient;
}

/// The same, rounded down.
template <typename T> inline int64_t floorQuotient(T a, T b) {
  int64_t quotient = truncQuotient(a, b);
  T divisor = b == 0 || b == -1 ? T(1) : b; // no rest
  T rest = a % divisor;
  return rest != 0 && (rest < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

/// What quotients leave; by 0 it is 0.
template <typename T> inline T truncRemainder(T a, T b) {
  return a % (b == 0 || b == -1 ? T(1) : b);
}
template <typename T> inline T floorRemainder(T a, T b) {
  T rest = truncRemainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// a^b without the bits that T does not hold, as a product of C's integers; 1
/// for b = 0. A negative exponent leaves the whole part of 1 / a^|b|, and 0 for
/// a = 0.
template <typename T> inline T wholePower(T a, T b) {
  constexpr int kBits = 8 * sizeof(T) - 1;
  uint64_t power = 1, square = uint64_t(a);
  for (int bit = 0; bit < kBits; ++bit) {
    power = (uint64_t(b) >> bit) & 1 ? power * square : power;
    square *= square;
  }
  T inverse = a == 1 ? T(1) : a == -1 ? T(b & 1 ? -1 : 1) : T(0);
  return b < 0 ? inverse : T(power);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ARITHMETIC_INTEGERFN_H
