//===- TensorEncoding.cpp - The integers of a tensor, as a file says them -===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/TensorEncoding.h"

namespace yarrow {

FloatRange rangeOf(const TensorEncoding &encoding) {
  return {float(double(encoding.step) * double(encoding.lowest)),
          float(double(encoding.step) * double(encoding.highest))};
}

RangeMode modeOf(const TensorEncoding &encoding) {
  if (!encoding.isSymmetric())
    return RangeMode::Asymmetric;
  return encoding.isWhole() ? RangeMode::SymmetricFull
                            : RangeMode::SymmetricRestricted;
}

LinearParams paramsOf(const TensorEncoding &encoding, bool prefersSigned,
                      bool mustBeSigned) {
  bool canBeUnsigned = encoding.isWhole() && !mustBeSigned;
  bool needsUnsigned =
      encoding.lowest == 0 || (!prefersSigned && !encoding.isSymmetric());
  LinearParams p;
  p.bits = encoding.bits;
  p.isSigned = !(canBeUnsigned && needsUnsigned);
  p.qmin = integerMin(p.bits, p.isSigned);
  p.qmax = integerMax(p.bits, p.isSigned);
  if (!encoding.isWhole())
    ++p.qmin;
  p.scale = 1.0f / encoding.step;
  p.zp = int32_t(encoding.lowest - p.qmin);
  if (p.zp == 0 || hasZeroPoints(p.bits))
    return p;
  FloatRange range = rangeOf(encoding);
  return linearParams(range.min, range.max, RangeMode::SymmetricFull, p.bits,
                      /*isSigned=*/true);
}

bool isSame(const TensorEncoding &encoding, const LinearParams &params) {
  return params.scale == 1.0f / encoding.step &&
         params.qmin + params.zp == encoding.lowest &&
         params.qmax + params.zp == encoding.highest;
}

} // namespace yarrow
