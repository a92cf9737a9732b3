//===- Target.h - What a module is compiled for -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A module on its way through the phases carries its machine, as the JSON of a
// machine file (npu.machine), and whether it is not to be optimized
// (npu.unoptimized). So the next phase can read what a phase has printed, and
// continue with the same result.
//
//   npu::setMachine(module, machine);
//   std::optional<isa::Machine> again = npu::machineOf(module, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_TARGET_H
#define YARROW_DIALECTS_NPU_TARGET_H

#include "dialects/npu/Optimizations.h"
#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"

namespace yarrow::npu {

void setMachine(mlir::ModuleOp module, const isa::Machine &machine);
bool hasMachine(mlir::ModuleOp module);
/// nullopt after diagnostics (TargetInvalid), also if the module has none.
std::optional<isa::Machine> machineOf(mlir::ModuleOp module,
                                      DiagnosticEngine &diags);

void setOptimized(mlir::ModuleOp module, bool optimize);
bool isOptimized(mlir::ModuleOp module);

/// What a module is to be compiled without, among what isOptimized() allows.
void setDisabled(mlir::ModuleOp module, llvm::ArrayRef<Optimization> disabled);
bool isEnabled(mlir::ModuleOp module, Optimization optimization);

/// Whether plans are chosen by the SRAM that they take, not by their cycles.
void setFootprint(mlir::ModuleOp module, bool isWanted);
bool isFootprintWanted(mlir::ModuleOp module);

/// What a planned module takes, in bytes.
struct MemoryUse {
  uint64_t sramBytes = 0, weightBytes = 0, workspaceBytes = 0;
};
MemoryUse memoryUseOf(mlir::ModuleOp module);

/// How many commands the engines and the TECs execute.
struct CommandCount {
  unsigned commands = 0, kernels = 0;
};
CommandCount countCommands(mlir::ModuleOp module);

} // namespace yarrow::npu

#endif // YARROW_DIALECTS_NPU_TARGET_H
