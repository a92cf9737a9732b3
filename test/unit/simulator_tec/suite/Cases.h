//===- Cases.h - What the instruction suite executes ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Cases are made from the records: the bits that a record's mask leaves free
// are random, as are all registers, which hold corner cases and values that
// suit the instruction. A case is mostly legal, sometimes not.
//
//   Random random(/*seed=*/1);
//   Settings settings{.vtype = 0xd0, .vl = 7, .masked = true};
//   Case c = makeCase(record, settings, random);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_CASES_H
#define YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_CASES_H

#include "test/unit/simulator_tec/suite/Model.h"

namespace yarrow::reference {

/// xorshift64*; the same on every host.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15 + 1) {}
  uint64_t bits() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1d;
  }
  /// Less than \p bound.
  unsigned below(unsigned bound) { return unsigned((bits() >> 32) % bound); }
  bool oneIn(unsigned n) { return below(n) == 0; }
  template <class T, size_t N> T pick(const T (&from)[N]) {
    return from[below(N)];
  }

private:
  uint64_t state;
};

/// An instruction as its record has it.
struct Record {
  std::string mnemonic;
  uint32_t match, mask;
  bool isVector;
};
const std::vector<Record> &records();

/// Memory of the machines: a small DDR, whose end the data is next to, and a
/// small SRAM.
inline constexpr uint32_t kDdrBytes = 0x30000, kSramBytes = 0x2000;
inline constexpr uint32_t kDriverAddress = 0x20000, kTextAddress = 0x22000,
                          kTextEnd = 0x25000, kRegisterAddress = 0x28000,
                          kDataAddress = 0x2c000;

struct Settings {
  uint32_t vtype = 0;
  uint32_t vl = 0, vstart = 0;
  bool masked = false;
  uint8_t frm = 0, vxrm = 0;
};

struct Case {
  const Record *record;
  uint32_t prefix, word; ///< prefix comes first: a nop, or lr.w before sc.w.
  State state;           ///< But for pc and memory.
};

/// \p pc is where it will be executed.
Case makeCase(const Record &record, const Settings &settings, uint32_t pc,
              Random &random);

// What registers are filled with.
uint64_t randomInteger(Random &random, unsigned bits);
uint64_t randomFloat(Random &random, FloatFormat format);

} // namespace yarrow::reference

#endif // YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_CASES_H
