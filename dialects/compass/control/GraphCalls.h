//===- GraphCalls.h - Which tensors a call of a sub-graph joins -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// If and Loop call sub-graphs, each with its own keys. Code that follows values
// through these calls asks here, and does not depend on the layer's type:
//
//   for (PassedValue passed : passedValues(op)) // operand 1 is input %a of @f
//     ... op->getOperand(passed.operand), passed.input ...
//   for (ArrayRef<Value> same : joinedTensors(op)) // result 0, outputs of @f,
//   @g
//     ... need one scale ...
//
// The calls are those of a verified module.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONTROL_GRAPHCALLS_H
#define YARROW_DIALECTS_COMPASS_CONTROL_GRAPHCALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace yarrow::compass {

/// The sub-graph that \p key of an If or a Loop names; null if there is none.
mlir::func::FuncOp calledGraph(mlir::Operation *op, llvm::StringRef key);

/// Those that \p op calls: none for layers without sub-graphs.
llvm::SmallVector<mlir::func::FuncOp> calledGraphs(mlir::Operation *op);

/// @main and all that are called from it, each behind those that it calls.
llvm::SmallVector<mlir::func::FuncOp> graphsCalleesFirst(mlir::ModuleOp module);

struct PassedValue {
  unsigned operand;  ///< Of the layer.
  mlir::Value input; ///< What the operand is in the sub-graph.
};
/// What the layer hands to its sub-graphs as it is. Not the count and the
/// condition of a Loop, of which the body gets numbers of its own.
llvm::SmallVector<PassedValue> passedValues(mlir::Operation *op);

/// One list for each result: the result, the outputs of sub-graphs that become
/// it, and, where it goes round a loop, what the body takes for it.
llvm::SmallVector<llvm::SmallVector<mlir::Value>>
joinedTensors(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CONTROL_GRAPHCALLS_H
