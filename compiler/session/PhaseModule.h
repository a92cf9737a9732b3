//===- PhaseModule.h - A module after a phase -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What stops on its way (Phases.def) can be printed, and continued by
// yarrow-opt.
//
//   PhaseModule stopped = session::compileUntil(network, {}, "lower", call);
//   if (stopped.module)
//     print(moduleText(*stopped.module, ModuleForm::Brief));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_PHASEMODULE_H
#define YARROW_COMPILER_SESSION_PHASEMODULE_H

#include "compiler/forms/FormDecision.h"
#include "compiler/session/Network.h"

#include <memory>
#include <optional>

namespace yarrow::session {

struct PhaseModule {
  std::shared_ptr<const Network> constants; ///< Where they lie.
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< Null after errors.
  std::optional<FormDecision> forms;        ///< If they were to be chosen.
};

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_PHASEMODULE_H
