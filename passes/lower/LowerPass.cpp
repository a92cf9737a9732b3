//===- LowerPass.cpp - Lowering as a pass ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Target.h"
#include "passes/PassDiagnostics.h"
#include "passes/Passes.h"
#include "passes/lower/Lower.h"

using namespace yarrow;
using namespace mlir;

namespace yarrow {
#define GEN_PASS_DEF_LOWERTONPU
#include "passes/Passes.h.inc"
} // namespace yarrow

namespace {
struct LowerToNpu : yarrow::impl::LowerToNpuBase<LowerToNpu> {
  using LowerToNpuBase::LowerToNpuBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!optimize)
      npu::setOptimized(module, false);
    if (failed(setTarget(module, target)))
      return signalPassFailure();
    auto lower = [&](const yarrow::isa::Machine &machine,
                     yarrow::DiagnosticEngine &diags) {
      npu::lowerToNpu(module, machine,
                      npu::lowerAttempts(npu::isOptimized(module)).front(),
                      diags);
    };
    if (failed(withMachine(module, lower)))
      signalPassFailure();
  }
};
} // namespace
