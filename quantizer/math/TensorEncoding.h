//===- TensorEncoding.h - The integers of a tensor, as a file says them ---===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Encodings say how real numbers become integers by the width of a step and the
// multiples of it that there are, whatever type holds them:
//
//   TensorEncoding e{.step = 0.02f, .lowest = -28, .highest = 227, .bits = 8};
//   LinearParams p = paramsOf(e, /*prefersSigned=*/true);  // int8, zp = 100
//   LinearParams q = paramsOf(e, /*prefersSigned=*/false); // uint8, zp = -28
//
// Both stand for the same real numbers.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_TENSORENCODING_H
#define YARROW_QUANTIZER_MATH_TENSORENCODING_H

#include "quantizer/math/QuantParams.h"

#include <cstdint>

namespace yarrow {

struct TensorEncoding {
  float step = 1; ///< The reciprocal of a scale of the IR.
  /// The real numbers are step times lowest ... highest; 0 is among them.
  int64_t lowest = -128, highest = 127;
  unsigned bits = 8;

  /// All 2^bits of them are there: -128..127, and not -127..127.
  bool isWhole() const { return highest - lowest == (int64_t(1) << bits) - 1; }
  /// As many on both sides of 0, but for the lowest of a whole range.
  bool isSymmetric() const { return lowest == -highest - (isWhole() ? 1 : 0); }
  bool operator==(const TensorEncoding &) const = default;
};

FloatRange rangeOf(const TensorEncoding &encoding);
RangeMode modeOf(const TensorEncoding &encoding);

/// Scale, zero point and integers of \p encoding: of a signed type if it is
/// symmetric, of an unsigned one if there is nothing below 0, else as
/// \p prefersSigned says. Where its bits have no zero points, a symmetric range
/// around it. \p mustBeSigned wins over all of that.
LinearParams paramsOf(const TensorEncoding &encoding, bool prefersSigned,
                      bool mustBeSigned = false);

/// Whether integers that are quantized like that are those of \p encoding.
bool isSame(const TensorEncoding &encoding, const LinearParams &params);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_TENSORENCODING_H
