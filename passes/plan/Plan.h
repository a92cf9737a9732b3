//===- Plan.h - Addresses for all buffers ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Gives every npu.buffer its address and moves the loads of each tile ahead of
// its use as far as the SRAM allows, which is what makes copies overlap with
// computation. Buffers whose lives do not overlap share memory.
//
//   PlanResult plan = planMemory(npuModule, machine, {});
//   if (!plan.fits) ... // lower again with less resident memory
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PLAN_PLAN_H
#define YARROW_PASSES_PLAN_PLAN_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"

namespace yarrow::npu {

struct PlanOptions {
  bool prefetch = true;
};

struct PlanResult {
  bool fits = false;
  uint64_t sramBytes = 0; ///< highest address used
  uint64_t weightBytes = 0;
  uint64_t workspaceBytes = 0;
};

/// Changes the order of loads and sets addresses. With fits == false the module
/// is left without addresses.
PlanResult planMemory(mlir::ModuleOp module, const isa::Machine &machine,
                      const PlanOptions &options);

} // namespace yarrow::npu

#endif // YARROW_PASSES_PLAN_PLAN_H
