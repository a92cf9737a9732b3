//===- TaskGroup.h - The tasks of a group, run together -------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One core's work: its TECs as co-routines and its engines between them. TECs
// run in the order of their numbers until each waits or ends, then engines run
// what has become ready, until nothing is left. The order is always the same.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_TASKGROUP_H
#define YARROW_SIMULATOR_DEVICE_TASKGROUP_H

#include "simulator/device/Engines.h"
#include "simulator/device/TaskChain.h"
#include "simulator/tec/Tec.h"
#include <memory>
#include <span>
#include <vector>

namespace yarrow::sim {

/// What stays from one group to the next.
struct CoreState {
  const isa::Machine &machine;
  Memory &memory;
  TensorEngine &tensor;
  BusCalendar &bus;
  bool isTimed;
  ExecutionObserver *observer;
  uint64_t budget; ///< Instructions left; what engines do counts as well.
  uint64_t cycle;  ///< When the group starts; then when it has ended.
  uint64_t instructions = 0;
  FaultSite faultSite;
};

/// Executes the tasks. On a fault, \p core is where execution came to.
Fault runTaskGroup(std::span<const TaskBlock> tasks, CoreState &core);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_TASKGROUP_H
