//===- Graphs.cpp - The main graph and the sub-graphs of a module ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/GraphOps.h"

using namespace yarrow::compass;
using namespace mlir;

SmallVector<Value> yarrow::compass::graphInputs(func::FuncOp graph) {
  SmallVector<std::pair<int64_t, Value>> inputs;
  for (auto input : graph.getOps<InputOp>())
    inputs.push_back({input.getInputIndex(), input.getResult(0)});
  llvm::sort(inputs, llvm::less_first());
  return llvm::map_to_vector(inputs, [](auto &input) { return input.second; });
}

OperandRange yarrow::compass::graphOutputs(func::FuncOp graph) {
  return graph.getBody().front().getTerminator()->getOperands();
}
