//===- KernelCases.h - Random calls of every kernel -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Parameters within what the kernels' headers allow: shapes, element types,
// activations, methods and quantization are random, the same for the same seed.
// Inputs are slots of kCaseBytes each, shared by all calls; every output has
// kCaseBytes of its own.
//
//   std::vector<uint8_t> inputs = caseInputs(seed);
//   for (const KernelCase &c : randomKernelCases(seed))
//     ... c.inputSlots[i] * kCaseBytes ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_KERNELS_KERNELCASES_H
#define YARROW_TEST_UNIT_KERNELS_KERNELCASES_H

#include "kernels/registry/AllParams.h"
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace yarrow::testing {

constexpr uint32_t kCaseBytes = 1 << 14;

// What an input slot holds. Random bytes, of which a half are floats between 1
// and 2; the others have values that not every pattern of bits is.
constexpr uint32_t kNoiseSlots = 6;
constexpr uint32_t kBiasSlot = 6;     ///< int32, at most 2^20.
constexpr uint32_t kShiftSlot = 7;    ///< int8, shifts of a requantization.
constexpr uint32_t kTableSlot = 8;    ///< Positive int16.
constexpr uint32_t kTapShiftSlot = 9; ///< uint8, shifts of Winograd's taps.
constexpr uint32_t kBoundsSlot = 10;  ///< int32, pairs of first and last of 8.
constexpr uint32_t kRankSlot = 11;    ///< Entries in order (Rank.h).
constexpr uint32_t kMultiplierSlot = 12; ///< int32, multipliers of 31 bits.
constexpr uint32_t kCaseSlots = 13;

struct KernelCase {
  const char *symbol;
  std::vector<uint8_t> params;
  std::vector<uint32_t> inputSlots;
  uint32_t outputCount = 1;
};

/// Every kernel at least once.
std::vector<KernelCase> randomKernelCases(uint64_t seed);

/// Every float function once.
std::vector<KernelCase> unaryFloatCases(uint64_t seed);

/// All slots one after the other.
std::vector<uint8_t> caseInputs(uint64_t seed);

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_KERNELS_KERNELCASES_H
