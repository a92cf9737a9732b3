//===- PlanPasses.cpp - Planning as passes --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Target.h"
#include "passes/PassDiagnostics.h"
#include "passes/Passes.h"
#include "passes/lower/Lower.h"
#include "passes/plan/ChoosePlan.h"
#include "passes/plan/Plan.h"
#include "support/diagnostics/Compiler.h"

using namespace yarrow;
using namespace mlir;

namespace yarrow {
#define GEN_PASS_DEF_PLANMEMORY
#define GEN_PASS_DEF_PLANTOFIT
#define GEN_PASS_DEF_VERIFYPLAN
#include "passes/Passes.h.inc"
} // namespace yarrow

namespace {

struct PlanMemory : yarrow::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto work = [&](const yarrow::isa::Machine &machine,
                    yarrow::DiagnosticEngine &diags) {
      if (!npu::planMemory(module, machine,
                           {npu::isEnabled(module, npu::Optimization::Prefetch)
                                ? npu::Prefetch::WhereRoom
                                : npu::Prefetch::None}))
        diags.report(diag::CompileFailed, {},
                     "the buffers do not fit the SRAM of " + machine.name);
    };
    if (failed(setTarget(module, target)) || failed(withMachine(module, work)))
      signalPassFailure();
  }
};

struct PlanToFit : yarrow::impl::PlanToFitBase<PlanToFit> {
  using PlanToFitBase::PlanToFitBase;

  void runOnOperation() override {
    auto work = [&](const yarrow::isa::Machine &machine,
                    yarrow::DiagnosticEngine &diags) {
      planToFit(machine, diags);
    };
    if (failed(withMachine(getOperation(), work)))
      signalPassFailure();
  }

private:
  void planToFit(const yarrow::isa::Machine &machine,
                 yarrow::DiagnosticEngine &diags) {
    if (npu::choosePlan(getOperation(), machine, cache, diags) ||
        diags.hasErrors())
      return;
    diags
        .report(diag::CompileFailed, {},
                "no memory plan fits the SRAM of target " + machine.name)
        .found(std::to_string(machine.sramBytes) + " bytes of SRAM")
        .hint("this is a defect of the planner: layers that do not fit should "
              "have run from DDR");
  }
};

struct VerifyPlan : yarrow::impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto work = [&](const yarrow::isa::Machine &machine,
                    yarrow::DiagnosticEngine &diags) {
      std::string violation = npu::verifyPlan(module, machine);
      if (!violation.empty())
        diags
            .report(diag::CompileFailed, {},
                    "internal error: the memory plan is wrong")
            .found(violation);
    };
    if (failed(withMachine(module, work)))
      signalPassFailure();
  }
};

} // namespace
