//===- Target.cpp - What a module is compiled for -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Target.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/diagnostics/Settings.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

static constexpr llvm::StringLiteral kMachineAttr = "npu.machine";
static constexpr llvm::StringLiteral kUnoptimizedAttr = "npu.unoptimized";
static constexpr llvm::StringLiteral kDisabledAttr = "npu.disabled";
static constexpr llvm::StringLiteral kFootprintAttr = "npu.footprint";

void npu::setMachine(ModuleOp module, const isa::Machine &machine) {
  module->setAttr(kMachineAttr,
                  StringAttr::get(module.getContext(), machine.toJson()));
}

bool npu::hasMachine(ModuleOp module) {
  return module->hasAttrOfType<StringAttr>(kMachineAttr);
}

std::optional<isa::Machine> npu::machineOf(ModuleOp module,
                                           yarrow::DiagnosticEngine &diags) {
  auto json = module->getAttrOfType<StringAttr>(kMachineAttr);
  if (json)
    return isa::parseMachine(json.getValue(), kMachineAttr.str(), diags);
  diags.report(diag::TargetInvalid, {}, "the module does not name its machine")
      .expected("the attribute " + kMachineAttr.str())
      .hint("run --yarrow-lower first: it sets the attribute");
  return std::nullopt;
}

void npu::setOptimized(ModuleOp module, bool optimize) {
  if (optimize)
    module->removeAttr(kUnoptimizedAttr);
  else
    module->setAttr(kUnoptimizedAttr, UnitAttr::get(module.getContext()));
}

bool npu::isOptimized(ModuleOp module) {
  return !module->hasAttr(kUnoptimizedAttr);
}

void npu::setDisabled(ModuleOp module, ArrayRef<Optimization> disabled) {
  SmallVector<Attribute> names;
  for (const OptimizationRecord &record : kOptimizations)
    if (llvm::is_contained(disabled, record.id))
      names.push_back(StringAttr::get(module.getContext(), record.name));
  if (names.empty())
    module->removeAttr(kDisabledAttr);
  else
    module->setAttr(kDisabledAttr, ArrayAttr::get(module.getContext(), names));
}

bool npu::isEnabled(ModuleOp module, Optimization optimization) {
  if (!isOptimized(module))
    return false;
  auto names = module->getAttrOfType<ArrayAttr>(kDisabledAttr);
  return !names || llvm::none_of(names, [&](Attribute name) {
    return findOptimization(cast<StringAttr>(name).getValue()) == optimization;
  });
}

void npu::setFootprint(ModuleOp module, bool isWanted) {
  if (isWanted)
    module->setAttr(kFootprintAttr, UnitAttr::get(module.getContext()));
  else
    module->removeAttr(kFootprintAttr);
}

bool npu::isFootprintWanted(ModuleOp module) {
  return module->hasAttr(kFootprintAttr);
}

MemoryUse npu::memoryUseOf(ModuleOp module) {
  MemoryUse use;
  auto func = module.lookupSymbol<func::FuncOp>(kMainFunction);
  for (auto buffer : func.getOps<BufferOp>()) {
    bool isConstant = buffer.getRegion() == isa::kWeightRegion;
    if (!buffer.getAddress() || (buffer->use_empty() && !isConstant))
      continue;
    uint64_t end =
        uint64_t(*buffer.getAddress()) + uint64_t(buffer.getSizeBytes());
    if (buffer.getRegion() == isa::kSramRegion)
      use.sramBytes = std::max(use.sramBytes, end);
    else if (isConstant)
      use.weightBytes =
          std::max(use.weightBytes, llvm::alignTo(end, isa::kBufferAlignBytes));
    else if (buffer.getRegion() == isa::kWorkspaceRegion)
      use.workspaceBytes = std::max(use.workspaceBytes, end);
  }
  return use;
}

CommandCount npu::countCommands(ModuleOp module) {
  CommandCount count;
  auto func = module.lookupSymbol<func::FuncOp>(kMainFunction);
  forEachCommand(func, [&](Operation *op) {
    std::optional<Unit> unit = unitOf(op);
    count.kernels += unit == Unit::Tec;
    count.commands += unit && isa::isQueue(*unit);
  });
  return count;
}
