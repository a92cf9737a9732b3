//===- Dispatcher.h - Groups of tasks onto cores ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Executes a chain of task control blocks. Its groups are dispatched in their
// order, each to the core that its blocks name: when that core is done with
// the group before, and when those are complete on which it depends, all
// earlier ones or the one before it. A group that waits holds up those behind
// it, so that a dependency on all earlier groups is a barrier.
//
//   Dispatcher dispatcher(cores, chain, observer);
//   Fault fault = dispatcher.run(firstBlock);
//
// Cores share the DDR bus. Of everything that could come next on any core, the
// one that began first is executed: neither bytes nor cycles depend on the
// host.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_DISPATCHER_H
#define YARROW_SIMULATOR_DEVICE_DISPATCHER_H

#include "simulator/device/CoreState.h"
#include "simulator/device/TaskChain.h"
#include "simulator/device/TaskGroup.h"

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

  /// Executes the chain whose first block is at \p address.
  Fault run(uint32_t address);

  /// Groups that are complete.
  uint32_t groups() const { return numEnded; }
  /// When the last of them was.
  uint64_t cycles() const { return lastEnd; }
  /// The last block that was read, where a driver appends; 0 before the first.
  uint32_t lastBlock() const { return last; }

private:
  struct Group {
    std::vector<TaskBlock> tasks;
    uint32_t number = 0;
    uint32_t core = 0;
  };
  Fault readGroup();
  bool canDispatch() const;
  Fault dispatch();
  Fault completeFirst();
  void endIfDone(uint32_t core);

  const Memory &memory() const { return cores[0].memory; }
  const isa::Machine &machine() const { return cores[0].machine; }

  std::span<CoreState> cores;
  ChainState &chain;
  ExecutionObserver *observer;

  uint32_t address = 0, last = 0, numBlocks = 0, numGroups = 0, numEnded = 0;
  std::optional<Group> waiting; ///< The next to be dispatched.
  struct Running {
    std::unique_ptr<TaskGroup> group; ///< Null: the core is free.
    uint32_t number = 0;
  };
  std::vector<Running> running; ///< By core.
  /// When the last group began, when the latest of all ended, and when the
  /// last one dispatched did.
  uint64_t lastStart = 0, lastEnd = 0, endOfPrevious = 0;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_DISPATCHER_H
