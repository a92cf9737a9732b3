//===- CoreState.h - What stays from one group of tasks to the next -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The parts of a core that a group of tasks shares, and those that all cores
// share while a chain is executed.
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

/// Of all cores, and where execution came to.
struct ChainState {
  explicit ChainState(uint64_t budgetUnits) : budget(budgetUnits) {}

  isa::BusCalendar bus;
  Budget budget;
  uint64_t instructions = 0;
  /// Commands and signals, each of which an observer may keep.
  uint64_t events = 0;
  FaultSite faultSite = {};
  Deadlock deadlock = {}; ///< If that is the fault.
};

struct CoreState {
  uint32_t number;
  const isa::Machine &machine;
  Memory &memory;
  TensorEngine &tensor;
  ChainState &chain;
  bool isTimed;
  ExecutionObserver *observer;
  TecSchedule schedule = {};
  uint64_t cycle = 0; ///< When the group starts; then when it has ended.
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_CORESTATE_H
