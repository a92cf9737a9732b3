//===- Reciprocals.cpp - Multipliers of the engine's averages -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/Reciprocals.h"
#include "isa/Types.h"

using namespace yarrow;
using namespace yarrow::npu;

/// With scale / 2^shift = (1 + d) / area, d > 0, and a sum of magnitude q *
/// area
/// + r, what is rounded is (q * area + r + sum * d) / area. If r is half of the
/// area or more, it is above q + 1/2 and the result q + 1, as long as sum * d
/// < 1. If r is less than half, r + sum * d has to stay below half: r is at
/// most area / 2 - 1 of an even area, (area - 1) / 2 of an odd one, so sum * d
/// has to be less than 1, or than 1/2. No sum is larger than area * most.
/// Numbers: excess <= area <= 2^16 and 2^shift <= 2^24 * 2^16, so that no
/// product is above 2^51.
static bool isExact(uint32_t area, int64_t most, int64_t scale, int32_t shift) {
  int64_t excess = scale * area - (int64_t(1) << shift); // d * 2^shift
  int64_t room = area % 2 == 0 ? 2 : 1;
  return 2 * area * most * excess < room << shift;
}

std::optional<Reciprocal> npu::halfAwayReciprocal(uint32_t area, int64_t most) {
  if (area == 1)
    return Reciprocal{1, 0};
  for (int32_t shift = 0;; ++shift) {
    int64_t scale = (int64_t(1) << shift) / area + 1;
    if (scale > isa::kMaxReciprocal)
      return std::nullopt;
    if (isExact(area, most, scale, shift))
      return Reciprocal{int32_t(scale), shift};
  }
}

void ReciprocalTable::add(const Reciprocal &r) {
  isWide |= r.scale > isa::kMaxNarrowScale;
  for (int32_t byte :
       {r.scale & 0xff, r.scale >> 8 & 0xff, r.shift, r.scale >> 16})
    records.push_back(char(byte));
}
