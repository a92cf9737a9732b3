//===- TecSimulation.h - Runs a TEC program in a test -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The TECs of the simulator around a text blob, with the parameter block and
// the start state of isa/ElfLayout.h, and no engines: their counters are what
// the test says.
//
//   TecSimulation simulation(/*regionBytes=*/{1 << 16, 1 << 16});
//   simulation.memory->write(simulation.address(1), ...);
//   ASSERT_EQ(simulation.run(program->text, /*tecs=*/4), "");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_CODEGEN_TECSIMULATION_H
#define YARROW_TEST_UNIT_CODEGEN_TECSIMULATION_H

#include "isa/ElfLayout.h"
#include "isa/Types.h"
#include "simulator/Memory.h"
#include "simulator/tec/Tec.h"
#include <array>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace yarrow::testing {

class TecSimulation : public sim::TecPort {
public:
  struct Submission {
    uint32_t queue, address, sizeBytes;
    bool operator==(const Submission &) const = default;
  };

  std::unique_ptr<sim::Memory> memory;
  std::array<uint32_t, isa::kNumCounters> counters = {};
  std::vector<Submission> submissions;
  std::vector<std::pair<uint32_t, uint32_t>> bases, origins;
  uint32_t descriptors = 0x123400;
  uint32_t globalParameters = 0; ///< Their address, as TECs get it in a6.
  uint32_t group = 0;
  uint64_t instructions = 0, cycles = 0;
  uint32_t stackBytes = 0; ///< The most that a TEC used.

  sim::TecTiming timing; ///< What instructions cost.

  /// Regions 1 and up, of these sizes; region 0 is SRAM.
  explicit TecSimulation(const std::vector<uint32_t> &regionBytes,
                         uint32_t sramBytes = 1 << 20)
      : memory(sim::Memory::create(sramBytes)) {
    for (uint32_t sizeBytes : regionBytes) {
      addresses.push_back(top);
      top = (top + sizeBytes + 0xFFF) & ~0xFFFu;
    }
    memory->growDdr(top);
  }

  uint32_t address(uint32_t region) const {
    return region ? addresses[region - 1] : isa::kSramBaseAddress;
  }
  uint8_t *at(uint32_t region) const {
    return memory->hostBase() + address(region);
  }

  /// The reason why it did not end, or "".
  std::string run(std::span<const char> text, uint32_t tecs,
                  uint32_t textAddress = 0x20000) {
    uint32_t stacks = top, end = stacks + tecs * isa::kStackBytes;
    if (!memory->growDdr(end + (1 << 20)) ||
        !memory->write(textAddress, text.data(), text.size()))
      return "no memory";
    memory->fill(stacks, kPaint, end - stacks);
    std::vector<uint32_t> block = {isa::kParameterMagic,
                                   uint32_t(addresses.size() + 1), descriptors,
                                   group, isa::kSramBaseAddress};
    block.insert(block.end(), addresses.begin(), addresses.end());
    memory->write(kBlockAddress, block.data(), 4 * block.size());

    std::deque<sim::Tec> cores;
    for (uint32_t task = 0; task < tecs; ++task) {
      sim::Tec &tec = cores.emplace_back(
          *memory, *this, sim::TecOptions{.timed = true, .timing = timing});
      tec.reset(textAddress + isa::kTextHeaderBytes);
      tec.setX(2, stacks + task * isa::kStackBytes);
      tec.setX(10, kBlockAddress);
      tec.setX(13, task);
      tec.setX(14, tecs);
      tec.setX(16, globalParameters);
    }
    std::vector<bool> hasEnded(tecs);
    for (uint32_t numEnded = 0; numEnded < tecs;) {
      uint32_t signalsBefore = counters[unsigned(isa::Unit::Tec)],
               endedBefore = numEnded;
      for (uint32_t task = 0; task < tecs; ++task) {
        if (hasEnded[task])
          continue;
        sim::TecStop stop = cores[task].run(uint64_t(1) << 40);
        if (stop == sim::TecStop::Fault)
          return cores[task].fault().str();
        if (stop == sim::TecStop::Ended) {
          hasEnded[task] = true;
          ++numEnded;
        }
      }
      if (counters[unsigned(isa::Unit::Tec)] == signalsBefore &&
          numEnded == endedBefore)
        return "all TECs wait";
    }
    for (uint32_t task = 0; task < tecs; ++task) {
      const uint8_t *stack =
          memory->hostBase() + stacks + task * isa::kStackBytes;
      uint32_t unused = 0;
      while (unused < isa::kStackBytes && stack[unused] == kPaint)
        ++unused;
      stackBytes = std::max(stackBytes, isa::kStackBytes - unused);
    }
    for (sim::Tec &tec : cores) {
      instructions += tec.retired();
      cycles = std::max(cycles, tec.cycles());
    }
    return "";
  }

  void submit(uint32_t queue, uint32_t address, uint32_t sizeBytes) override {
    submissions.push_back({queue, address, sizeBytes});
  }
  void setBase(uint32_t region, uint32_t address) override {
    bases.emplace_back(region, address);
  }
  void setOrigin(uint32_t counter, uint32_t count) override {
    origins.emplace_back(counter, count);
  }
  bool wait(uint32_t counter, uint32_t count) override {
    return counters[counter] >= count;
  }
  void signal() override { ++counters[unsigned(isa::Unit::Tec)]; }

private:
  static constexpr uint32_t kBlockAddress = 0x8000;
  static constexpr uint8_t kPaint = 0xCD; ///< Of unused stack.
  uint32_t top = 0x200000;
  std::vector<uint32_t> addresses;
};

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_CODEGEN_TECSIMULATION_H
