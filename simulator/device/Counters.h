//===- Counters.h - Completion counters and when they moved -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What commands and TECs wait for. A counter only grows; in timed mode it also
// remembers when it reached each value.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_COUNTERS_H
#define YARROW_SIMULATOR_DEVICE_COUNTERS_H

#include "isa/Descriptors.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace yarrow::sim {

class Counters {
public:
  explicit Counters(bool isTimed) : isTimed(isTimed) {}

  uint32_t value(unsigned counter) const { return values[counter]; }
  bool hasReached(unsigned counter, uint32_t count) const {
    return values[counter] >= count;
  }
  bool hasReached(const isa::Waits &waits) const {
    for (unsigned i = 0; i < isa::kNumCounters; ++i)
      if (!hasReached(i, waits[i]))
        return false;
    return true;
  }

  /// Signals of several TECs need not arrive in the order of their cycles.
  void increment(unsigned counter, uint64_t cycle) {
    ++values[counter];
    if (!isTimed)
      return;
    std::vector<uint64_t> &times = reached[counter];
    times.insert(std::upper_bound(times.begin(), times.end(), cycle), cycle);
  }

  /// The cycle in which the counter reached \p count, which it has.
  uint64_t cycleOf(unsigned counter, uint32_t count) const {
    return isTimed && count ? reached[counter][count - 1] : 0;
  }
  uint64_t cycleOf(const isa::Waits &waits) const {
    uint64_t cycle = 0;
    for (unsigned i = 0; i < isa::kNumCounters; ++i)
      cycle = std::max(cycle, cycleOf(i, waits[i]));
    return cycle;
  }

private:
  bool isTimed;
  std::array<uint32_t, isa::kNumCounters> values{};
  std::array<std::vector<uint64_t>, isa::kNumCounters> reached;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_COUNTERS_H
