//===- FloatBits.h - Floating point of one lane, on its bits ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What hosts do differently or with other flags: minimum, maximum, conversions
// to integers, rounding to odd. Without branches where loops over lanes should
// become SIMD code.
//
//   uint32_t flags = 0;
//   toInteger<int32_t, float>(bitsOf(2.5f), Rounding<uint32_t>(0), flags); // 2
//   flags == kInexact;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_VECTOR_FLOATBITS_H
#define YARROW_SIMULATOR_TEC_VECTOR_FLOATBITS_H

#include "simulator/tec/vector/FloatLanes.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

/// The least or greatest of what is no NaN; -0 is less than 0.
template <class T, bool Max>
static inline BitsOf<T> extremeOfNumbers(BitsOf<T> a, BitsOf<T> b) {
  using S = typename FloatTraits<T>::Signed;
  auto key = [](BitsOf<T> bits) {
    S s = S(bits);
    return S(s ^ ((s >> (sizeof(T) * 8 - 1)) & S(~FloatTraits<T>::kSign)));
  };
  bool takeA = Max ? key(a) > key(b) : key(a) < key(b);
  return takeA ? a : b;
}

/// minimumNumber and maximumNumber of IEEE 754-2019: a NaN loses.
template <class T, bool Max, class Flags>
static inline BitsOf<T> extreme(BitsOf<T> a, BitsOf<T> b, Flags &flags) {
  using F = FloatTraits<T>;
  BitsOf<T> r = isNaN<T>(b) ? a : extremeOfNumbers<T, Max>(a, b);
  r = isNaN<T>(a) ? b : r;
  bool invalid = isSignaling<T>(a) || isSignaling<T>(b);
  flags |= invalid ? Flags(kInvalid) : Flags(0);
  return isNaN<T>(r) ? F::kNaN : r;
}

/// What a rounding mode (as frm encodes it) adds to the lost bits.
template <class U> struct Rounding {
  U toEven, toAway, down, up;
  explicit Rounding(unsigned frm)
      : toEven(frm == 0 ? ~U(0) : 0), toAway(frm == 4 ? ~U(0) : 0),
        down(frm == 2 ? ~U(0) : 0), up(frm == 3 ? ~U(0) : 0) {}

  /// \p lostMask covers the bits that go, \p odd is the lowest that stays.
  U bias(U lostMask, U odd, bool negative) const {
    return (((lostMask >> 1) + (odd & lostMask & 1)) & toEven) |
           ((lostMask + 1) >> 1 & toAway) | (lostMask & (negative ? down : up));
  }
};

template <class To, class T>
using WorkBits = UnsignedOf<(sizeof(To) > sizeof(T) ? sizeof(To) : sizeof(T))>;

/// Rounded and saturated; NaN gives the largest integer.
template <class To, class T, class Flags>
static inline To toInteger(BitsOf<T> bits,
                           const Rounding<WorkBits<To, T>> &rounding,
                           Flags &flags) {
  using F = FloatTraits<T>;
  using U = WorkBits<To, T>;
  using S = std::make_signed_t<U>;
  using Limits = std::numeric_limits<To>;
  constexpr int kBits = sizeof(U) * 8;
  constexpr S kBias = (1 << (F::kExpBits - 1)) - 1;
  bool negative = bits & F::kSign;
  U magnitude = magnitudeOf<T>(bits);
  S exponent = S(magnitude >> F::kSigBits);
  U fraction = magnitude & ((U(1) << F::kSigBits) - 1);
  U significand = fraction | (exponent != 0 ? U(1) << F::kSigBits : 0);
  // The value is significand / 2^shift; the error for subnormals, which are
  // far below 1, does not matter.
  S shift = kBias + F::kSigBits - exponent;
  // A significand has kSigBits + 1 bits: past kSigBits + 2 all shifts to the
  // right are alike, and past kMaxLeft nothing fits.
  constexpr S kMaxRight = F::kSigBits + 2;
  constexpr S kMaxLeft = kBits - F::kSigBits - 1;
  U right = U(shift < 0 ? 0 : shift > kMaxRight ? kMaxRight : shift);
  U left = U(shift > 0 ? 0 : -shift > kMaxLeft ? kMaxLeft : -shift);
  U lostMask = (U(1) << right) - 1;
  U odd = significand >> right & 1;
  U whole =
      (significand + rounding.bias(lostMask, odd, negative)) >> right << left;
  U limit = negative ? U(0) - U(S(Limits::min())) : U(Limits::max());
  bool invalid = whole > limit || -shift > kMaxLeft;
  bool inexact = (significand & lostMask) != 0;
  To edge = negative && !isNaN<T>(bits) ? Limits::min() : Limits::max();
  To value = To(negative ? U(0) - whole : whole);
  flags |= invalid ? Flags(kInvalid) : inexact ? Flags(kInexact) : Flags(0);
  return invalid ? edge : value;
}

// Most conversions to integers are of numbers that an int32_t holds as well as
// the result: those the host converts, with the right flags. On x86 rounding to
// integral is an instruction from SSE4.1 on.
#if !defined(__x86_64__) || defined(__SSE4_1__)
inline constexpr bool kHostRounds = true;
#else
inline constexpr bool kHostRounds = false;
#endif

/// Bits of a number: all of less magnitude fit To and int32_t, however they are
/// rounded.
template <class To, class T> constexpr auto hostLimit() {
  using S = typename FloatTraits<T>::Signed;
  constexpr T kLimit = sizeof(To) == 2  ? T(std::numeric_limits<To>::max())
                       : sizeof(T) == 4 ? T(2147483648.0)
                                        : T(2147483647.0);
  return __builtin_bit_cast(S, kLimit);
}

template <class To, class T, unsigned N>
[[gnu::noinline]] static void
convertBits(Core *c, const BitsOf<T> (&lanes)[N], To (&result)[N],
            const Rounding<WorkBits<To, T>> &rounding) {
  uint32_t flags[N], all = 0;
  TEC_LANES
  for (unsigned j = 0; j < N; ++j) {
    uint32_t lane = 0;
    result[j] = toInteger<To, T>(lanes[j], rounding, lane);
    flags[j] = lane;
  }
  for (unsigned j = 0; j < N; ++j)
    all |= flags[j];
  c->fflags |= uint8_t(all);
}

/// \p round makes integral numbers as the mode \p frm says.
template <class To, class T, bool AsHost, class F>
[[gnu::always_inline]] static inline void convertChunks(Core *c, const Inst *i,
                                                        unsigned frm, F round) {
  using U = BitsOf<T>;
  using S = typename FloatTraits<T>::Signed;
  constexpr bool kSigned = std::is_signed_v<To>;
  Rounding<WorkBits<To, T>> rounding(frm);
  Reg<U> a(c, i->rs2);
  uint8_t *to = reg(c, i->rd);
  forChunks<kLanes<To, Reg<U>, Nothing>>(
      c, i, [&]<bool IsCut>(unsigned k, std::bool_constant<IsCut>) {
        constexpr unsigned N = kLanes<To, Reg<U>, Nothing>;
        U lanes[N], outside = !AsHost;
        To result[N];
        a.template load<N>(lanes, k);
        if constexpr (IsCut)
          calmLanes(lanes, activeBits<N>(c, !i->vm, k));
        if constexpr (AsHost) {
          TEC_LANES
          for (unsigned j = 0; j < N; ++j) {
            S size = S(kSigned ? magnitudeOf<T>(lanes[j]) : lanes[j]);
            outside |= size >= hostLimit<To, T>() || size < 0;
          }
        }
        if (outside) [[unlikely]] {
          convertBits<To, T>(c, lanes, result, rounding);
        } else {
          TEC_LANES
          for (unsigned j = 0; j < N; ++j)
            result[j] = To(int32_t(round(fromBits<T>(lanes[j]))));
        }
        storeLanes(c, !i->vm, to, result, k);
      });
}

template <class To, class T>
static void convertToIntegers(Core *c, const Inst *i, unsigned frm) {
  if constexpr (kHostRounds && sizeof(To) <= 4) {
    if (frm == 1)
      return convertChunks<To, T, true>(c, i, frm, [](T x) { return x; });
    if (frm == c->hostMode)
      return convertChunks<To, T, true>(c, i, frm, [](T x) {
        return sizeof(T) == 4 ? T(__builtin_rintf(float(x)))
                              : T(__builtin_rint(double(x)));
      });
  }
  convertChunks<To, T, false>(c, i, frm, [](T) { return T(0); });
}

/// Double to float, to odd: truncated, and the last bit set if that lost
/// anything. Overflow stops at the largest number, which is odd.
template <class Flags>
static inline uint32_t narrowToOdd(uint64_t bits, Flags &flags) {
  uint32_t sign = uint32_t(bits >> 32) & 0x80000000;
  uint64_t magnitude = magnitudeOf<double>(bits);
  if (isNaN<double>(bits)) {
    flags |= isSignaling<double>(bits) ? kInvalid : 0;
    return FloatTraits<float>::kNaN;
  }
  if (magnitude == FloatTraits<double>::kInf)
    return sign | FloatTraits<float>::kInf;
  if (magnitude == 0)
    return sign;
  int exponent = int(magnitude >> 52) - 1023 + 127;
  if (exponent >= 255) {
    flags |= kOverflow | kInexact;
    return sign | (FloatTraits<float>::kInf - 1);
  }
  uint64_t significand = (magnitude & ((uint64_t(1) << 52) - 1)) |
                         (magnitude >> 52 ? uint64_t(1) << 52 : 0);
  // Of a subnormal result one bit more goes per step below the least exponent.
  int lost = exponent >= 1 ? 29 : 30 - exponent;
  lost = lost > 63 ? 63 : lost;
  bool inexact = significand & ((uint64_t(1) << lost) - 1);
  uint32_t kept = uint32_t(significand >> lost);
  // A normal's leading one adds 1 to the exponent.
  uint32_t result =
      exponent >= 1 ? (uint32_t(exponent - 1) << 23) + kept : kept;
  if (inexact)
    flags |= exponent >= 1 ? kInexact : kInexact | kUnderflow;
  return sign | result | uint32_t(inexact);
}

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD

#endif // YARROW_SIMULATOR_TEC_VECTOR_FLOATBITS_H
