//===- Timeline.h - When each command of a schedule runs --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// How long a scheduled network takes, by the machine's own costs of commands
// (isa/Cost.h) and its shared bus: what plans are compared by. Queues take
// their commands in order, as soon as what they wait for is done; that is what
// the simulator does as well, but for kernels, of which only the bytes that
// they touch are known here.
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
