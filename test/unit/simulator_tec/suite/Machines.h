//===- Machines.h - The TECs that the suite compares with the model -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A driver program loads the vector registers and CSRs of a case from memory,
// stops so that the x registers can be set, and jumps to the case's slot.
//
//   Machine machine({.anyHost = true});
//   machine.begin(memory, words);               // a batch, one slot per case
//   machine.execute(state, slotAddress(k));
//   std::string difference = machine.compare(expected, result);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_MACHINES_H
#define YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_MACHINES_H

#include "simulator/Memory.h"
#include "simulator/tec/Tec.h"
#include "test/unit/simulator_tec/suite/Cases.h"

namespace yarrow::reference {

inline constexpr unsigned kSlotBytes = 16, kSlots = 256;
/// In the middle of the text, so that branches reach text to both sides.
inline constexpr uint32_t kFirstSlot = kTextAddress + 0x1000;
static_assert(kFirstSlot + kSlots * kSlotBytes <= kTextEnd - 0x1000);
/// Of the prefix of a case; its word follows.
inline uint32_t slotAddress(unsigned slot) {
  return kFirstSlot + slot * kSlotBytes;
}

/// The words of [kDriverAddress, kTextEnd) for a batch.
std::vector<uint32_t> textOf(const std::vector<Case> &cases);
/// What a case's vector registers are loaded from.
inline constexpr uint32_t kTextBytes = kTextEnd - kDriverAddress;

class Machine {
public:
  explicit Machine(sim::TecOptions options);

  /// Takes \p memory over and forgets decoded text.
  void begin(const ModelMemory &memory);
  void execute(const State &initial, uint32_t slot);
  /// What differs, or empty. Tells only of registers, CSRs and the bytes that
  /// the model wrote.
  std::string compare(const State &expected, const Result &result) const;
  /// True if all of memory is as \p memory has it.
  bool sameMemory(const ModelMemory &memory) const;

private:
  struct Port : sim::TecPort {
    std::vector<State::PortCall> calls;
    void submit(uint32_t engine, uint32_t address, uint32_t bytes) override {
      calls.push_back({0, engine, address, bytes});
    }
    void setBase(uint32_t region, uint32_t address) override {
      calls.push_back({1, region, address, 0});
    }
    void setOrigin(uint32_t counter, uint32_t count) override {
      calls.push_back({5, counter, count, 0});
    }
    bool wait(uint32_t counter, uint32_t count) override {
      calls.push_back({2, counter, count, 0});
      return false;
    }
    void signal() override { calls.push_back({3, 0, 0, 0}); }
  };

  /// To the stop of the driver before registers are loaded.
  void toDriver();

  Port port;
  std::unique_ptr<sim::Memory> memory;
  bool hasDdr;
  sim::Tec tec;
  sim::TecStop stop = sim::TecStop::Fault;
};

} // namespace yarrow::reference

#endif // YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_MACHINES_H
