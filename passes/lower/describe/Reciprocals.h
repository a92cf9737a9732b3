//===- Reciprocals.h - Multipliers of the engine's averages -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The tensor engine multiplies a window's sum by a number for its area, and
// rounds half to even. An average that rounds halves away from zero is the same
// with a multiplier that is a little above 1 / area: no sum is then a tie, and
// all that were lie beyond it, on both sides of zero. How little it must be,
// so that no other sum comes to the next integer, is proven here for all sums.
//
//   std::optional<Reciprocal> r = halfAwayReciprocal(/*area=*/49,
//   /*most=*/128);
//   // r->scale / 2^r->shift; none: the engine cannot do this area
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_RECIPROCALS_H
#define YARROW_PASSES_LOWER_DESCRIBE_RECIPROCALS_H

#include <cstdint>
#include <optional>
#include <vector>

namespace yarrow::npu {

struct Reciprocal {
  int32_t scale = 0; ///< At most isa::kMaxReciprocal.
  int32_t shift = 0;
};

/// The least multiplier for which RNE(sum * scale / 2^shift) is sum / area with
/// halves away from zero, for all sums of at most \p area integers of at most
/// \p most in magnitude. None if it has too many bits. 1 <= area <= 2^16, most
/// <= 2^18.
std::optional<Reciprocal> halfAwayReciprocal(uint32_t area, int64_t most);

/// The engine's records {uint16, int8, bits 23 to 16}, for areas from 1 on.
struct ReciprocalTable {
  std::vector<char> records;
  bool isWide = false; ///< Some scale has more than 16 bits.

  void add(const Reciprocal &reciprocal);
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_RECIPROCALS_H
