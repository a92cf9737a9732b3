//===- WeightCompression.cpp - Weights that compress better ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/WeightCompression.h"

#include <algorithm>
#include <vector>

namespace yarrow {

double compressedShare(std::span<const int64_t> weights, unsigned bits) {
  if (weights.empty())
    return 1;
  double share = 1;
  for (unsigned length : bits == 8 ? std::initializer_list<unsigned>{5, 6}
                                   : std::initializer_list<unsigned>{10, 12}) {
    if (length > bits)
      continue;
    int64_t reach = int64_t(1) << (length - 1);
    auto fit = double(std::ranges::count_if(
        weights, [&](int64_t w) { return w <= reach - 1 && w >= -reach - 1; }));
    double part = fit / double(weights.size());
    share = std::min(share,
                     (part * length + (1 - part) * 3 * length) / double(bits));
  }
  return share;
}

FloatRange compressibleRange(FloatRange range, std::span<const float> weights,
                             RangeMode mode, unsigned bits) {
  constexpr double kWorthwhile = 0.9;
  std::vector<int64_t> quantized(weights.size());
  for (int trial = 0; trial < 4; ++trial) {
    LinearParams p =
        linearParams(range.min, range.max, mode, bits, /*isSigned=*/true);
    for (std::size_t i = 0; i < weights.size(); ++i)
      quantized[i] = quantizeValue(weights[i], p);
    if (compressedShare(quantized, bits) < kWorthwhile)
      break;
    range = {2 * range.min, 2 * range.max};
  }
  return range;
}

} // namespace yarrow
