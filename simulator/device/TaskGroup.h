//===- TaskGroup.h - The tasks of a group, run together -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One core's work: its TECs as co-routines and its engines between them.
// Execution alternates between two things:
//
// 1. Every TEC runs until it waits, signals or has ended. In which order the
//    host does that, and in slices of what size, is open (TecSchedule).
// 2. Of the signals given and the engine commands that are ready, the one that
//    began first is completed: it takes its share of the bus, counts, and may
//    let others go on. Ties go to the engines, then to the lower number.
//
// What comes next in 2 depends on cycles alone, since every TEC is at rest. So
// neither results nor cycles depend on the order in 1, unless TECs talk through
// memory without counters. One that spins on memory does not rest: when
// patience ends, the others go on without it.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_TASKGROUP_H
#define YARROW_SIMULATOR_DEVICE_TASKGROUP_H

#include "simulator/device/CoreState.h"
#include "simulator/device/TaskChain.h"
#include "simulator/engine/Fault.h"
#include <span>

namespace yarrow::sim {

/// Executes the tasks. On a fault, \p core is where execution came to.
Fault runTaskGroup(std::span<const TaskBlock> tasks, CoreState &core);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_TASKGROUP_H
