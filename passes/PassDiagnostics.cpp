//===- PassDiagnostics.cpp - Coded diagnostics out of a pass --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/PassDiagnostics.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/npu/Target.h"
#include "support/Cancellation.h"

using namespace yarrow;
using namespace mlir;

static constexpr const char *kDefaultTarget = "X2_1204";

LogicalResult yarrow::emitAll(const yarrow::DiagnosticEngine &diags,
                              ModuleOp module) {
  for (const yarrow::Diagnostic &d : diags.all())
    compass::emitDiagnostic(module.getContext(), d);
  return success(!diags.hasErrors());
}

LogicalResult yarrow::setTarget(ModuleOp module, StringRef option) {
  if (npu::hasMachine(module) && option.empty())
    return success();
  yarrow::DiagnosticEngine diags;
  if (auto machine = isa::findTarget(
          option.empty() ? kDefaultTarget : option.str(), diags))
    npu::setMachine(module, *machine);
  return emitAll(diags, module);
}

LogicalResult yarrow::withMachine(
    ModuleOp module,
    function_ref<void(const isa::Machine &, yarrow::DiagnosticEngine &)> work) {
  yarrow::DiagnosticEngine diags;
  if (std::optional<isa::Machine> machine = npu::machineOf(module, diags))
    if (!runWithinPause([&] { work(*machine, diags); }))
      return failure(); // whoever cancelled it knows
  return emitAll(diags, module);
}
