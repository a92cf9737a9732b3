//===- Emit.h - From npu commands to an executable ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Encodes the scheduled commands, builds the TEC program and writes the
// executable with its provenance.
//
//   if (!emitExecutable(module, machine, "aipu.bin", diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_EMIT_H
#define YARROW_CODEGEN_EMIT_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"
#include <optional>
#include <string>

namespace yarrow {

struct EmitOptions {
  std::string cache = {}; ///< See support/BuildCache.h.
  /// For which a run of the executable computes; each has the network's shapes,
  /// and inputs and outputs have as many along their first axis.
  uint32_t samples = 1;
  bool hasProfile = false; ///< Applications get cycles from a run.
  /// The name of a file beside the executable that has the constants; empty:
  /// they are in the executable.
  std::string weightFile = {};
  /// To be run and forgotten (TecProgramInput).
  bool isTrial = false;
};

/// Each of \p modules is the network with its @npu_main, planned and scheduled.
/// Several are the same network for inputs of several shapes, ascending: the
/// file has a program for each, and the shapes of a run's inputs choose. False
/// after errors; no file is left behind then. With an empty \p path everything
/// is built and nothing written.
bool emitExecutable(llvm::ArrayRef<mlir::ModuleOp> modules,
                    const isa::Machine &machine, const std::string &path,
                    const EmitOptions &options, DiagnosticEngine &diags);
/// The same file in memory; nullopt instead of false.
std::optional<std::string>
executableInMemory(llvm::ArrayRef<mlir::ModuleOp> modules,
                   const isa::Machine &machine, const EmitOptions &options,
                   DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_CODEGEN_EMIT_H
