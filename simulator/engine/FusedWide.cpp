//===- FusedWide.cpp - Wide output stages of bytes in one pass ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Loops that compilers vectorize: products of numbers of 32 bits, which are one
// instruction for each vector of 64, and logical shifts.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/FusedWide.h"

#include "simulator/engine/HostVector.h"
#include <algorithm>
#include <cstring>

using namespace yarrow::sim;

/// Channels whose results are put together before they are written, since the
/// residual may lie where they go.
static constexpr uint32_t kLanes = 64;

static inline __attribute__((always_inline)) int64_t limit(int64_t x,
                                                           int64_t lo,
                                                           int64_t hi) {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

/// Sum + bias, rounded and limited, of channels \p at on.
static inline __attribute__((always_inline)) void
firstStage(const FusedWide &s, const int32_t *sums, size_t at, uint32_t count,
           int32_t *results) {
  const int32_t *bias = &s.bias[at], *scales = &s.scales[at];
  const uint64_t *rights = &s.factors.rights[at], *odds = &s.factors.odds[at];
  const uint64_t *biases = &s.factors.biases[at];
  const uint64_t *offsets = &s.factors.offsets[at];
  int64_t lo = s.lo, hi = s.hi;
  for (uint32_t i = 0; i < count; ++i) {
    auto sum = int32_t(uint32_t(sums[i]) + uint32_t(bias[i]));
    auto p = uint64_t(int64_t(sum) * scales[i]);
    int64_t y =
        RoundFactor::round(p, rights[i], biases[i], odds[i], offsets[i]);
    results[i] = int32_t(limit(y, lo, hi));
  }
}

template <typename Residual>
static inline __attribute__((always_inline)) void
addResidual(const FusedWide &s, const uint8_t *residual, uint32_t count,
            int32_t *results) {
  const RoundFactor f = s.sumFactor;
  int64_t lo = s.sumLo, hi = s.sumHi, least = s.sumIsRelu ? 0 : INT64_MIN;
  int32_t mainOffset = s.mainOffset, offset = s.residualOffset;
  int32_t mainScale = s.mainScale, scale = s.residualScale;
  for (uint32_t i = 0; i < count; ++i) {
    int32_t main = results[i] + mainOffset;
    int32_t other = Residual(residual[i]) + offset;
    int64_t sum = int64_t(main) * mainScale + int64_t(other) * scale;
    sum = sum < least ? least : sum;
    auto p = int64_t(uint64_t(sum) * uint64_t(f.scale));
    results[i] = int32_t(limit(f.round(p), lo, hi));
  }
}

YARROW_HOST_CLONES static void fuseLanes(const FusedWide &s,
                                         const FusedPlace &p, size_t at,
                                         uint32_t first, uint32_t count) {
  int32_t zero = s.hasResidual ? s.sumZeroPoint : s.zeroPoint;
  int32_t results[kLanes];
  uint8_t bytes[kLanes];
  for (uint32_t i = 0; i < p.pixels; ++i) {
    firstStage(s, p.sums + i * p.sumsPitch + first, at, count, results);
    const uint8_t *residual = p.residual + i * p.residualStride + first;
    if (s.hasResidual && s.residualIsSigned)
      addResidual<int8_t>(s, residual, count, results);
    else if (s.hasResidual)
      addResidual<uint8_t>(s, residual, count, results);
    for (uint32_t c = 0; c < count; ++c)
      bytes[c] = uint8_t(results[c] - zero);
    std::memcpy(p.to + i * p.toStride + first, bytes, count);
  }
}

void yarrow::sim::fuseWide(const FusedWide &stage, const FusedPlace &place,
                           uint32_t firstChannel) {
  for (uint32_t c = 0; c < place.channels; c += kLanes)
    fuseLanes(stage, place, firstChannel + c, c,
              std::min(kLanes, place.channels - c));
}
