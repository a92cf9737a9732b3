//===- FloatRequant.h - Multipliers that round as floats do -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// XNNPACK, which TFLite runs, multiplies sums of 8-bit products by a float32
// and rounds: y = RNE(float(acc) * ratio). Both roundings to 24 bits decide
// about one value in a million otherwise than exact arithmetic. The results
// have at most 256 values, so the function has at most 255 steps; for most
// ratios there is a multiplier of 31 bits that has them at the same
// accumulators. It is then equal for every accumulator, not for most.
//
//   FloatRequant r = multiplierLikeFloat(0.0037f, -128, 127, 500000);
//   if (r.isExact) ... RNE(acc * r.multiplier.scale / 2^shift) for |acc| <= ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_FLOATREQUANT_H
#define YARROW_QUANTIZER_PREQUANTIZED_FLOATREQUANT_H

#include "support/Multiplier.h"

namespace yarrow {

struct FloatRequant {
  Multiplier multiplier;
  /// Whether it equals the float form for all accumulators that were asked for.
  bool isExact = false;
};

/// For results clamped to [\p least, \p most], zero point not yet added, and
/// accumulators of at most \p mostSum (2^31 - 1) in magnitude. nullopt as
/// multiplierOf. If no multiplier is exact, the one that is for most steps.
std::optional<FloatRequant> multiplierLikeFloat(float ratio, int64_t least,
                                                int64_t most, int64_t mostSum);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_FLOATREQUANT_H
