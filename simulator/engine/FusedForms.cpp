//===- FusedForms.cpp - Which output stages are done in one pass ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What FusedOutput.h and FusedWide.h ask of a command.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ConvOutput.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Limits with a zero point; false if they are none of 32 bits, or hold
/// nothing.
static bool fusedLimits(int64_t least, int64_t most, int64_t zeroPoint,
                        bool isRelu, int32_t &lo, int32_t &hi) {
  least += zeroPoint;
  most += zeroPoint;
  if (isRelu)
    least = std::max<int64_t>(least, 0);
  lo = int32_t(least);
  hi = int32_t(most);
  return least <= most && lo == least && hi == most;
}

bool ConvOutput::isFusedForm() const {
  return !is16BitInput && !conv.accumulateIn && !conv.hasLut &&
         elementBytes(conv.outType) == 1 &&
         (conv.activation == Activation::None ||
          conv.activation == Activation::Relu) &&
         (!conv.hasResidual ||
          (elementBytes(conv.residualType) == 1 && isPlainSum(conv)));
}

bool ConvOutput::makeFused() {
  double leastFactor =
      *std::min_element(tables.factors.begin(), tables.factors.end());
  // 2^31 of a sum, and what the bias adds, as in writeRun.
  if (!isFusedForm() || leastFactor < 0 || !isExact(4294967296.0) ||
      !fusedLimits(conv.outMin, conv.outMax, conv.outZeroPoint,
                   conv.activation == Activation::Relu, fused.lo, fused.hi))
    return false;
  fused.zeroPoint = conv.outZeroPoint;
  fused.hasResidual = conv.hasResidual;
  if (!conv.hasResidual)
    return true;
  if (conv.mainScale > INT16_MAX || conv.residualScale > INT16_MAX ||
      !fusedLimits(conv.sumMin, conv.sumMax, conv.sumZeroPoint, false,
                   fused.sumLo, fused.sumHi))
    return false;
  TypeRange range = rangeOf(conv.residualType);
  int64_t mainOffset = int64_t(conv.mainZeroPoint) - conv.outZeroPoint;
  // Both of two extremes at once is one more than 32 bits hold.
  auto isNarrow = [](int64_t least, int64_t most) {
    return least > INT16_MIN && most <= INT16_MAX;
  };
  if (!isNarrow(mainOffset, mainOffset) ||
      !isNarrow(conv.residualZeroPoint, conv.residualZeroPoint) ||
      !isNarrow(fused.lo + mainOffset, fused.hi + mainOffset) ||
      !isNarrow(range.lowest + conv.residualZeroPoint,
                range.highest + conv.residualZeroPoint))
    return false;
  fused.residualIsSigned = conv.residualType == ElementType::I8;
  fused.sumIsRelu = conv.sumActivation == Activation::Relu;
  fused.mainOffset = int16_t(mainOffset);
  fused.residualOffset = int16_t(conv.residualZeroPoint);
  fused.mainScale = int16_t(conv.mainScale);
  fused.residualScale = int16_t(conv.residualScale);
  fused.sumFactor = std::ldexp(double(conv.sumScale), -int(conv.sumShift));
  fused.sumZeroPoint = conv.sumZeroPoint;
  return true;
}

bool ConvOutput::makeFusedWide() {
  FusedWide &f = fusedWide;
  if (!isFusedForm() ||
      !fusedLimits(conv.outMin, conv.outMax, conv.outZeroPoint,
                   conv.activation == Activation::Relu, f.lo, f.hi))
    return false;
  for (size_t i = 0; i < conv.outChannels; ++i) {
    f.bias.push_back(int32_t(biasOf(conv, at, i)));
    f.scales.push_back(sim::scaleOf(conv, at, i));
    f.factors.add(f.scales.back(), shiftOf(conv, at, i), conv.halfUp);
  }
  f.zeroPoint = conv.outZeroPoint;
  f.hasResidual = conv.hasResidual;
  if (!conv.hasResidual)
    return !f.factors.hasLeft;
  SumScales scales = sumScalesOf(conv);
  f.sumFactor = RoundFactor::of(scales.sum, conv.sumShift, conv.sumHalfUp);
  int64_t mainOffset = int64_t(conv.mainZeroPoint) - conv.outZeroPoint;
  // With an element of at most 32 bits they have 33: those of zero points that
  // make sense fit 32.
  auto isSmall = [](int64_t offset) { return std::abs(offset) < 1 << 20; };
  if (f.factors.hasLeft || f.sumFactor.left != 0 || !isSmall(mainOffset) ||
      !isSmall(conv.residualZeroPoint) || !isSmall(f.lo) || !isSmall(f.hi) ||
      !fusedLimits(conv.sumMin, conv.sumMax, conv.sumZeroPoint, false, f.sumLo,
                   f.sumHi))
    return false;
  f.residualIsSigned = conv.residualType == ElementType::I8;
  f.sumIsRelu = conv.sumActivation == Activation::Relu;
  f.mainOffset = int32_t(mainOffset);
  f.residualOffset = conv.residualZeroPoint;
  f.mainScale = scales.main;
  f.residualScale = scales.residual;
  f.sumZeroPoint = conv.sumZeroPoint;
  return true;
}
