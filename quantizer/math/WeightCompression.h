//===- WeightCompression.h - Weights that compress better -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// X2 can store weights compressed: small ones in a short code, the others in
// one of three times its length. optimize_wdc_for_x2 gives weights a wider
// range than they have, so that more of them are small integers, at the price
// of precision.
//
//   FloatRange r = compressibleRange({-1, 1}, weights, mode, /*bits=*/8);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_WEIGHTCOMPRESSION_H
#define YARROW_QUANTIZER_MATH_WEIGHTCOMPRESSION_H

#include "quantizer/math/QuantParams.h"

#include <cstdint>
#include <span>

namespace yarrow {

/// Compressed size over plain size at the best code length that X2 has, 5 or 6
/// bits for 8-bit weights, else 10 or 12; 1 if that saves nothing.
double compressedShare(std::span<const int64_t> weights, unsigned bits);

/// \p range doubled, at most four times, until \p weights compress to less than
/// 90 %.
FloatRange compressibleRange(FloatRange range, std::span<const float> weights,
                             RangeMode mode, unsigned bits);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_WEIGHTCOMPRESSION_H
