//===- FloatOps.h - Floating point as RISC-V defines it ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The formats, and what the scalar and the vector unit do alike: NaN results
// are canonical. Without branches, so that loops over lanes vectorise.
//
//   uint32_t bits = bitsOf(canonical(0.0f / x));   // 0x7fc00000 if x is 0
//
// Functions are static: this header is compiled for several host instruction
// sets, and the linker must not merge their copies.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_FLOATOPS_H
#define YARROW_SIMULATOR_TEC_FLOATOPS_H

#include <cstdint>

namespace yarrow::sim::tec {

template <class T> struct FloatTraits;
template <> struct FloatTraits<float> {
  using Bits = uint32_t;
  using Signed = int32_t;
  static constexpr Bits kSign = 0x80000000u;
  static constexpr Bits kNaN = 0x7fc00000u;
  static constexpr Bits kInf = 0x7f800000u;
  static constexpr Bits kQuiet = 0x00400000u;
  static constexpr int kSigBits = 23, kExpBits = 8;
};
template <> struct FloatTraits<double> {
  using Bits = uint64_t;
  using Signed = int64_t;
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

} // namespace yarrow::sim::tec

#endif // YARROW_SIMULATOR_TEC_FLOATOPS_H
