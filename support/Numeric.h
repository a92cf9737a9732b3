//===- Numeric.h - Rounding, saturation and requantization ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The integer arithmetic that the evaluator, the quantizer and the simulated
// engines must agree on to the last bit. Freestanding and branch-free where a
// loop over it should vectorize.
//
//   requantize(acc, /*scale=*/160, /*shift=*/15, /*zp=*/-3, -128, 127)
//     == clip(RNE(acc * 160 / 2^15) + 3, -128, 127)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_NUMERIC_H
#define YARROW_SUPPORT_NUMERIC_H

#include <stdint.h>

namespace yarrow {

/// `x` limited to [lo, hi].
template <typename T> constexpr T clamp(T x, T lo, T hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

constexpr int32_t saturateToI32(int64_t x) {
  return int32_t(clamp<int64_t>(x, INT32_MIN, INT32_MAX));
}

/// The terms of a rounding right shift that a loop with one shift needs once.
struct RoundShift {
  int32_t left = 0;  // multiply by 2^left first: a negative shift
  int32_t right = 0; // 0 .. 62
  int64_t bias = 0;  // half of the divisor, less one
  int64_t odd = 0; // 1: add the quotient's lowest bit, so that ties go to even
  int64_t lowest = INT64_MIN, highest = INT64_MAX; // operands that `left` keeps
};

constexpr RoundShift makeRoundShift(int32_t shift) {
  RoundShift r;
  // Beyond 62 bits every |x| <= 2^61 rounds to 0, as it does with 62.
  r.right = clamp<int32_t>(shift, 0, 62);
  r.left = clamp<int32_t>(-shift, 0, 62);
  r.bias = r.right ? (int64_t(1) << (r.right - 1)) - 1 : 0;
  r.odd = r.right ? 1 : 0;
  r.lowest = INT64_MIN >> r.left;
  r.highest = INT64_MAX >> r.left;
  return r;
}

/// RNE(x / 2^shift): nearest, ties to even. With q = x >> shift and remainder
/// r, adding half - 1 + (q & 1) carries into q exactly if r > half, or r ==
/// half and q is odd. No overflow for |x| <= 2^62, since bias + 1 <= 2^61. A
/// negative shift multiplies and saturates at the ends of int64.
constexpr int64_t roundShiftHalfEven(int64_t x, const RoundShift &s) {
  x = clamp(x, s.lowest, s.highest) * (int64_t(1) << s.left);
  return (x + s.bias + ((x >> s.right) & s.odd)) >> s.right;
}
constexpr int64_t roundShiftHalfEven(int64_t x, int32_t shift) {
  return roundShiftHalfEven(x, makeRoundShift(shift));
}

/// The same for right shifts only, 0 <= shift <= 62: what inner loops use.
constexpr int64_t roundRightShift(int64_t x, int32_t shift, int64_t bias,
                                  int64_t odd) {
  return (x + bias + ((x >> shift) & odd)) >> shift;
}

/// Product that wraps instead of being undefined: broken files must not crash.
constexpr int64_t wrapMul(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}

/// clip(RNE(x * scale / 2^shift) - zp, lo, hi); exact for |x * scale| <= 2^62.
constexpr int32_t requantize(int64_t x, int32_t scale, int32_t shift,
                             int32_t zp, int32_t lo, int32_t hi) {
  // lo + zp fits: zero points have at most 17 bits.
  int64_t rounded = roundShiftHalfEven(wrapMul(x, scale), shift);
  return int32_t(clamp<int64_t>(rounded, int64_t(lo) + zp, int64_t(hi) + zp) -
                 zp);
}

/// Position of the highest set bit of x > 0.
constexpr int32_t floorLog2(uint64_t x) { return 63 - __builtin_clzll(x); }

} // namespace yarrow

#endif // YARROW_SUPPORT_NUMERIC_H
