//===- Passes.h - Passes that need more than one stage ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What Passes.td declares.
//
//   pm.addPass(createEmitExecutable({.output = "aipu.bin"}));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_PASSES_H
#define YARROW_COMPILER_PIPELINE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace yarrow {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/pipeline/Passes.h.inc"

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_PASSES_H
