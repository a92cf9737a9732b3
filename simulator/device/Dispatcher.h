//===- Dispatcher.h - Groups of tasks onto cores ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Executes a chain of task control blocks. Its groups are dispatched in their
// order, each to the core that its blocks name, or in turn: when that core has
// finished the group before, and when the groups on which it depends are
// complete: all earlier ones, the one before it, or some by their numbers. A
// group that waits holds up the groups after it, so that a dependency on all
// earlier groups is a barrier.
//
//   Dispatcher dispatcher(cores, chain, observer);
//   Fault fault = dispatcher.run(blocks, mirror);
//
// Cores share the DDR bus. The simulator executes the event of any core that
// began first: neither bytes nor cycles depend on the host.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_DISPATCHER_H
#define YARROW_SIMULATOR_DEVICE_DISPATCHER_H

#include "simulator/device/CoreState.h"
#include "simulator/device/MemoryMirror.h"
#include "simulator/device/TaskChain.h"
#include "simulator/device/TaskGroup.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace yarrow::sim {

class Dispatcher {
public:
  /// \p cores are those of the chip, at least one.
  Dispatcher(std::span<CoreState> cores, ChainState &chain,
             ExecutionObserver *observer);

  /// Executes \p blocks, on the buffers of a driver that are in \p mirror, or
  /// on the device's own memory if that is null.
  Fault run(TaskChain &blocks, MemoryMirror *mirror);

  /// Groups that are complete.
  uint32_t groups() const { return numEnded; }
  /// When the last of them was.
  uint64_t cycles() const { return lastEnd; }
  /// What the driver calls all of it; 0 if its blocks do not tell.
  uint16_t grid() const { return gridId; }
  /// Where the program of the last group is, its header first.
  uint32_t textAddress() const { return text; }

private:
  struct Group {
    std::vector<TaskBlock> tasks;
    uint32_t number = 0;
    uint32_t core = 0;
  };
  Fault readGroup();
  Fault begin(const TaskBlock &init);
  void noteProfile(const Group &group);
  Fault end();
  bool canDispatch() const;
  Fault dispatch();
  Fault completeFirst();
  void endIfDone(uint32_t core);

  const isa::Machine &machine() const { return cores[0].machine; }

  std::span<CoreState> cores;
  ChainState &chain;
  ExecutionObserver *observer;

  TaskChain *blocks = nullptr;
  MemoryMirror *mirror = nullptr;
  uint32_t numGroups = 0, numEnded = 0;
  uint16_t gridId = 0;
  uint32_t text = 0;
  std::vector<uint32_t> profiles; ///< Where tasks want an isa::ProfileRecord.
  std::optional<Group> waiting;   ///< The next to be dispatched.
  struct Running {
    std::unique_ptr<TaskGroup> group; ///< Null: the core is free.
    uint32_t number = 0;
    uint32_t id = 0; ///< What others call it that await it.
  };
  std::vector<Running> running;       ///< By core.
  std::map<uint32_t, uint64_t> endOf; ///< By id.
  /// When the last group began, when the latest of all ended, and when the
  /// last one dispatched did.
  uint64_t lastStart = 0, lastEnd = 0, endOfPrevious = 0;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_DISPATCHER_H
