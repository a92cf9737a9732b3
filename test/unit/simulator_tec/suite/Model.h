//===- Model.h - What the manuals say an instruction does -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A TEC written for comparison: straight from the RISC-V manuals (I, M, A, F,
// D, Zicsr, V 1.0), one element at a time, without regard to speed. It knows an
// instruction by its mnemonic and shares no code with the simulator.
//
//   State state = ...;
//   Semantics semantics = findSemantics("vadd.vv");
//   Outcome outcome = semantics(state, word);
//
// An illegal instruction leaves the state as it was. Choices that the manuals
// leave to an implementation are those of docs/isa.md.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_MODEL_H
#define YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_MODEL_H

#include "isa/Types.h"
#include "test/unit/simulator_tec/suite/SoftFloat.h"
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace yarrow::reference {

/// Two windows of memory, and which bytes of them were written.
class ModelMemory {
public:
  static constexpr uint32_t kSramBase = isa::kSramBaseAddress;
  std::vector<uint8_t> ddr, sram;
  struct Range {
    uint32_t address, sizeBytes;
  };
  std::vector<Range> written;

  /// Null if a byte of it is outside.
  const uint8_t *at(uint32_t address, uint32_t sizeBytes) const {
    if (uint64_t(address) + sizeBytes <= ddr.size())
      return ddr.data() + address;
    if (address >= kSramBase &&
        uint64_t(address) - kSramBase + sizeBytes <= sram.size())
      return sram.data() + (address - kSramBase);
    return nullptr;
  }
  bool read(uint32_t address, void *to, uint32_t sizeBytes) const {
    const uint8_t *from = at(address, sizeBytes);
    if (from)
      std::memcpy(to, from, sizeBytes);
    return from;
  }
  bool write(uint32_t address, const void *from, uint32_t sizeBytes) {
    auto *to = const_cast<uint8_t *>(at(address, sizeBytes));
    if (!to)
      return false;
    std::memcpy(to, from, sizeBytes);
    written.push_back({address, sizeBytes});
    return true;
  }
};

struct State {
  uint32_t x[32] = {};
  uint64_t f[32] = {};
  uint8_t v[32 * 32] = {};
  uint32_t pc = 0;
  uint32_t vl = 0, vtype = 1u << 31, vstart = 0;
  uint32_t step = 0;
  uint8_t frm = 0, fflags = 0, vxrm = 0;
  bool vxsat = false;
  bool reserved = false;
  uint32_t reservedAddress = 0;
  ModelMemory *memory = nullptr;
  /// Calls of the port: which, and what it was given.
  using PortCall = std::array<uint32_t, 4>;
  std::vector<PortCall> portCalls;
};

enum class Outcome {
  Next,        ///< pc says where.
  Illegal,     ///< Nothing has changed.
  MemoryFault, ///< At faultAddress of the call; pc is that of the instruction.
  FetchFault,  ///< The target of a jump cannot be executed.
  Stopped,     ///< Handed to who embeds the TEC; pc is the next instruction.
  Waits,       ///< The same; pc is that of the instruction.
};

struct Result {
  Outcome outcome = Outcome::Next;
  uint32_t faultAddress = 0;
};

using Semantics = std::function<Result(State &, uint32_t word)>;
using SemanticsTable = std::map<std::string, Semantics>;

/// Empty if there is no model for \p mnemonic.
const Semantics *findSemantics(const std::string &mnemonic);

// What the parts of the model add to the table.
void addInteger(SemanticsTable &table);
void addFloat(SemanticsTable &table);
void addSystem(SemanticsTable &table);
void addVectorInteger(SemanticsTable &table);
void addVectorFloat(SemanticsTable &table);
void addVectorReductions(SemanticsTable &table);
void addVectorMasks(SemanticsTable &table);
void addVectorPermutations(SemanticsTable &table);
void addVectorMemory(SemanticsTable &table);
/// Makes what is there illegal where it reads a register in two widths.
void restrictVectorSources(SemanticsTable &table);

/// Fields of an instruction word.
struct Word {
  uint32_t bits;
  unsigned rd() const { return bits >> 7 & 31; }
  unsigned rs1() const { return bits >> 15 & 31; }
  unsigned rs2() const { return bits >> 20 & 31; }
  unsigned rs3() const { return bits >> 27; }
  unsigned funct3() const { return bits >> 12 & 7; }
  bool vm() const { return bits >> 25 & 1; }
  unsigned nf() const { return (bits >> 29) + 1; }
  int32_t immI() const { return int32_t(bits) >> 20; }
  int32_t immS() const {
    return int32_t((uint32_t(int32_t(bits) >> 25) << 5) | rd());
  }
  int32_t immB() const {
    return int32_t(uint32_t(int32_t(bits) >> 31) << 12 | (bits >> 7 & 1) << 11 |
                   (bits >> 25 & 63) << 5 | (bits >> 8 & 15) << 1);
  }
  int32_t immJ() const {
    return int32_t(uint32_t(int32_t(bits) >> 31) << 20 |
                   (bits >> 12 & 255) << 12 | (bits >> 20 & 1) << 11 |
                   (bits >> 21 & 1023) << 1);
  }
};

inline void setX(State &s, unsigned reg, uint32_t value) {
  if (reg != 0)
    s.x[reg] = value;
}
inline Result next(State &s) {
  s.pc += 4;
  return {};
}
inline Result illegal() { return {Outcome::Illegal}; }

/// The lowest \p bits of \p value as a signed number.
inline int64_t signExtend(uint64_t value, unsigned bits) {
  return int64_t(value << (64 - bits)) >> (64 - bits);
}
inline uint64_t lowBits(uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

} // namespace yarrow::reference

#endif // YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_MODEL_H
