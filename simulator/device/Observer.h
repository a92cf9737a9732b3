//===- Observer.h - What a run did, as it happens ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reports and traces are made of these events. Cycles are zero unless the
// device is timed; everything else is the same in both modes.
//
//   struct Macs : ExecutionObserver {
//     uint64_t total = 0;
//     void engineCommand(const EngineEvent &e) override {
//       total += e.cost.macs;
//     }
//   };
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_OBSERVER_H
#define YARROW_SIMULATOR_DEVICE_OBSERVER_H

#include "isa/Cost.h"
#include "isa/Descriptors.h"
#include "simulator/Memory.h"
#include "simulator/tec/Tec.h"
#include <cstdint>
#include <optional>
#include <span>

namespace yarrow::sim {

/// A command that an engine has completed.
struct EngineEvent {
  uint32_t core;
  isa::Unit queue;
  uint32_t ordinal; ///< n-th command of its queue in this group, from 0.
  uint32_t channel; ///< Of a DMA queue with several.
  /// Where the program's descriptors have it: which command of the program it
  /// is, also if it is executed again and again.
  uint32_t descriptorOffset;
  const isa::AnyDescriptor *descriptor;
  isa::CommandCost cost;
  uint64_t readyCycle; ///< When its waits were satisfied.
  uint64_t startCycle, endCycle;
};

/// What a TEC did between a wait (or its last signal) and a signal.
struct TecEvent {
  uint32_t core;
  uint32_t tec; ///< Those of all cores are numbered through.
  /// Which step of the program it was, from 0: as CSR step told, or the n-th
  /// signal of this TEC.
  uint32_t step;
  uint64_t startCycle, endCycle;
  uint64_t instructions; ///< Counted in timed mode only.
  uint64_t ddrReadBytes, ddrWrittenBytes;
  uint64_t sramReadBytes, sramWrittenBytes;
};

/// Which part of the machine a fault came from.
struct FaultSite {
  enum Kind : uint8_t { Elsewhere, Engine, Tec };
  enum Cause : uint8_t {
    Program,  ///< What it told the machine to do makes no sense.
    Memory,   ///< It accessed what it must not.
    Deadlock, ///< Nothing can go on; kind is Elsewhere.
    Budget,   ///< Too much work for the host.
    Limit,    ///< More commands, lists or signals than a device takes.
    Stopped,  ///< No fault: an observer asked for it.
    Device,   ///< No program's: the device itself failed.
  };
  Kind kind = Elsewhere;
  Cause cause = Program;
  uint32_t core = 0;
  isa::Unit queue = isa::Unit::TensorEngine; ///< Engine.
  uint32_t tec = 0;                          ///< Tec; numbered through.
  uint32_t ordinal = 0; ///< Of the command in its queue, or the TEC's step.
  uint32_t descriptorOffset = 0; ///< Engine: which command that is.
  uint32_t pc = 0;               ///< Tec.
};

/// A command that nothing keeps from starting.
struct StartingCommand {
  FaultSite site;
  const isa::AnyDescriptor *descriptor;
  uint64_t startCycle; ///< Timed only.
};

/// What a core sees, between two events.
struct CoreView {
  uint32_t core;
  const Memory &memory;
  /// Where the regions of the DDR begin, as far as the program has said so.
  std::span<const std::optional<uint32_t>> bases;
};

class ExecutionObserver {
public:
  virtual ~ExecutionObserver() = default;
  /// A group of tasks begins on its core; ordinals and steps start again.
  virtual void groupStarted(uint32_t group, uint64_t cycle) {}
  virtual void engineCommand(const EngineEvent &event) {}
  virtual void tecStep(const TecEvent &event) {}
  virtual void groupEnded(uint32_t group, uint64_t cycle) {}

  /// Whether lookAt() is for use. The host then copies what it would not.
  virtual bool looks() const { return false; }
  /// The memory right after an engineCommand() or tecStep().
  virtual void lookAt(const CoreView &view) {}

  /// A TEC begins a task; those of all cores are numbered through. What it
  /// returns, unless null, watches the TEC until tecDone().
  virtual TecWatcher *watchTec(uint32_t number, const Tec &tec) {
    return nullptr;
  }
  virtual void tecDone(uint32_t number) {}
  /// True to stop the run before a command that is the next to start. The
  /// memory is up to date if the observer looks().
  virtual bool stopsBefore(const StartingCommand &command,
                           const CoreView &view) {
    return false;
  }
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_OBSERVER_H
