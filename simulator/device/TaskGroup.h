//===- TaskGroup.h - The tasks of a group, run together -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One core's work: its TECs as co-routines and its engines between them.
// Execution alternates between two things:
//
// 1. Every TEC runs until it waits, signals or has ended. In which order the
//    host does that, and in slices of what size, is open (TecSchedule).
// 2. The earliest of the given signals and the ready engine commands is
//    completed: it takes its share of the bus, counts, and can unblock others.
//    Ties go to the engines, then to the lower number.
//
// Step 2 depends on cycles alone, since every TEC is at rest. So neither
// results nor cycles depend on the order in 1, unless TECs communicate through
// memory without counters. A TEC that spins on memory does not rest: when
// patience ends, the others go on without it.
//
//   std::unique_ptr<TaskGroup> group;
//   Fault fault = TaskGroup::start(tasks, core, group);
//   while (!fault && !group->isEnded())
//     fault = group->completeNext();
//
// Several cores are executed side by side by completing the earliest event of
// all their groups: nextCycle() returns its time.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_TASKGROUP_H
#define YARROW_SIMULATOR_DEVICE_TASKGROUP_H

#include "isa/ElfLayout.h"
#include "simulator/device/Counters.h"
#include "simulator/device/Engines.h"
#include "simulator/device/TaskChain.h"

#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace yarrow::sim {

class TecRunner;

class TaskGroup {
public:
  /// Runs the tasks until all rest, from \p core's cycle on; \p core outlives
  /// the group. On a fault, core.chain is where execution came to; so it is
  /// with completeNext().
  static Fault start(std::span<const TaskBlock> tasks, CoreState &core,
                     std::unique_ptr<TaskGroup> &group);
  ~TaskGroup();

  /// All is done; core.cycle tells when.
  bool isEnded() const { return hasEnded; }
  /// When what completeNext() completes began.
  uint64_t nextCycle() const;
  /// Completes one command or signal, and runs the tasks until all rest.
  Fault completeNext();

private:
  TaskGroup(std::span<const TaskBlock> tasks, const isa::TextHeader &header,
            CoreState &core);
  Fault rest();
  Fault runTecs();
  Fault findNext();
  Fault completeCommand(unsigned queue);
  Fault countEvent();
  Fault deadlock();
  bool canAnyRun() const;
  void end();

  CoreState &core;
  Counters counters;
  Engines engines;
  std::vector<std::unique_ptr<TecRunner>> runners;
  std::vector<TecRunner *> order;
  std::mt19937_64 random;
  /// What comes next: one of both, or neither while a TEC spins.
  std::optional<Engines::ReadyCommand> nextCommand;
  TecRunner *nextSignaller = nullptr;
  bool hasEnded = false;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_TASKGROUP_H
