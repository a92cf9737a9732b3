//===- StripRequant.h - Requantization in registers -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What IntEpilogue does for chunks, of strips (Strips.h): a product, a rounding
// shift, a zero point and limits, in 32 bits where bounds allow it.
//
//   StripRequant requant(scale, shift, zp, lo, hi, /*most=*/255);
//   requant.apply(x);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_STRIPREQUANT_H
#define YARROW_KERNELS_STRIPREQUANT_H

#include "kernels/StripRuns.h"

namespace yarrow::kernels {

/// RNE(x / 2^right), by roundRightShift's formula (support/Numeric.h): x and
/// half of 2^right must fit together. Or with ties upwards: not Double.
template <typename Vector>
inline void roundShift(Vector &x, int32_t right,
                       Rounding rounding = Rounding::HalfEven) {
  using T = __remove_cvref(decltype(x[0]));
  T odd = right > 0 && rounding == Rounding::HalfEven;
  // Not half of 2^right, which of right = 31 is negative.
  T bias = right > 0 ? (T(1) << (right - 1)) - odd : 0;
  x = (x + bias + ((x >> right) & odd)) >> right;
}

/// The same with a shift for each lane.
template <typename Vector>
inline void roundShiftEach(Vector &x, const Vector &right) {
  Vector rest = ~((Vector{} - 1) << right); // 0 for a shift of 0
  x = (x + (rest >> 1) + ((x >> right) & rest & 1)) >> right;
}

/// y = RNE(x) of magnitudes up to 2^22: a number plus 1.5 * 2^23 has no place
/// for a fraction, and the nearest integer in its low bits.
inline void roundStrip(const Strip<float> &x, Strip<int32_t> &y) {
  constexpr float kMagic = 3 << 22;
  y = __builtin_bit_cast(Strip<int32_t>, x + kMagic) -
      __builtin_bit_cast(int32_t, kMagic);
}

/// x = clip(x - zp, lo, hi), of vectors of int32_t.
template <typename Vector>
inline void limitStrip(Vector &x, int32_t zp, int32_t lo, int32_t hi) {
  x -= zp;
  x = __builtin_elementwise_max(x, Vector{} + lo);
  x = __builtin_elementwise_min(x, Vector{} + hi);
}
/// The same of 64 bits, where zp and the limits have at most 30.
template <typename Wide, typename Vector>
inline void limitStrip(Wide &wide, int32_t zp, int32_t lo, int32_t hi,
                       Vector &x) {
  wide = __builtin_elementwise_max(wide, Wide{} + (lo + zp));
  wide = __builtin_elementwise_min(wide, Wide{} + (hi + zp));
  x = __builtin_convertvector(wide, Vector) - zp;
}

/// clip(round(x * scale / 2^shift) - zp, lo, hi) of strips, 0 <= shift <= 62,
/// with one rounding, HalfEven or HalfUp; x of which no magnitude is greater
/// than `most`, which is less than 2^31: where products fit, in 32 bits, as
/// requantizeSmallChunk.
class StripRequant {
public:
  StripRequant(int32_t scale, int32_t shift, int32_t zp, int32_t lo, int32_t hi,
               int64_t most, Rounding rounding = Rounding::HalfEven)
      : scale(scale), shift(shift), zp(zp), lo(lo), hi(hi), rounding(rounding),
        isSmall(most * scale <= mostProduct()) {}

  /// Of a strip, or of the part of one (FloatStrips.h, forEachFittingStrip).
  template <typename Vector> void apply(Vector &x) const {
    if (isSmall)
      return applySmall(x);
    using Wide = Like<int64_t, Vector>;
    Wide wide = __builtin_convertvector(x, Wide) * scale;
    roundShift(wide, shift, rounding);
    limitStrip(wide, zp, lo, hi, x);
  }

  /// For a scale that is no constant, but known to keep |x * scale| <= 2^29.
  template <typename Vector> void applySmall(Vector &x) const {
    roundShift(x *= scale, shift < 30 ? shift : 30, rounding);
    limitStrip(x, zp, lo, hi);
  }

private:
  /// A product of 2^29 is half of 2^30, which HalfUp makes 1 where a shift
  /// beyond 30 asks for 0.
  int64_t mostProduct() const {
    return (int64_t(1) << 29) - (rounding == Rounding::HalfUp);
  }

  int32_t scale, shift, zp, lo, hi;
  Rounding rounding;
  bool isSmall;
};

/// The scales and shifts of the channels `channel`, channel + step, ..., with a
/// step of 0 or 1.
template <typename Size, typename Vector>
inline void loadMultipliers(DType type, const void *scale, const void *shift,
                            uint32_t channel, int32_t step, Size size,
                            int8_t mostShift, Vector &scales, Vector &shifts) {
  Like<int8_t, Vector> bytes;
  if (dtypeBytes(type) == 1)
    loadStrip<uint8_t>(scale, channel, step, size, scales);
  else
    loadStrip<uint16_t>(scale, channel, step, size, scales);
  loadStrip<int8_t>(shift, channel, step, size, bytes);
  bytes = __builtin_elementwise_min(bytes, decltype(bytes){} + mostShift);
  shifts = __builtin_convertvector(bytes, Vector);
}

/// Requantizes sums of at most 34 bits, with one scale of 16 bits and one shift
/// or one of each for each channel, to at most 16 bits, half to even.
class StripSums {
public:
  StripSums(const Requant &r, const void *scale, const void *shift)
      : r(r), scale(scale), shift(shift) {}

  /// Whether strips do it for the first n channels: no shift is to the left.
  bool fits(uint32_t n) const {
    bool isNarrow = contains(kInt8To16, r.outType) &&
                    r.rounding == Rounding::HalfEven &&
                    (r.perChannel ? r.scaleType != DType::I32
                                  : r.scale <= kMostNarrowScale);
    return isNarrow &&
           (r.perChannel ? extremeOf<int8_t>(false, shift, 0, n) >= 0
                         : r.shift >= 0);
  }

  /// Channels are `channel`, channel + step, ..., with a step of 0 or 1.
  template <typename Size>
  void apply(Strip<int64_t> &sums, uint32_t channel, int32_t step, Size size,
             Strip<int32_t> &x) const {
    if (r.perChannel) {
      Strip<int64_t> scales, shifts;
      loadMultipliers(r.scaleType, scale, shift, channel, step, size,
                      /*mostShift=*/62, scales, shifts);
      sums *= scales;
      roundShiftEach(sums, shifts);
    } else {
      sums *= r.scale;
      roundShift(sums, r.shift < 62 ? r.shift : 62);
    }
    limitStrip(sums, r.zp, r.lo, r.hi, x);
  }

private:
  const Requant &r;
  const void *scale, *shift;
};

/// Requantizes the run of n bytes, x + zpIn being what is scaled. False, and
/// nothing done, if this is not a requantization of bytes to bytes with a shift
/// to the right and one rounding.
inline bool requantizeBytes(DType inType, const void *src, int64_t from,
                            int32_t zpIn, bool isRelu, DType outType, void *dst,
                            int64_t to, uint32_t n, int32_t scale,
                            int32_t shift, int32_t zp, int32_t lo, int32_t hi,
                            Rounding rounding = Rounding::HalfEven) {
  if (!isByte(inType) || !isByte(outType) || shift < 0 || shift > 62 ||
      zpIn < -512 || zpIn > 512 || rounding == Rounding::Double)
    return false;
  StripRequant requant(scale, shift, zp, lo, hi, 255 + 512, rounding);
  withByte(inType, [&](auto zero) {
    forEachStrip(0, n, [&](uint32_t i, auto size) {
      Strip<int32_t> x;
      loadStrip<decltype(zero)>(src, from + i, size, x);
      x += zpIn;
      if (isRelu)
        x = __builtin_elementwise_max(x, Strip<int32_t>{});
      requant.apply(x);
      storeStrip<uint8_t>(x, size, dst, to + i);
    });
  });
  return true;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_STRIPREQUANT_H
