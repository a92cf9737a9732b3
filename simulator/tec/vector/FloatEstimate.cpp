//===- FloatEstimate.cpp - vfrec7 and vfrsqrt7 ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Estimates to 7 bits (V 13.9, 13.10). The manual's tables are the rounded
// values at the middle of each interval, so they are computed here.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/FloatBits.h"

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
struct Table {
  uint8_t of[128];
};

/// round(256 / (1 + (k + 1/2) / 128)) - 128
constexpr Table makeReciprocals() {
  Table table = {};
  for (unsigned k = 0; k < 128; ++k) {
    unsigned divisor = 257 + 2 * k; // in units of 1/256
    table.of[k] = uint8_t((256 * 256 * 2 + divisor) / (2 * divisor) - 128);
  }
  return table;
}
/// round(256 / sqrt(v)) - 128, where v is the middle of an interval of [2, 4)
/// for the first 64 entries (even exponents) and of [1, 2) for the others.
constexpr Table makeReciprocalRoots() {
  Table table = {};
  for (unsigned k = 0; k < 128; ++k) {
    // In units of 1/128.
    uint64_t v = (129 + 2 * (k % 64)) * (k < 64 ? 2 : 1);
    uint64_t y = 255;
    // The largest y with y - 1/2 <= 256 / sqrt(v).
    while ((2 * y - 1) * (2 * y - 1) * v > uint64_t(4) * 65536 * 128)
      --y;
    table.of[k] = uint8_t(y - 128);
  }
  return table;
}
constexpr Table kReciprocals = makeReciprocals();
constexpr Table kReciprocalRoots = makeReciprocalRoots();

/// A number taken apart, with a subnormal normalised: its value is
/// (1 + fraction / 2^kSigBits) * 2^(exponent - bias).
template <class T> struct Parts {
  using F = FloatTraits<T>;
  using U = BitsOf<T>;
  static constexpr int kBias = (1 << (F::kExpBits - 1)) - 1;
  static constexpr U kFractionMask = (U(1) << F::kSigBits) - 1;
  U sign, fraction;
  int exponent;

  explicit Parts(U bits) {
    sign = bits & F::kSign;
    fraction = bits & kFractionMask;
    exponent = int(magnitudeOf<T>(bits) >> F::kSigBits);
    if (exponent == 0 && fraction != 0) {
      int shift = F::kSigBits - (63 - __builtin_clzll(fraction));
      fraction = fraction << shift & kFractionMask;
      exponent = 1 - shift;
    }
  }
  U top7() const { return fraction >> (F::kSigBits - 7); }
};

template <class T> BitsOf<T> ofNaN(BitsOf<T> bits, uint8_t &flags) {
  flags |= isSignaling<T>(bits) ? kInvalid : 0;
  return FloatTraits<T>::kNaN;
}

/// Overflow of the reciprocal of a tiny number: infinity or the largest
/// number, as the rounding mode has it.
template <class T>
BitsOf<T> overflowed(BitsOf<T> sign, uint8_t frm, uint8_t &flags) {
  flags |= kOverflow | kInexact;
  bool toLargest = frm == 1 || (frm == 2 && !sign) || (frm == 3 && sign);
  return sign | (FloatTraits<T>::kInf - toLargest);
}

template <class T>
BitsOf<T> reciprocal(BitsOf<T> x, uint8_t frm, uint8_t &flags) {
  using F = FloatTraits<T>;
  using P = Parts<T>;
  if (isNaN<T>(x))
    return ofNaN<T>(x, flags);
  P p(x);
  BitsOf<T> magnitude = magnitudeOf<T>(x);
  if (magnitude == F::kInf)
    return p.sign;
  if (magnitude == 0) {
    flags |= kDivideByZero;
    return p.sign | F::kInf;
  }
  if (p.exponent < -1)
    return overflowed<T>(p.sign, frm, flags);
  int exponent = 2 * P::kBias - 1 - p.exponent;
  BitsOf<T> fraction = BitsOf<T>(kReciprocals.of[p.top7()])
                       << (F::kSigBits - 7);
  if (exponent <= 0) { // subnormal result
    fraction = (fraction >> 1) | BitsOf<T>(1) << (F::kSigBits - 1);
    fraction >>= -exponent;
    exponent = 0;
  }
  return p.sign | BitsOf<T>(exponent) << F::kSigBits | fraction;
}

template <class T>
BitsOf<T> reciprocalRoot(BitsOf<T> x, uint8_t, uint8_t &flags) {
  using F = FloatTraits<T>;
  using P = Parts<T>;
  if (isNaN<T>(x))
    return ofNaN<T>(x, flags);
  P p(x);
  BitsOf<T> magnitude = magnitudeOf<T>(x);
  if (magnitude == 0) {
    flags |= kDivideByZero;
    return p.sign | F::kInf;
  }
  if (p.sign) {
    flags |= kInvalid;
    return F::kNaN;
  }
  if (magnitude == F::kInf)
    return 0;
  unsigned index = unsigned(p.exponent & 1) << 6 | unsigned(p.top7() >> 1);
  int exponent = (3 * P::kBias - 1 - p.exponent) / 2;
  return BitsOf<T>(exponent) << F::kSigBits |
         BitsOf<T>(kReciprocalRoots.of[index]) << (F::kSigBits - 7);
}
} // namespace

template <class F> static bool estimate(Core *c, const Inst *i, F f) {
  if (!writable(c, i, i->rd | i->rs2))
    return false;
  return byFloat(c, [&]<class T>() {
    for (unsigned k = 0; k < c->vl; ++k)
      if (isActive(c, i, k))
        setLane(c, i->rd, k,
                f.template operator()<T>(getLane<BitsOf<T>>(c, i->rs2, k),
                                         c->frm, c->fflags));
  });
}
TEC_VECTOR(vfrec7_v, estimate(c, i, []<class T>(auto a, auto frm, auto &flags) {
             return reciprocal<T>(a, frm, flags);
           }))
TEC_VECTOR(vfrsqrt7_v,
           estimate(c, i, []<class T>(auto a, auto frm, auto &flags) {
             return reciprocalRoot<T>(a, frm, flags);
           }))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
