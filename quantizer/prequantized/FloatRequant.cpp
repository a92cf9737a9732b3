//===- FloatRequant.cpp - Multipliers that round as floats do -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/FloatRequant.h"
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

/// The multipliers that have steps in their places.
struct Allowed {
  Wide least = 1, most = INT32_MAX;

  /// acc * m >= bound. Divides, which takes most of the time, only where that
  /// narrows.
  void atLeast(int64_t acc, Wide bound) {
    if (acc > 0 && acc * least < bound)
      least = ceilDivide(bound, acc);
    else if (acc < 0 && acc * most < bound)
      most = floorDivide(bound, acc);
  }
  /// acc * m <= bound
  void atMost(int64_t acc, Wide bound) {
    if (acc > 0 && acc * most > bound)
      most = floorDivide(bound, acc);
    else if (acc < 0 && acc * least > bound)
      least = ceilDivide(bound, acc);
  }
  bool isNone() const { return least > most; }
};

/// The steps of RNE(float(acc) * ratio) and what each asks of a multiplier.
struct Steps {
  float ratio;
  int shift;
  int64_t mostSum;

  /// Narrows \p allowed to those that have step \p n.
  void require(int64_t n, Allowed &allowed) const {
    int64_t first = firstOf(n, ratio);
    // RNE(acc * m / 2^shift) >= n from the tie below n on if n is even.
    Wide tie = Wide(2 * n - 1) << (shift - 1);
    bool isEven = n % 2 == 0;
    if (std::abs(first) <= mostSum)
      allowed.atLeast(first, isEven ? tie : tie + 1);
    if (std::abs(first - 1) <= mostSum)
      allowed.atMost(first - 1, isEven ? tie - 1 : tie);
  }
};

/// Where intervals of multipliers begin and end, as numbers that are sorted in
/// one comparison: twice the place, plus 1 of a begin.
class Borders {
public:
  void add(const Allowed &allowed) {
    if (allowed.isNone())
      return;
    borders.push_back(int64_t(allowed.least) * 2 + 1);
    borders.push_back(int64_t(allowed.most + 1) * 2);
  }

  /// Where most of the intervals lie over one another: a multiplier there, the
  /// nearest to \p wish, and how many have it.
  std::pair<int64_t, int64_t> best(int64_t wish) {
    std::sort(borders.begin(), borders.end());
    int64_t best = wish, most = 0, depth = 0;
    for (size_t i = 0; i < borders.size(); ++i) {
      depth += borders[i] % 2 ? 1 : -1;
      if (i + 1 == borders.size() || borders[i + 1] / 2 == borders[i] / 2)
        continue;
      int64_t here = std::clamp(wish, borders[i] / 2, borders[i + 1] / 2 - 1);
      if (depth > most ||
          (depth == most && std::abs(here - wish) < std::abs(best - wish))) {
        most = depth;
        best = here;
      }
    }
    return {best, most};
  }

private:
  std::vector<int64_t> borders;
};

} // namespace

std::optional<FloatRequant> yarrow::multiplierLikeFloat(float ratio,
                                                        int64_t least,
                                                        int64_t most,
                                                        int64_t mostSum) {
  std::optional<Multiplier> m = multiplierOf(double(ratio));
  if (!m)
    return std::nullopt;
  // Of ratios of 2^31 nothing is rounded; of 2^-25, with sums of 31 bits and
  // results of 8, steps lie where there are no sums.
  constexpr int32_t kMostShift = 56;
  if (m->shift < 1 || m->shift > kMostShift)
    return FloatRequant{*m, false};
  Steps steps{ratio, m->shift, mostSum};
  // One that has all of them, which there is of most ratios.
  Allowed all;
  for (int64_t n = least + 1; n <= most && !all.isNone(); ++n)
    steps.require(n, all);
  if (!all.isNone()) {
    m->scale = int32_t(std::clamp<Wide>(m->scale, all.least, all.most));
    return FloatRequant{*m, true};
  }
  Borders borders;
  for (int64_t n = least + 1; n <= most; ++n) {
    Allowed allowed;
    steps.require(n, allowed);
    borders.add(allowed);
  }
  m->scale = int32_t(borders.best(m->scale).first);
  return FloatRequant{*m, false};
}
