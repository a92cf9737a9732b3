//===- Timeline.h - When each command of a schedule runs --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Estimates the cycles of a scheduled network from the machine's costs of
// commands (isa/Cost.h) and its shared bus, to compare plans. Queues start
// their commands in order, as soon as their waits are over. The simulator does
// the same, except that only the bytes of kernels are known here.
//
//   npu::scheduleWaits(module, machine);
//   uint64_t cycles = npu::estimateCycles(module, machine);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_SCHEDULE_TIMELINE_H
#define YARROW_PASSES_SCHEDULE_TIMELINE_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/schedule/CommandTable.h"

#include <cstdint>

namespace yarrow::npu {

/// Of blocks that are left out or repeated, each is counted once.
uint64_t estimateCycles(mlir::ModuleOp module, const isa::Machine &machine);
/// Of a schedule that is not in the module; \p table has costs.
uint64_t estimateCycles(const CommandTable &table, const MemoryPlan &plan,
                        const CommandWaits &waits, const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_SCHEDULE_TIMELINE_H
