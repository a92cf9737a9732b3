//===- SchedulePasses.cpp - Scheduling as passes --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/PassDiagnostics.h"
#include "passes/Passes.h"
#include "passes/schedule/Schedule.h"
#include "support/diagnostics/Compiler.h"

using namespace yarrow;
using namespace mlir;

namespace yarrow {
#define GEN_PASS_DEF_SCHEDULEWAITS
#define GEN_PASS_DEF_VERIFYSCHEDULE
#include "passes/Passes.h.inc"
} // namespace yarrow

namespace {

struct ScheduleWaits : yarrow::impl::ScheduleWaitsBase<ScheduleWaits> {
  void runOnOperation() override {
    auto work = [&](const yarrow::isa::Machine &machine,
                    yarrow::DiagnosticEngine &) {
      npu::scheduleWaits(getOperation(), machine);
    };
    if (failed(withMachine(getOperation(), work)))
      signalPassFailure();
  }
};

struct VerifySchedule : yarrow::impl::VerifyScheduleBase<VerifySchedule> {
  void runOnOperation() override {
    auto work = [&](const yarrow::isa::Machine &machine,
                    yarrow::DiagnosticEngine &diags) {
      std::string violation = npu::verifySchedule(getOperation(), machine);
      if (!violation.empty())
        diags
            .report(diag::CompileFailed, {},
                    "internal error: the schedule has a hazard")
            .found(violation);
    };
    if (failed(withMachine(getOperation(), work)))
      signalPassFailure();
  }
};

} // namespace
