//===- Compile.h - From integer IR to an executable -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The phases after quantization, in order: clean-up, lower, plan, schedule,
// emit. If the memory plan does not fit, lowering starts again with less memory
// for tensors that stay in SRAM.
//
//   CompileOptions options;
//   if (!compileNetwork(module, machine, options, "aipu.bin", diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_COMPILE_H
#define YARROW_COMPILER_PIPELINE_COMPILE_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/Diagnostics.h"
#include <string>

namespace yarrow {

struct CompileOptions {
  /// Off: no clean-up, no fusion, no tensors kept in SRAM, no prefetch, kernels
  /// as they are.
  bool optimize = true;
  /// Check the schedule with the independent verifier (quadratic).
  bool verifySchedule = false;
  /// If not empty, the npu module is written there as text after scheduling.
  std::string dumpNpuPath;
};

/// Numbers of a finished compilation.
struct CompileResult {
  uint64_t sramBytes = 0, weightBytes = 0, workspaceBytes = 0;
  unsigned commands = 0, kernels = 0;
};

/// Lowers, plans and schedules; null after errors.
mlir::OwningOpRef<mlir::ModuleOp> compileToNpu(mlir::ModuleOp network,
                                               const isa::Machine &machine,
                                               const CompileOptions &options,
                                               CompileResult &result,
                                               DiagnosticEngine &diags);

/// A copy of the network without layers that only move values back and forth.
/// Integer layers keep every bit. Null after errors.
mlir::OwningOpRef<mlir::ModuleOp> cleanNetwork(mlir::ModuleOp network,
                                               DiagnosticEngine &diags);

/// The whole way to a file; with an empty \p path nothing is written. False
/// after errors.
bool compileNetwork(mlir::ModuleOp network, const isa::Machine &machine,
                    const CompileOptions &options, const std::string &path,
                    DiagnosticEngine &diags, CompileResult *result = nullptr);

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_COMPILE_H
