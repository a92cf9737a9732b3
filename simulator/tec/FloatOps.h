//===- FloatOps.h - Floating point as RISC-V defines it -------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where RISC-V differs from the host: NaN results are canonical, fmin and fmax
// order zeros and drop NaNs, conversions to integers saturate. All without
// branches, so that loops over lanes vectorise.
//
//   int32_t i = saturateTo<int32_t>(roundTiesAway(2.5f));   // 3
//
// Functions are static: this header is compiled for several host instruction
// sets, and the linker must not merge their copies.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_FLOATOPS_H
#define YARROW_SIMULATOR_TEC_FLOATOPS_H

#include <cstdint>
#include <limits>

namespace yarrow::sim::tec {

template <class T> struct FloatTraits;
template <> struct FloatTraits<float> {
  using Bits = uint32_t;
  using Signed = int32_t;
  using Wider = double;
  static constexpr Bits kSign = 0x80000000u;
  static constexpr Bits kNaN = 0x7fc00000u;
  static constexpr Bits kInf = 0x7f800000u;
  static constexpr Bits kQuiet = 0x00400000u;
  static constexpr int kSigBits = 23, kExpBits = 8;
};
template <> struct FloatTraits<double> {
  using Bits = uint64_t;
  using Signed = int64_t;
  using Wider = long double;
  static constexpr Bits kSign = 0x8000000000000000u;
  static constexpr Bits kNaN = 0x7ff8000000000000u;
  static constexpr Bits kInf = 0x7ff0000000000000u;
  static constexpr Bits kQuiet = 0x0008000000000000u;
  static constexpr int kSigBits = 52, kExpBits = 11;
};
template <class T> using BitsOf = typename FloatTraits<T>::Bits;

template <class T> static inline BitsOf<T> bitsOf(T x) {
  return __builtin_bit_cast(BitsOf<T>, x);
}
template <class T> static inline T fromBits(BitsOf<T> bits) {
  return __builtin_bit_cast(T, bits);
}
template <class T> static inline T canonicalNaN() {
  return fromBits<T>(FloatTraits<T>::kNaN);
}
/// Compares bits: compilers take all NaNs to be equal, and would fold
/// x != x ? NaN : x to x.
template <class T> static inline T canonical(T x) {
  using F = FloatTraits<T>;
  using S = typename F::Signed;
  BitsOf<T> bits = bitsOf(x);
  bool isNaN = S(bits & ~F::kSign) > S(F::kInf);
  return fromBits<T>(isNaN ? F::kNaN : bits);
}

static inline float fusedMulAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
static inline double fusedMulAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
static inline long double fusedMulAdd(long double a, long double b,
                                      long double c) {
  return __builtin_fmal(a, b, c);
}
static inline float squareRoot(float a) { return __builtin_sqrtf(a); }
static inline double squareRoot(double a) { return __builtin_sqrt(a); }
static inline long double squareRoot(long double a) {
  return __builtin_sqrtl(a);
}

template <class T> static inline T copySign(T magnitude, BitsOf<T> sign) {
  constexpr BitsOf<T> kSign = FloatTraits<T>::kSign;
  return fromBits<T>((bitsOf(magnitude) & ~kSign) | (sign & kSign));
}

/// minimumNumber of IEEE 754-2019: -0 is less than 0, a NaN loses.
template <class T> static inline T minNumber(T a, T b) {
  bool takeA = a < b || (a == b && (bitsOf(a) & FloatTraits<T>::kSign));
  T r = takeA ? a : b;
  r = b != b ? a : r;
  return canonical(r);
}
template <class T> static inline T maxNumber(T a, T b) {
  bool takeA = a > b || (a == b && !(bitsOf(a) & FloatTraits<T>::kSign));
  T r = takeA ? a : b;
  r = b != b ? a : r;
  return canonical(r);
}

/// The one bit of fclass.
template <class T> static inline uint32_t classify(T x) {
  using F = FloatTraits<T>;
  BitsOf<T> bits = bitsOf(x), magnitude = bits & ~F::kSign;
  bool negative = bits & F::kSign;
  uint32_t positiveClass = magnitude == 0                  ? 1u << 4
                           : magnitude >> F::kSigBits == 0 ? 1u << 5
                           : magnitude < F::kInf           ? 1u << 6
                                                           : 1u << 7;
  uint32_t negativeClass = magnitude == 0                  ? 1u << 3
                           : magnitude >> F::kSigBits == 0 ? 1u << 2
                           : magnitude < F::kInf           ? 1u << 1
                                                           : 1u << 0;
  uint32_t nanClass = bits & F::kQuiet ? 1u << 9 : 1u << 8;
  return magnitude > F::kInf ? nanClass
         : negative          ? negativeClass
                             : positiveClass;
}

/// To the integral value that the host's rounding mode gives.
static inline float roundAsHost(float x) { return __builtin_rintf(x); }
static inline double roundAsHost(double x) { return __builtin_rint(x); }
static inline float truncate(float x) { return __builtin_truncf(x); }
static inline double truncate(double x) { return __builtin_trunc(x); }

template <class T> static inline T roundTiesAway(T x) {
  T whole = truncate(x); // x - whole is exact
  T away = copySign<T>(1, bitsOf(x));
  return (x - whole >= T(0.5) || whole - x >= T(0.5)) ? whole + away : whole;
}
template <class T> static inline T roundTiesEven(T x) {
  T whole = truncate(x), fraction = x > whole ? x - whole : whole - x;
  T half = whole * T(0.5);
  bool odd = truncate(half) != half;
  bool up = fraction > T(0.5) || (fraction == T(0.5) && odd);
  return up ? whole + copySign<T>(1, bitsOf(x)) : whole;
}

/// Truncates; what does not fit becomes the nearest value that does, NaN the
/// largest.
template <class To, class T> static inline To saturateTo(T x) {
  using Limits = std::numeric_limits<To>;
  constexpr T kEnd = T(uint64_t(1) << (Limits::digits - 1)) * T(2);
  constexpr T kLeast = Limits::is_signed ? -kEnd : T(0);
  return !(x < kEnd) ? Limits::max() : x < kLeast ? Limits::min() : To(x);
}

/// Of an integer, in the host's rounding mode. The host may sum two halves,
/// which makes -0 of 0 when it rounds down.
template <class T, class From> static inline T toFloat(From x) {
  T r = T(x);
  return x == 0 ? T(0) : r;
}

/// Double to float, to odd: truncated, and the last bit set if that lost
/// anything.
static inline float narrowToOdd(double x) {
  float nearest = float(x);
  double back = nearest;
  double magnitude = __builtin_fabs(x), backMagnitude = __builtin_fabs(back);
  uint32_t bits = bitsOf(nearest);
  uint32_t odd = (backMagnitude > magnitude ? bits - 1 : bits) | 1;
  bits = back == x || x != x ? bits : odd;
  return canonical(fromBits<float>(bits));
}

} // namespace yarrow::sim::tec

#endif // YARROW_SIMULATOR_TEC_FLOATOPS_H
