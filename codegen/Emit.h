//===- Emit.h - From npu commands to an executable ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Encodes the scheduled commands, builds the TEC program and writes the
// executable with its provenance.
//
//   EmitInput input{npuModule, compassModule, machine};
//   if (!emitExecutable(input, "aipu.bin", diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_EMIT_H
#define YARROW_CODEGEN_EMIT_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"

namespace yarrow {

struct EmitInput {
  mlir::ModuleOp npu;     ///< planned and scheduled
  mlir::ModuleOp network; ///< where it came from: inputs, outputs, model name
  const isa::Machine &machine;
  uint64_t workspaceBytes = 0; ///< of the plan
  bool optimize = true;        ///< specialise kernels
};

/// False after errors; no file is left behind then. With an empty \p path
/// everything is built and nothing written.
bool emitExecutable(const EmitInput &input, const std::string &path,
                    DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_CODEGEN_EMIT_H
