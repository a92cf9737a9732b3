//===- PlanKey.h - What the choice of a plan depends on ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Two networks that are lowered to the same commands on the same bytes have the
// same best plan, whatever their numbers are: weights, scales, bounds of clips,
// names. The exception is how well weights can be encoded.
//
//   std::string key = planKeyOf(module, func, machine);
//   uint64_t digest = constantsDigestOf(func);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PLAN_PLANKEY_H
#define YARROW_PASSES_PLAN_PLANKEY_H

#include "isa/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace yarrow::npu {

/// Of \p lowered, the machine, and what the module is compiled with.
std::string planKeyOf(mlir::ModuleOp module, mlir::func::FuncOp lowered,
                      const isa::Machine &machine);

/// Of the bytes of all its constants.
uint64_t constantsDigestOf(mlir::func::FuncOp lowered);

} // namespace yarrow::npu

#endif // YARROW_PASSES_PLAN_PLANKEY_H
