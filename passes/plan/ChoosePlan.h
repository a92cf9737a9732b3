//===- ChoosePlan.h - The fastest plan --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lowers and plans a network in several ways, schedules each, and keeps the
// plan with the fewest cycles by the machine's costs
// (passes/schedule/Timeline.h). The order and number of the trials depend only
// on the network, so the result is the same every time.
//
//   if (npu::choosePlan(module, machine, "", diags)) ... // @npu_main has
//   addresses
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PLAN_CHOOSEPLAN_H
#define YARROW_PASSES_PLAN_CHOOSEPLAN_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"
#include <string>

namespace yarrow::npu {

/// \p module comes lowered for the first of lowerAttempts. False after errors,
/// and without one if no plan fits. \p cache is a folder where the result of
/// the search is kept, for networks that are lowered to the same commands; or
/// "".
bool choosePlan(mlir::ModuleOp module, const isa::Machine &machine,
                const std::string &cache, DiagnosticEngine &diags);

} // namespace yarrow::npu

#endif // YARROW_PASSES_PLAN_CHOOSEPLAN_H
