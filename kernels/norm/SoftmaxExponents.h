//===- SoftmaxExponents.h - The powers of two of a softmax ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// FAST_EXP of bytes in strips. No exponent is above 0, so that all powers are
// one constant shifted right: the exponents are kept negated, as such shifts,
// in the bytes of the results until the sum of the powers is known.
//
//   Strip<uint32_t> sum{};
//   ... exponents.negate(difference, shift), exponents.addPower(shift, sum);
//   ... exponents.results(shift, less, y);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXEXPONENTS_H
#define YARROW_KERNELS_NORM_SOFTMAXEXPONENTS_H

#include "kernels/Strips.h"
#include "kernels/norm/Softmax.h"

namespace yarrow::kernels {

class SoftmaxExponents {
public:
  /// A shift that leaves nothing of any power.
  static constexpr int8_t kNothing = 31;

  explicit SoftmaxExponents(const SoftmaxExpParams &p) : p(p) {}

  /// Whether rows are such, of bytes that lie together.
  static bool fit(const SoftmaxExpParams &p) {
    return p.shape.inner == 1 && isByte(p.inType) && isByte(p.outType) &&
           p.inputScale >= 0 && p.inputScale <= UINT16_MAX &&
           p.inputShift >= 0 && p.inputShift <= 31 &&
           255 * int64_t(p.inputScale) >> p.inputShift <= INT16_MAX &&
           p.pow2OutQ >= kOutBits && p.pow2OutQ <= 30 && (p.adjustQ | 1) == 1 &&
           p.lo >= INT16_MIN && p.hi <= INT16_MAX;
  }

  /// The negated exponents of differences to the greatest value.
  void negate(const Strip<int16_t> &difference, Strip<int8_t> &shift) const {
    auto product =
        __builtin_convertvector(difference, Strip<int32_t>) * p.inputScale;
    auto x = __builtin_convertvector(product >> p.inputShift, Strip<int16_t>);
    x = __builtin_elementwise_max(x, Strip<int16_t>{} + int16_t(-kNothing));
    shift = -__builtin_convertvector(x, Strip<int8_t>);
  }

  /// Adds their powers to sums that are limited to 32 bits.
  void addPower(const Strip<int8_t> &shift, Strip<uint32_t> &sum) const {
    Strip<uint32_t> power = (Strip<uint32_t>{} + (1u << p.pow2OutQ)) >>
                            __builtin_convertvector(shift, Strip<uint32_t>);
    sum = __builtin_elementwise_add_sat(sum, power);
  }

  /// The powers by their sum. `less` is what its logarithm adds to their
  /// shifts; none is left of 2^kOutBits.
  void results(const Strip<uint8_t> &shift, const Strip<uint8_t> &less,
               Strip<int16_t> &y) const {
    auto sum = __builtin_elementwise_min(Strip<uint8_t>(shift + less),
                                         Strip<uint8_t>{} + uint8_t(15));
    Strip<uint16_t> power = (Strip<uint16_t>{} + uint16_t(1 << kOutBits)) >>
                            __builtin_convertvector(sum, Strip<uint16_t>);
    y = __builtin_convertvector(power, Strip<int16_t>);
    y = __builtin_elementwise_max(y, Strip<int16_t>{} + int16_t(p.lo));
    y = __builtin_elementwise_min(y, Strip<int16_t>{} + int16_t(p.hi));
  }

private:
  static constexpr int32_t kOutBits = 8;

  const SoftmaxExpParams &p;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXEXPONENTS_H
