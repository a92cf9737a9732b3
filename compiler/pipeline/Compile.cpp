//===- Compile.cpp - From integer IR to an executable ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "codegen/Emit.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/Tensors.h"
#include "dialects/npu/Commands.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/cleanup/Cleanup.h"
#include "passes/lower/Lower.h"
#include "passes/plan/Plan.h"
#include "passes/schedule/Schedule.h"
#include "support/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace yarrow;
using namespace mlir;

namespace {
/// How much SRAM resident tensors and tiles may claim, from the best case down
/// to plans that always fit because hardly anything shares the memory.
struct Attempt {
  double residentFraction, tileFraction;
};
constexpr Attempt kAttempts[] = {{0.75, 1.0},  {0.5, 1.0}, {0.5, 0.75},
                                 {0.25, 0.75}, {0, 0.75},  {0, 0.5},
                                 {0, 0.25}};
constexpr Attempt kPlainAttempts[] = {{0, 0.75}, {0, 0.5}, {0, 0.25}};

bool dump(ModuleOp module, const std::string &path,
          yarrow::DiagnosticEngine &diags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16).elideLargeResourceString(16);
  module->print(os, flags);
  return writeFile(path, text, diags);
}
} // namespace

OwningOpRef<ModuleOp> yarrow::compileToNpu(ModuleOp network,
                                           const isa::Machine &machine,
                                           const CompileOptions &options,
                                           CompileResult &result,
                                           DiagnosticEngine &diags) {
  llvm::ArrayRef<Attempt> attempts = kAttempts;
  if (!options.optimize)
    attempts = kPlainAttempts;
  for (const Attempt &attempt : attempts) {
    npu::LowerOptions lower;
    lower.fuseResidual = options.optimize;
    lower.stageKernels = options.optimize;
    lower.residentFraction = attempt.residentFraction;
    lower.tileFraction = attempt.tileFraction;
    OwningOpRef<ModuleOp> module =
        npu::lowerToNpu(network, machine, lower, diags);
    if (!module)
      return nullptr;
    npu::PlanOptions planOptions;
    planOptions.prefetch = options.optimize;
    npu::PlanResult plan = npu::planMemory(*module, machine, planOptions);
    if (!plan.fits)
      continue;
    npu::scheduleWaits(*module, machine);
    if (options.verifySchedule) {
      std::string violation = npu::verifySchedule(*module, machine);
      if (!violation.empty()) {
        diags
            .report(DiagId::CompileFailed, {},
                    "internal error: the schedule has a hazard")
            .found(violation);
        return nullptr;
      }
    }
    result = {plan.sramBytes, plan.weightBytes, plan.workspaceBytes, 0, 0};
    for (Operation &op : module->lookupSymbol<func::FuncOp>(npu::kMainFunction)
                             .getBody()
                             .front()) {
      result.commands += npu::descriptorOf(&op).has_value();
      result.kernels += llvm::isa<npu::KernelOp>(op);
    }
    return module;
  }
  diags
      .report(DiagId::CompileFailed, {},
              "no memory plan fits the SRAM of target " + machine.name)
      .found(std::to_string(machine.sramBytes) + " bytes of SRAM")
      .hint("this is a defect of the planner: layers that do not fit should "
            "have run from DDR");
  return nullptr;
}

/// Float layers run, but not as fast as somebody may expect who forgot to
/// quantize. Borders of a mixed network (Quantize, DeQuantize) do not count.
static void warnOfFloat(ModuleOp network, yarrow::DiagnosticEngine &diags) {
  unsigned numLayers = 0, numFloat = 0;
  Operation *first = nullptr;
  network.walk([&](compass::CompassOp layer) {
    Operation *op = layer;
    if (op->getNumOperands() == 0 || op->getNumResults() == 0)
      return;
    ++numLayers;
    if (!compass::describe(op->getOperand(0)).isFloat() ||
        !compass::describe(op->getResult(0)).isFloat())
      return;
    ++numFloat;
    first = first ? first : op;
  });
  if (first)
    diags
        .report(DiagId::CompileFloat, compass::placeOf(first->getLoc()),
                std::to_string(numFloat) + " of " + std::to_string(numLayers) +
                    " layers are float and run on the TECs alone; this is the "
                    "first")
        .hint("`yarrow quantize` makes integer IR, for which there is the "
              "tensor engine");
}

OwningOpRef<ModuleOp> yarrow::cleanNetwork(ModuleOp network,
                                           DiagnosticEngine &diags) {
  OwningOpRef<ModuleOp> cleaned = cast<ModuleOp>(network->clone());
  return runCleanup(*cleaned, diags) ? std::move(cleaned) : nullptr;
}

bool yarrow::compileNetwork(ModuleOp network, const isa::Machine &machine,
                            const CompileOptions &options,
                            const std::string &path, DiagnosticEngine &diags,
                            CompileResult *result) {
  if (!compass::checkExecutable(network, diags))
    return false;
  warnOfFloat(network, diags);
  if (machine.cores > 1)
    diags
        .report(DiagId::TargetPartlyUsed, {},
                "the executable uses one of the " +
                    std::to_string(machine.cores) + " cores of target " +
                    machine.name)
        .hint("cycles and the use of the MAC array are those of one core");
  CompileResult own;
  CompileResult &numbers = result ? *result : own;
  OwningOpRef<ModuleOp> cleaned;
  if (options.optimize) {
    cleaned = cleanNetwork(network, diags);
    if (!cleaned)
      return false;
    network = *cleaned;
  }
  OwningOpRef<ModuleOp> module =
      compileToNpu(network, machine, options, numbers, diags);
  if (!module)
    return false;
  if (!options.dumpNpuPath.empty() &&
      !dump(*module, options.dumpNpuPath, diags))
    return false;
  EmitInput emit{*module, network, machine, numbers.workspaceBytes,
                 options.optimize};
  return emitExecutable(emit, path, diags);
}
