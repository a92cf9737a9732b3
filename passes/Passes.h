//===- Passes.h - The passes of the compiler --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What Passes.td declares: a function to create each pass, its options, and
// their registration for yarrow-opt.
//
//   pm.addPass(createLowerToNpu({.target = "X2_1204"}));
//   pm.addPass(createPlanToFit());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PASSES_H
#define YARROW_PASSES_PASSES_H

#include "dialects/npu/Npu.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace yarrow {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace yarrow

#endif // YARROW_PASSES_PASSES_H
