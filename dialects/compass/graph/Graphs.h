//===- Graphs.h - The main graph and the sub-graphs of a module -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A network is a module with a function for its main graph and one for each
// sub-graph that an If or a Loop calls by its name. A function's inputs are
// its compass.input ops, its outputs are the operands of its return.
//
//   for (Value output : graphOutputs(mainGraph(module))) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_GRAPH_GRAPHS_H
#define YARROW_DIALECTS_COMPASS_GRAPH_GRAPHS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace yarrow::compass {

constexpr llvm::StringLiteral kMainGraph = "main";

/// Null if the module has none.
inline mlir::func::FuncOp mainGraph(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>(kMainGraph);
}
inline bool isMainGraph(mlir::func::FuncOp graph) {
  return graph.getName() == kMainGraph;
}

/// The tensors that a graph is given, in the order of their input_index.
llvm::SmallVector<mlir::Value> graphInputs(mlir::func::FuncOp graph);
mlir::OperandRange graphOutputs(mlir::func::FuncOp graph);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_GRAPH_GRAPHS_H
