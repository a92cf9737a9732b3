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

/// How acc * scale / 2^shift becomes an integer.
enum class Rounding : uint32_t {
  HalfEven, ///< Once, ties to even: the Compass tool chain, and XNNPACK.
  HalfUp,   ///< Once, ties upwards, floor((acc * scale + 2^(shift-1)) /
            ///< 2^shift): TFLite's layers of 16-bit activations, and of 8 bits
            ///< with TFLITE_SINGLE_ROUNDING.
  Double,   ///< TFLite's reference of 8 bits: see requantizeTwice.
};

/// The terms of a rounding right shift that a loop with one shift needs once.
struct RoundShift {
  int32_t left = 0;  // multiply by 2^left first: a negative shift
  int32_t right = 0; // 0 .. 62
  int64_t bias = 0;  // half of the divisor; less one if ties go to even
  int64_t odd = 0; // 1: add the quotient's lowest bit, so that ties go to even
  int64_t lowest = INT64_MIN, highest = INT64_MAX; // operands that `left` keeps
};

/// For one rounding: HalfEven or HalfUp.
constexpr RoundShift makeRoundShift(int32_t shift,
                                    Rounding rounding = Rounding::HalfEven) {
  RoundShift r;
  // Beyond 62 bits every |x| <= 2^61 rounds to 0, as it does with 62.
  r.right = clamp<int32_t>(shift, 0, 62);
  r.left = clamp<int32_t>(-shift, 0, 62);
  r.odd = r.right && rounding == Rounding::HalfEven;
  r.bias = ((int64_t(1) << r.right) >> 1) - r.odd;
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
/// The same with ties as the terms have them, which the formula does not see.
constexpr int64_t shiftRounded(int64_t x, const RoundShift &s) {
  return roundShiftHalfEven(x, s);
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

/// The two steps of requantizeTwice, whose first shift to the right is 31.
struct TwiceShift {
  int32_t left = 0;  // 0 .. 31, before the product
  int32_t right = 0; // 0 .. 31, after it
  int64_t bias = 0;  // half of 2^right
  int64_t odd = 0;   // 1 if right > 0
};

constexpr TwiceShift makeTwiceShift(int32_t shift) {
  TwiceShift s;
  s.left = clamp<int32_t>(31 - shift, 0, 31);
  s.right = clamp<int32_t>(shift - 31, 0, 31);
  s.odd = s.right > 0;
  s.bias = (int64_t(1) << s.right) >> 1;
  return s;
}

/// x * scale / 2^shift as TFLite's MultiplyByQuantizedMultiplier has it, 0 <=
/// scale < 2^31 and 0 <= shift <= 62: x, an int32, is shifted to the left if
/// shift < 31; the product's high half, doubled, is rounded (SQRDMULH, ties
/// upwards); what is left of the shift rounds once more, ties away from zero.
/// Beyond int32 x saturates, before and after its shift, where TFLite leaves
/// the result open. Then |x * scale| <= 2^62, and no sum overflows.
constexpr int64_t requantizeTwice(int64_t x, int32_t scale,
                                  const TwiceShift &s) {
  x = clamp<int64_t>(x, INT32_MIN, INT32_MAX) * (int64_t(1) << s.left);
  x = clamp<int64_t>(x, INT32_MIN, INT32_MAX);
  int64_t y = (x * scale + (int64_t(1) << 30)) >> 31;
  // -1 for negative y keeps their ties from going upwards.
  return (y + s.bias + ((y >> 63) & -s.odd)) >> s.right;
}

/// clip(round(x * scale / 2^shift) - zp, lo, hi); exact for |x * scale| <=
/// 2^62.
constexpr int32_t requantize(int64_t x, int32_t scale, int32_t shift,
                             int32_t zp, int32_t lo, int32_t hi,
                             Rounding rounding = Rounding::HalfEven) {
  // lo + zp fits: zero points have at most 17 bits.
  int64_t rounded =
      rounding == Rounding::Double
          ? requantizeTwice(x, scale, makeTwiceShift(shift))
          : shiftRounded(wrapMul(x, scale), makeRoundShift(shift, rounding));
  return int32_t(clamp<int64_t>(rounded, int64_t(lo) + zp, int64_t(hi) + zp) -
                 zp);
}

/// Position of the highest set bit of x > 0.
constexpr int32_t floorLog2(uint64_t x) { return 63 - __builtin_clzll(x); }

} // namespace yarrow

#endif // YARROW_SUPPORT_NUMERIC_H
