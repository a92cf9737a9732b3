//===- Random.h - Deterministic random numbers ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The same numbers on every host, which std::uniform_int_distribution does not
// promise.
//
//   Random random(seed);
//   unsigned reg = random.below(32);
//   if (random.oneIn(4)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_RANDOM_H
#define YARROW_TEST_RANDOM_H

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace yarrow::testing {

/// SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// 0 to \p bound - 1; \p bound is not zero.
  uint32_t below(uint32_t bound) { return uint32_t(next() % bound); }
  /// \p low to \p high, both included.
  uint32_t between(uint32_t low, uint32_t high) {
    return low + below(high - low + 1);
  }
  /// One of 2^20 steps from \p low to below \p high.
  float real(float low, float high) {
    return low + (high - low) * float(below(1 << 20)) / (1 << 20);
  }
  bool oneIn(uint32_t n) { return below(n) == 0; }
  template <class T> T of(std::initializer_list<T> choices) {
    return choices.begin()[below(uint32_t(choices.size()))];
  }
  template <class T> const T &of(const std::vector<T> &choices) {
    return choices[below(uint32_t(choices.size()))];
  }

private:
  uint64_t state;
};

} // namespace yarrow::testing

#endif // YARROW_TEST_RANDOM_H
