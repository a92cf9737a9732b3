//===- StopConditions.h - Where a run is to stop ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Breakpoints, and how far a run goes until it stops again. The caller
// (Stepper.h) passes the run's next point, one after the other:
//
//   StopConditions conditions;
//   conditions.add({.kind = Breakpoint::Layer, .layer = 3});
//   conditions.step(StepUnit::Command);
//   if (std::optional<StopReason> reason = conditions.check(point)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_STOPCONDITIONS_H
#define YARROW_RUNTIME_STOPCONDITIONS_H

#include "isa/Descriptors.h"
#include "runtime/Provenance.h"

#include <atomic>
#include <optional>
#include <vector>

namespace yarrow::runtime {

/// What a run does next: a command of an engine, or an instruction of a TEC.
struct RunPoint {
  bool isInstruction = false;
  uint32_t core = 0;
  /// The engine's command, or the TEC's step; nothing where that is not known.
  std::optional<CommandId> command = {};
  int64_t layer = -1;
  /// It is an engine's command, or where the first TEC of a core begins to
  /// compute a step: behind its waits.
  bool beginsCommand = false;
  /// The first command that computes the layer; also when a loop comes back.
  bool beginsLayer = false;
  uint64_t cycle = 0;
  const isa::AnyDescriptor *descriptor = nullptr; ///< Of an engine's command.
  uint32_t tec = 0, pc = 0, stackPointer = 0;     ///< Of an instruction.
};

struct Breakpoint {
  enum Kind : uint8_t { Layer, Command, Address } kind = Layer;
  int64_t layer = -1;
  CommandId command = {};
  uint32_t address = 0;
  bool isTemporary = false; ///< It goes when it was hit.
  unsigned number = 0;      ///< From 1 on, never given again.
  uint64_t hits = 0;
};

struct StopReason {
  enum Kind : uint8_t { Step, Breakpoint, Finish, Interrupt } kind = Step;
  unsigned breakpoint = 0; ///< Its number.
};

enum class StepUnit : uint8_t { Layer, Command, Instruction };

class StopConditions {
public:
  /// Returns its number.
  unsigned add(Breakpoint breakpoint);
  bool erase(unsigned number);
  void eraseAll() { points.clear(); }
  const std::vector<Breakpoint> &breakpoints() const { return points; }

  // How far to go. Each replaces the one before; a stop ends it.
  void goOn() { goal = {}; }
  /// Before the \p count-th next layer or command that begins, or instruction:
  /// of \p tec, unless that is kAnyTec.
  void step(StepUnit unit, uint64_t count = 1, uint32_t tec = kAnyTec);
  /// Behind the call that is at \p point, of the same TEC.
  void stepOver(const RunPoint &point);
  /// Before the next command behind the last of \p layer.
  void finish(int64_t layer);
  /// All commands of \p layer are done.
  void layerDone(int64_t layer);
  /// At the next point. May come from a signal handler.
  void interrupt() { isInterrupted = true; }
  void forgetInterrupt() { isInterrupted = false; }

  /// Whether the run stops before \p point.
  std::optional<StopReason> check(const RunPoint &point);

  static constexpr uint32_t kAnyTec = UINT32_MAX;

private:
  struct Goal {
    enum Kind : uint8_t { None, Step, Over, Finish, Done } kind = None;
    StepUnit unit = StepUnit::Command;
    uint64_t count = 0;
    uint32_t tec = kAnyTec;
    uint32_t pc = 0, stackPointer = 0;
    int64_t layer = -1;
  };
  std::optional<StopReason> hitBreakpoint(const RunPoint &point);
  bool isReached(const RunPoint &point);

  std::vector<Breakpoint> points;
  unsigned lastNumber = 0;
  Goal goal;
  std::atomic<bool> isInterrupted = false;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_STOPCONDITIONS_H
