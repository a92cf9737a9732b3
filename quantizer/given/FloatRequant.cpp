//===- FloatRequant.cpp - Multipliers that round as floats do -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/given/FloatRequant.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

using namespace yarrow;

namespace {

/// Bounds have up to 9 + 62 bits.
__extension__ using Wide = __int128;

Wide floorDivide(Wide a, Wide b) {
  Wide q = a / b, r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}
Wide ceilDivide(Wide a, Wide b) { return -floorDivide(-a, b); }

/// What a layer's sums become, as XNNPACK has it.
float floatSteps(int64_t acc, float ratio) {
  return std::nearbyint(float(acc) * ratio);
}

/// The least accumulator that becomes \p n or more. The function is monotone,
/// and either rounding moves a step by at most 2^-23 of its place.
int64_t firstOf(int64_t n, float ratio) {
  double place = (double(n) - 0.5) / double(ratio);
  double slack = std::abs(place) * 0x1p-21 + 4;
  auto below = int64_t(std::floor(place - slack)),
       at = int64_t(std::ceil(place + slack));
  assert(floatSteps(below, ratio) < float(n) &&
         floatSteps(at, ratio) >= float(n));
  while (at - below > 1) {
    int64_t middle = below + (at - below) / 2;
    (floatSteps(middle, ratio) >= float(n) ? at : below) = middle;
  }
  return at;
}

/// The multipliers that have one step in its place.
struct Allowed {
  Wide least = 1, most = INT32_MAX;

  /// acc * m >= bound
  void atLeast(int64_t acc, Wide bound) {
    if (acc > 0)
      least = std::max(least, ceilDivide(bound, acc));
    else if (acc < 0)
      most = std::min(most, floorDivide(bound, acc));
  }
  /// acc * m <= bound
  void atMost(int64_t acc, Wide bound) {
    if (acc > 0)
      most = std::min(most, floorDivide(bound, acc));
    else if (acc < 0)
      least = std::max(least, ceilDivide(bound, acc));
  }
};

/// Where most of the intervals lie over one another: a multiplier there, the
/// nearest to \p wish, and how many have it.
std::pair<int64_t, size_t> bestOf(const std::vector<Allowed> &intervals,
                                  int64_t wish) {
  std::vector<std::pair<Wide, int>> borders; // +1 at a begin, -1 behind an end
  for (const Allowed &a : intervals)
    if (a.least <= a.most) {
      borders.push_back({a.least, 1});
      borders.push_back({a.most + 1, -1});
    }
  std::sort(borders.begin(), borders.end());
  int64_t best = wish;
  size_t most = 0, depth = 0;
  for (size_t i = 0; i < borders.size(); ++i) {
    depth += size_t(borders[i].second);
    if (i + 1 == borders.size() || borders[i + 1].first == borders[i].first)
      continue;
    auto here = int64_t(
        std::clamp<Wide>(wish, borders[i].first, borders[i + 1].first - 1));
    if (depth > most ||
        (depth == most && std::abs(here - wish) < std::abs(best - wish))) {
      most = depth;
      best = here;
    }
  }
  return {best, most};
}

} // namespace

std::optional<FloatRequant> yarrow::multiplierLikeFloat(float ratio,
                                                        int64_t least,
                                                        int64_t most,
                                                        int64_t mostSum) {
  std::optional<Multiplier> m = multiplierOf(double(ratio));
  if (!m)
    return std::nullopt;
  FloatRequant result{*m, false};
  // Of ratios of 2^31 nothing is rounded; of 2^-25, with sums of 31 bits and
  // results of 8, steps lie where there are no sums.
  constexpr int32_t kMostShift = 56;
  if (m->shift < 1 || m->shift > kMostShift)
    return result;
  std::vector<Allowed> steps;
  for (int64_t n = least + 1; n <= most; ++n) {
    int64_t first = firstOf(n, ratio);
    // RNE(acc * m / 2^shift) >= n from the tie below n on if n is even.
    Wide tie = Wide(2 * n - 1) << (m->shift - 1);
    bool isEven = n % 2 == 0;
    Allowed allowed;
    if (std::abs(first) <= mostSum)
      allowed.atLeast(first, isEven ? tie : tie + 1);
    if (std::abs(first - 1) <= mostSum)
      allowed.atMost(first - 1, isEven ? tie - 1 : tie);
    steps.push_back(allowed);
  }
  auto [scale, count] = bestOf(steps, m->scale);
  result.multiplier.scale = int32_t(scale);
  result.isExact = count == steps.size();
  return result;
}
