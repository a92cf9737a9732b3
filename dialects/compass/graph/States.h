//===- States.h - What a network keeps from run to run ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A state is an input of the main graph together with an output: the output's
// value is the input's value in the next run. Every pass sees an ordinary input
// and an ordinary output of the same type. Only code that runs a network, or
// places it on a device, uses this header. The network's caller neither gives
// the input nor gets the output.
//
//   %h = compass.input() {input_index = 1, state_output = 1} : ...
//   ...
//   return %y, %h_next : ...
//
//   for (const GraphState &state : graphStates(mainGraph(module)))
//     next[state.input] = results[state.output];
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_GRAPH_STATES_H
#define YARROW_DIALECTS_COMPASS_GRAPH_STATES_H

#include "dialects/compass/Tensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace yarrow::compass {

struct GraphState {
  mlir::Value past, present;  ///< Before a run, and behind it.
  unsigned input = 0;         ///< Of graphInputs().
  unsigned output = 0;        ///< Of graphOutputs().
  mlir::ElementsAttr initial; ///< Null: what stands for 0.
};

/// Those of a graph that verifies, in the order of its inputs.
llvm::SmallVector<GraphState> graphStates(mlir::func::FuncOp graph);

/// What the state stores before the first run.
std::vector<char> initialBytes(const GraphState &state);

/// What a caller gives and gets: inputs and outputs that are no ends of states.
llvm::SmallVector<unsigned> callerInputs(mlir::func::FuncOp graph);
llvm::SmallVector<unsigned> callerOutputs(mlir::func::FuncOp graph);
/// The values at these places.
llvm::SmallVector<mlir::Value> callerInputValues(mlir::func::FuncOp graph);
llvm::SmallVector<mlir::Value> callerOutputValues(mlir::func::FuncOp graph);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_GRAPH_STATES_H
