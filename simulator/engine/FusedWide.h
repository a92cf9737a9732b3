//===- FusedWide.h - Wide output stages of bytes in one pass ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// FusedOutput.h for scales of 31 bits, in integers of 64 bits: exact as
// IntegerPasses.h is, in one pass over the sums, on any host.
//
//   FusedWide stage;
//   if (...the command has such a stage...)
//     fuseWide(stage, place, firstChannel);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_FUSEDWIDE_H
#define YARROW_SIMULATOR_ENGINE_FUSEDWIDE_H

#include "simulator/engine/FusedOutput.h"
#include "simulator/engine/IntegerPasses.h"

namespace yarrow::sim {

/// The same for all pixels of a command. Limits include the zero points that
/// are taken off after them; no factor shifts to the left.
struct FusedWide {
  /// Of each channel, as the factors; scales once more, as 32 bits.
  std::vector<int32_t> bias, scales;
  RoundFactors factors;
  int32_t lo = 0, hi = 0, zeroPoint = 0;
  bool hasResidual = false, residualIsSigned = false, sumIsRelu = false;
  /// What is added before both are scaled; the results fit 32 bits.
  int32_t mainOffset = 0, residualOffset = 0;
  int32_t mainScale = 0, residualScale = 0;
  RoundFactor sumFactor;
  int32_t sumLo = 0, sumHi = 0, sumZeroPoint = 0;
};

void fuseWide(const FusedWide &stage, const FusedPlace &place,
              uint32_t firstChannel);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_FUSEDWIDE_H
