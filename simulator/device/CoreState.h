//===- CoreState.h - What stays from one group of tasks to the next -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The parts of a core that a group of tasks shares, and where its execution
// came to.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_CORESTATE_H
#define YARROW_SIMULATOR_DEVICE_CORESTATE_H

#include "isa/BusCalendar.h"
#include "isa/Machine.h"
#include "simulator/Memory.h"
#include "simulator/device/Deadlock.h"
#include "simulator/device/Observer.h"
#include "simulator/engine/Effort.h"
#include "simulator/engine/TensorEngine.h"

namespace yarrow::sim {

/// The order in which the host simulates TECs between two events. Neither
/// results nor cycles depend on it; tests vary it.
struct TecSchedule {
  /// A TEC lets others run, and its work is counted, after so many.
  uint64_t sliceInstructions = 1 << 18;
  /// 0: in the order of their numbers; else a seed of random orders.
  uint64_t seed = 0;
  /// So many without a wait or signal, about a second of the host, and a TEC is
  /// taken to wait for something in memory: others go on without it.
  uint64_t patienceInstructions = uint64_t(1) << 29;
};

struct CoreState {
  const isa::Machine &machine;
  Memory &memory;
  TensorEngine &tensor;
  isa::BusCalendar &bus;
  bool isTimed;
  ExecutionObserver *observer;
  Budget budget;
  uint64_t cycle; ///< When the group starts; then when it has ended.
  TecSchedule schedule = {};
  uint64_t instructions = 0;
  /// Commands and signals, each of which an observer may keep.
  uint64_t events = 0;
  FaultSite faultSite = {};
  Deadlock deadlock = {}; ///< If that is the fault.
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_CORESTATE_H
