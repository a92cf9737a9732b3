//===- Multiplier.h - Ratios of scales as integers --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model that is quantized already fixes all scales; what is left to choose is
// the integer by which an accumulator comes to the result's scale. With 31 bits
// and one rounding it gives what TFLite's XNNPACK gives but for one value in a
// million, with 15 bits one value in 2,400 differs.
//
//   Multiplier m = multiplierOf(0.0037);   // m.scale / 2^m.shift
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_MULTIPLIER_H
#define YARROW_SUPPORT_MULTIPLIER_H

#include <cstdint>
#include <optional>

namespace yarrow {

struct Multiplier {
  int32_t scale = 1; ///< 1 .. 2^31 - 1
  int32_t shift = 0; ///< right shift, -31 .. 62; a negative one goes left
};

/// The nearest one to \p ratio with \p bits (15 or 31) bits, the highest of
/// which is set unless the shift would exceed 62. nullopt if the ratio is not
/// positive and finite, or 2^62 or more (2^46 with 15 bits): no shift is left.
std::optional<Multiplier> multiplierOf(double ratio, unsigned bits = 31);

/// TFLite's for sums of 64 bits (int16 activations): the 31 bits of the others
/// are rounded to 15, ties up, and never reach 2^15.
std::optional<Multiplier> reducedMultiplierOf(double ratio);

} // namespace yarrow

#endif // YARROW_SUPPORT_MULTIPLIER_H
