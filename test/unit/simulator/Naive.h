//===- Naive.h - Engine semantics as plain loops ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the tests hold against the engines: the arithmetic of the ISA manual
// written once more, in 128-bit integers and without regard to speed.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_NAIVE_H
#define YARROW_TEST_UNIT_SIMULATOR_NAIVE_H

#include "isa/Descriptors.h"
#include "simulator/Memory.h"
#include <algorithm>
#include <cstring>
#include <random>

namespace naive {

using Wide = __int128;
using yarrow::isa::ElementType;

/// x / 2^shift to nearest, ties to even or upwards.
inline Wide roundShift(Wide x, int shift, bool halfUp = false) {
  if (shift <= 0)
    return x * (Wide(1) << -shift);
  Wide quotient = x >> shift, rest = x - (quotient << shift);
  Wide half = Wide(1) << (shift - 1);
  if (rest > half || (rest == half && (halfUp || (quotient & 1))))
    ++quotient;
  return quotient;
}
inline int64_t requantize(Wide x, int64_t scale, int shift, int64_t zero,
                          int64_t lo, int64_t hi, bool halfUp = false) {
  Wide r = roundShift(x * scale, shift, halfUp) - zero;
  return int64_t(r < lo ? lo : r > hi ? hi : r);
}

inline int64_t read(yarrow::sim::Memory &m, ElementType type, uint64_t offset) {
  const uint8_t *p = m.hostBase() + yarrow::sim::Memory::kSramBase + offset;
  switch (type) {
  case ElementType::I8:
    return int8_t(*p);
  case ElementType::U8:
    return *p;
  case ElementType::I16:
    return int16_t(p[0] | p[1] << 8);
  case ElementType::U16:
    return p[0] | p[1] << 8;
  default:
    int32_t v;
    std::memcpy(&v, p, 4);
    return v;
  }
}
inline void write(yarrow::sim::Memory &m, ElementType type, uint64_t offset,
                  int64_t value) {
  std::memcpy(m.hostBase() + yarrow::sim::Memory::kSramBase + offset, &value,
              yarrow::isa::elementBytes(type));
}

inline void lowest(ElementType type, int64_t &lo, int64_t &hi) {
  switch (type) {
  case ElementType::I8:
    lo = -128, hi = 127;
    break;
  case ElementType::U8:
    lo = 0, hi = 255;
    break;
  case ElementType::I16:
    lo = -32768, hi = 32767;
    break;
  case ElementType::U16:
    lo = 0, hi = 65535;
    break;
  default:
    lo = INT32_MIN, hi = INT32_MAX;
  }
}

/// A source of test values: the same on every host.
struct Random {
  std::mt19937_64 engine;
  explicit Random(uint64_t seed) : engine(seed) {}
  /// In [lo, hi].
  int64_t in(int64_t lo, int64_t hi) {
    return lo + int64_t(engine() % uint64_t(hi - lo + 1));
  }
  bool chance(int percent) { return in(0, 99) < percent; }
  template <typename T> T oneOf(std::initializer_list<T> list) {
    return list.begin()[in(0, int64_t(list.size()) - 1)];
  }
  void fill(yarrow::sim::Memory &m, uint64_t offset, uint64_t size) {
    for (uint64_t i = 0; i < size; ++i)
      m.hostBase()[yarrow::sim::Memory::kSramBase + offset + i] =
          uint8_t(engine());
  }
};

} // namespace naive

#endif // YARROW_TEST_UNIT_SIMULATOR_NAIVE_H
