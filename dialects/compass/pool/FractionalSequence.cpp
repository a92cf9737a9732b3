//===- FractionalSequence.cpp - Windows of FractionalPool -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/pool/FractionalSequence.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace yarrow::compass {

namespace {
/// Even numbers from 0 to \p most: the high part of the draws is kept, and
/// those beyond the last whole multiple are drawn again.
uint32_t drawUpTo(std::mt19937 &random, uint64_t most) {
  uint64_t scaling = 0xffffffffu / (most + 1), past = (most + 1) * scaling;
  uint64_t drawn = random();
  while (drawn >= past)
    drawn = random();
  return uint32_t(drawn / scaling);
}

/// libstdc++'s shuffle takes two exchanges from a draw.
void shuffle(std::vector<int64_t> &values, std::mt19937 &random) {
  uint64_t i = 1, n = values.size();
  if (n % 2 == 0 && n > 0) {
    std::swap(values[1], values[drawUpTo(random, 1)]);
    i = 2;
  }
  while (i < n) {
    uint64_t range = i + 1;
    uint32_t both = drawUpTo(random, range * (range + 1) - 1);
    std::swap(values[i++], values[both / (range + 1)]);
    std::swap(values[i++], values[both % (range + 1)]);
  }
}
} // namespace

std::vector<int64_t> fractionalSequence(int64_t length, int64_t windows,
                                        bool isPseudo, uint32_t seed) {
  std::mt19937 random(seed);
  int64_t shorter = length / windows;
  std::vector<int64_t> starts = {0};
  if (isPseudo) {
    double ratio = double(length) / double(windows);
    double low = double(random()), high = double(random());
    double most =
        std::min(double(shorter + 2) / ratio - 1,
                 double(length + 1 - shorter) / ratio - double(windows - 1));
    double first = (low + high * 0x1p32) / 0x1p64 * most;
    for (int64_t i = 1; i < windows; ++i)
      starts.push_back(int64_t(std::ceil(float(ratio * (double(i) + first)))) -
                       1);
    starts.push_back(length);
    return starts;
  }
  std::vector<int64_t> lengths(windows, shorter);
  for (int64_t i = 0; i < length % windows; ++i)
    ++lengths[i];
  shuffle(lengths, random);
  for (int64_t n : lengths)
    starts.push_back(starts.back() + n);
  return starts;
}

} // namespace yarrow::compass
