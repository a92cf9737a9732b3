//===- Provenance.h - What the executable says about its origin -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The JSON of section .yarrow.provenance (docs/executable.md): which layer and
// IR line each descriptor and each TEC step came from, the tensors, the machine
// and the memory map.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_PROVENANCE_H
#define YARROW_CODEGEN_PROVENANCE_H

#include "codegen/Results.h"
#include "codegen/TecProgram.h"
#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include <array>

namespace yarrow {

/// Per queue, the layer index of each descriptor in order.
using QueueLayers = std::array<std::vector<int64_t>, isa::kNumQueues>;

struct ProvenanceInput {
  /// Several: one for each program, whose layers are numbered through.
  llvm::ArrayRef<mlir::ModuleOp> modules;
  const isa::Machine &machine;
  const QueueLayers &queueLayers;
  const std::vector<int64_t> &stepLayers;
  const CommandPlaces &places;
  const TecProgramInput &program;
  const TecProgram &built;
  uint64_t workspaceBytes; ///< Of a sample.
  uint32_t samples;
  const std::string &weightFile;
  llvm::ArrayRef<std::span<const std::byte>> weights;
};

std::string provenanceJson(const ProvenanceInput &input);

} // namespace yarrow

#endif // YARROW_CODEGEN_PROVENANCE_H
