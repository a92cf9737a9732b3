//===- ProgramLists.h - Commands as lists and steps -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Collects the parts of a program from the ops of a lowered function:
// descriptors by queue, the steps of the TECs, and their blocks and decisions.
// Commands of a loop are stored once.
//
//   auto lists = collectLists(func, machine, program, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_PROGRAMLISTS_H
#define YARROW_CODEGEN_PROGRAMLISTS_H

#include "codegen/Provenance.h"
#include "codegen/TecProgramInput.h"
#include "isa/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/Diagnostics.h"

#include <optional>

namespace yarrow {

struct ProgramLists {
  std::vector<uint32_t> descriptors; ///< Note "desc", in words.
  QueueLayers queueLayers;
  std::vector<int64_t> stepLayers; ///< By step of the program.
  CommandPlaces places;
};

/// Each function is planned and scheduled. With several of them, each is a
/// variant of the program. Fills steps, groups and descriptorBytes of \p
/// program; layers are numbered through, those of a later function behind those
/// of all before. nullopt after errors: no command is written that its engine
/// would refuse.
std::optional<ProgramLists>
collectLists(llvm::ArrayRef<mlir::func::FuncOp> functions,
             const isa::Machine &machine, TecProgramInput &program,
             DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_CODEGEN_PROGRAMLISTS_H
