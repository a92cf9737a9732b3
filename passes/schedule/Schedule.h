//===- Schedule.h - Waits between the engines -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The engines and the TECs run in parallel, each in order. This pass finds
// every pair of accesses to the same bytes that must stay in order, and makes
// the later command wait for the completion counter of the unit of the earlier
// one.
//
//   scheduleWaits(npuModule, machine);
//   // each command has `waits`, counted from the beginning of its block
//   // (dialects/npu/ControlFlow.h)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_SCHEDULE_SCHEDULE_H
#define YARROW_PASSES_SCHEDULE_SCHEDULE_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/schedule/CommandTable.h"

namespace yarrow::npu {

void scheduleWaits(mlir::ModuleOp module, const isa::Machine &machine);
/// Those of a plan that is not in the module.
CommandWaits scheduleWaits(const CommandTable &table, const MemoryPlan &plan,
                           const isa::Machine &machine);

/// Checks independently that executing the queues in any interleaving that
/// respects the waits keeps every hazard in order, and that no wait can
/// deadlock. Returns a description of the first violation, or "".
std::string verifySchedule(mlir::ModuleOp module, const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_SCHEDULE_SCHEDULE_H
