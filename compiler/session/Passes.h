//===- Passes.h - The steps before compilation as passes --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Declarations for Passes.td. A module of yarrow-opt has no calibration set,
// so these passes read one themselves.
//
//   pm.addPass(createQuantizeNetwork({.samples = "calibration.npy"}));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_PASSES_H
#define YARROW_COMPILER_SESSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace yarrow::session {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/session/Passes.h.inc"

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_PASSES_H
