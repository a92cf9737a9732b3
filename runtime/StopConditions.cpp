//===- StopConditions.cpp - Where a run is to stop ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/StopConditions.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

unsigned StopConditions::add(Breakpoint breakpoint) {
  breakpoint.number = ++lastNumber;
  points.push_back(breakpoint);
  return lastNumber;
}

bool StopConditions::erase(unsigned number) {
  return std::erase_if(points, [&](const Breakpoint &b) {
           return b.number == number;
         }) != 0;
}

void StopConditions::step(StepUnit unit, uint64_t count, uint32_t tec) {
  goal = {
      .kind = Goal::Step, .unit = unit, .count = std::max<uint64_t>(count, 1)};
  goal.tec = tec;
}

void StopConditions::stepOver(const RunPoint &point) {
  goal = {.kind = Goal::Over,
          .tec = point.tec,
          .pc = point.pc + 4,
          .stackPointer = point.stackPointer};
}

void StopConditions::finish(int64_t layer) {
  goal = {.kind = Goal::Finish, .layer = layer};
}

void StopConditions::layerDone(int64_t layer) {
  if (goal.kind == Goal::Finish && goal.layer == layer)
    goal.kind = Goal::Done;
}

static bool isAt(const Breakpoint &b, const RunPoint &point) {
  switch (b.kind) {
  case Breakpoint::Layer:
    return point.beginsLayer && point.layer == b.layer;
  case Breakpoint::Command:
    return point.beginsCommand && point.command == b.command;
  case Breakpoint::Address:
    return point.isInstruction && point.pc == b.address;
  }
  return false;
}

std::optional<StopReason> StopConditions::hitBreakpoint(const RunPoint &point) {
  std::optional<StopReason> reason;
  for (Breakpoint &b : points)
    if (isAt(b, point)) {
      ++b.hits;
      if (!reason)
        reason = {StopReason::Breakpoint, b.number};
    }
  if (reason)
    std::erase_if(points, [&](const Breakpoint &b) {
      return b.isTemporary && isAt(b, point);
    });
  return reason;
}

/// A recursion's inner calls return there, too, with less of the stack free.
static bool isAfterCall(const RunPoint &point, uint32_t pc, uint32_t sp) {
  return point.pc == pc && point.stackPointer >= sp;
}

bool StopConditions::isReached(const RunPoint &point) {
  switch (goal.kind) {
  case Goal::None:
  case Goal::Finish:
    return false;
  case Goal::Done:
    return point.beginsCommand;
  case Goal::Over:
    return point.isInstruction && point.tec == goal.tec &&
           isAfterCall(point, goal.pc, goal.stackPointer);
  case Goal::Step:
    break;
  }
  bool isOne = goal.unit == StepUnit::Layer ? point.beginsLayer
               : goal.unit == StepUnit::Command
                   ? point.beginsCommand
                   : point.isInstruction &&
                         (goal.tec == kAnyTec || goal.tec == point.tec);
  return isOne && --goal.count == 0;
}

std::optional<StopReason> StopConditions::check(const RunPoint &point) {
  bool isFinished = goal.kind == Goal::Done;
  // Both, as the goal counts and a breakpoint's hits do.
  std::optional<StopReason> reason = hitBreakpoint(point);
  bool reached = isReached(point);
  if (!reason && reached)
    reason = {isFinished ? StopReason::Finish : StopReason::Step};
  if (isInterrupted.exchange(false) && !reason)
    reason = {StopReason::Interrupt};
  if (reason)
    goOn();
  return reason;
}
