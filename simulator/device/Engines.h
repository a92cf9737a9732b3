//===- Engines.h - The three command queues of a core -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Takes descriptor lists, executes what is ready and keeps the queues' clocks.
// A queue starts its commands in order. It counts a command when that and all
// before it are complete.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_ENGINES_H
#define YARROW_SIMULATOR_DEVICE_ENGINES_H

#include "simulator/device/CoreState.h"
#include "simulator/device/Counters.h"
#include "simulator/device/ProgramMap.h"
#include "simulator/engine/Dma.h"
#include <array>
#include <deque>

namespace yarrow::sim {

class Engines {
public:
  /// Queues start at the core's cycle.
  Engines(CoreState &core, Counters &counters);

  /// Puts all that was loaded where others may look for it.
  ~Engines();
  /// For the TECs, which tell before they access SRAM.
  SramLoads &loads() { return core.tensor.loads(); }

  /// Copies must not write what is read-only in \p map.
  void setProgram(const ProgramMap &map) {
    regions.readOnly = map.readOnlyRanges();
    regions.constants = map.constants();
    useConstants(map.sramDataEnd());
    descriptorsAddress = map.descriptorsAddress();
  }
  /// Also if the queue is full: isFull() then.
  Fault submit(uint32_t queue, uint32_t address, uint32_t sizeBytes,
               uint64_t cycle);
  bool isFull() const { return overflows; }
  Fault setBase(uint32_t region, uint32_t address);
  /// What lists that are submitted later add to their waits.
  Fault setOrigin(uint32_t counter, uint32_t count);

  struct ReadyCommand {
    unsigned queue;
    uint64_t startCycle;
  };
  /// Of the commands at the heads of the queues whose waits are over, the one
  /// that starts first; none if all wait.
  Fault firstReady(std::optional<ReadyCommand> &command);
  /// Executes the head of a queue, which is ready.
  Fault execute(unsigned queue);

  /// The command of the last fault.
  FaultSite faultSite() const { return site; }
  /// The head of a queue.
  FaultSite siteOf(unsigned queue) const;

  /// To an observer that looks.
  void showMemory();

  bool isIdle() const;
  /// The heads of the queues, of which none is ready.
  std::vector<BlockedCommand> blocked() const;
  uint64_t lastCycle() const { return last; }

private:
  struct List {
    uint32_t address;
    uint32_t words;
    uint64_t submitCycle;
    isa::Waits origin;
  };
  struct Queue {
    std::deque<List> lists;
    uint32_t completed = 0;
    std::vector<uint64_t> channelFree;
    uint64_t lastStart = 0, lastCompletion = 0;
    /// The command at the front, decoded.
    bool hasHead = false;
    isa::AnyDescriptor head;
    isa::Waits headWaits; ///< From the list's origin on.
    uint32_t headWords = 0;
  };

  void useConstants(uint64_t sramDataEnd);
  Fault decodeHead(unsigned queue);
  uint64_t startCycle(const Queue &queue, uint64_t &ready) const;
  Fault runHead(unsigned queue);
  void account(unsigned queue);
  bool isStoppedBefore(unsigned queue);

  CoreState &core;
  Counters &counters;
  Regions regions;
  uint32_t descriptorsAddress = 0;
  isa::Waits origin = {};
  std::array<Queue, isa::kNumQueues> queues;
  uint64_t last = 0;
  bool overflows = false;
  FaultSite site;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_ENGINES_H
