//===- FusedOutput.h - Output stages of bytes in one pass -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The output stage that nearly all commands have, from sums to bytes in one
// pass over them, on hosts with vectors of 512 bits: bias and requantization,
// and maybe a residual add. Passes.h does everything else.
//
//   FusedOutput stage;
//   if (hostFusesOutputs() && ...the command has such a stage...)
//     fuseOutput(stage, place, bias, factors);
//
// Exact as the passes are: products of doubles below 2^53, one rounding each,
// sums of a residual in 32 bits.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_FUSEDOUTPUT_H
#define YARROW_SIMULATOR_ENGINE_FUSEDOUTPUT_H

#include <cstdint>

namespace yarrow::sim {

/// The same for all pixels of a command. Limits include the zero points that
/// are taken off after them.
struct FusedOutput {
  int32_t lo = 0, hi = 0, zeroPoint = 0;
  bool hasResidual = false, residualIsSigned = false, sumIsRelu = false;
  /// What is added before both are scaled; the results are int16.
  int16_t mainOffset = 0, residualOffset = 0;
  int16_t mainScale = 0, residualScale = 0;
  double sumFactor = 0;
  int32_t sumLo = 0, sumHi = 0, sumZeroPoint = 0;
};

/// Some pixels of a row.
struct FusedPlace {
  const int32_t *sums;
  uint64_t sumsPitch; ///< Sums from one pixel to the next.
  uint32_t pixels, channels;
  const uint8_t *residual; ///< May be where the results go.
  uint64_t residualStride; ///< Bytes, as all below.
  uint8_t *to;
  uint64_t toStride;
};

bool hostFusesOutputs();
/// \p bias and \p factors are of the channels of \p place.
void fuseOutput(const FusedOutput &stage, const FusedPlace &place,
                const double *bias, const double *factors);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_FUSEDOUTPUT_H
