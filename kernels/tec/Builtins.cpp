//===- Builtins.cpp - What the compiler calls on a TEC --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A TEC program links no compiler runtime and no C library. These are the
// functions that LLVM calls for operations rv32imafd lacks: 64-bit division,
// conversions between 64-bit integers and floating point, and block moves. Link
// this file into the bitcode after optimization has made such calls as well: a
// loop that copies may become memcpy late.
//
//===----------------------------------------------------------------------===//
#include <stddef.h>
#include <stdint.h>

// A loop in memcpy must not be recognized as a call of memcpy.
#define BUILTIN extern "C" __attribute__((used, no_builtin))

namespace {

struct Division {
  uint64_t quotient, remainder;
};

int leadingZeros(uint64_t x) { return __builtin_clzll(x); }

/// Shift and subtract, one step per quotient bit; 32-bit operands use the
/// hardware.
Division divide(uint64_t a, uint64_t b) {
  if (((a | b) >> 32) == 0)
    return {uint32_t(a) / uint32_t(b), uint32_t(a) % uint32_t(b)};
  if (b > a)
    return {0, a};
  int steps = leadingZeros(b) - leadingZeros(a);
  b <<= steps;
  uint64_t quotient = 0;
  for (int i = 0; i <= steps; ++i) {
    quotient <<= 1;
    if (a >= b) {
      a -= b;
      quotient |= 1;
    }
    b >>= 1;
  }
  return {quotient, a};
}

uint64_t magnitude(int64_t x) { return x < 0 ? 0 - uint64_t(x) : uint64_t(x); }

int64_t withSign(uint64_t x, bool negative) {
  return int64_t(negative ? 0 - x : x);
}

} // namespace

// Division by zero gives zeros here; the language leaves it undefined.
BUILTIN uint64_t __udivdi3(uint64_t a, uint64_t b) {
  return b ? divide(a, b).quotient : 0;
}
BUILTIN uint64_t __umoddi3(uint64_t a, uint64_t b) {
  return b ? divide(a, b).remainder : 0;
}
BUILTIN int64_t __divdi3(int64_t a, int64_t b) {
  return b ? withSign(divide(magnitude(a), magnitude(b)).quotient, (a ^ b) < 0)
           : 0;
}
BUILTIN int64_t __moddi3(int64_t a, int64_t b) {
  return b ? withSign(divide(magnitude(a), magnitude(b)).remainder, a < 0) : 0;
}

// Two halves: the high one is exact, the sum is rounded once.
BUILTIN double __floatundidf(uint64_t x) {
  return double(uint32_t(x >> 32)) * 4294967296.0 + double(uint32_t(x));
}
BUILTIN double __floatdidf(int64_t x) {
  return double(int32_t(x >> 32)) * 4294967296.0 + double(uint32_t(x));
}

namespace {

/// x rounded to a float, ties to even; the bits below the 26 that decide are
/// merged into one, so that the conversion through double rounds once.
float toFloat(uint64_t x) {
  if (x >> 53)
    x = (x & ~uint64_t(0xfff)) | ((x & 0xfff) != 0 ? 0x1000 : 0);
  return float(double(uint32_t(x >> 32)) * 4294967296.0 + double(uint32_t(x)));
}

} // namespace

BUILTIN float __floatundisf(uint64_t x) { return toFloat(x); }
BUILTIN float __floatdisf(int64_t x) {
  float f = toFloat(magnitude(x));
  return x < 0 ? -f : f;
}

// Towards zero; what does not fit is undefined in the language and limited
// here.
BUILTIN uint64_t __fixunsdfdi(double x) {
  if (!(x > 0))
    return 0;
  if (x >= 18446744073709551616.0)
    return UINT64_MAX;
  uint32_t high = uint32_t(x * (1.0 / 4294967296.0));
  return uint64_t(high) << 32 | uint32_t(x - double(high) * 4294967296.0);
}
BUILTIN int64_t __fixdfdi(double x) {
  if (x != x)
    return 0;
  uint64_t m = __fixunsdfdi(x < 0 ? -x : x);
  uint64_t most = uint64_t(INT64_MAX) + (x < 0);
  return withSign(m < most ? m : most, x < 0);
}
BUILTIN uint64_t __fixunssfdi(float x) { return __fixunsdfdi(double(x)); }
BUILTIN int64_t __fixsfdi(float x) { return __fixdfdi(double(x)); }

// Loops over vectors: LLVM vectorizes the byte loops.
BUILTIN void *memcpy(void *__restrict to, const void *__restrict from,
                     size_t n) {
  uint8_t *d = static_cast<uint8_t *>(to);
  const uint8_t *s = static_cast<const uint8_t *>(from);
  for (size_t i = 0; i < n; ++i)
    d[i] = s[i];
  return to;
}
BUILTIN void *memmove(void *to, const void *from, size_t n) {
  uint8_t *d = static_cast<uint8_t *>(to);
  const uint8_t *s = static_cast<const uint8_t *>(from);
  if (d <= s || d >= s + n)
    for (size_t i = 0; i < n; ++i)
      d[i] = s[i];
  else
    for (size_t i = n; i-- > 0;)
      d[i] = s[i];
  return to;
}
BUILTIN void *memset(void *to, int value, size_t n) {
  uint8_t *d = static_cast<uint8_t *>(to);
  for (size_t i = 0; i < n; ++i)
    d[i] = uint8_t(value);
  return to;
}
BUILTIN int memcmp(const void *a, const void *b, size_t n) {
  const uint8_t *x = static_cast<const uint8_t *>(a);
  const uint8_t *y = static_cast<const uint8_t *>(b);
  for (size_t i = 0; i < n; ++i)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}
