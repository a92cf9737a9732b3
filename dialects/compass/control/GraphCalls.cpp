//===- GraphCalls.cpp - Which tensors a call of a sub-graph joins ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/control/ControlOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "llvm/ADT/SetVector.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

func::FuncOp compass::calledGraph(Operation *op, StringRef key) {
  auto name = op->getAttrOfType<FlatSymbolRefAttr>(key);
  return name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name)
              : nullptr;
}

SmallVector<func::FuncOp> compass::calledGraphs(Operation *op) {
  if (isa<IfOp>(op))
    return {calledGraph(op, "then_branch"), calledGraph(op, "else_branch")};
  if (isa<LoopOp>(op))
    return {calledGraph(op, "body")};
  return {};
}

/// Graphs do not call themselves (verifyIf, verifyLoop): this ends.
static void addCalleesFirst(func::FuncOp graph,
                            llvm::SetVector<Operation *> &order) {
  if (order.contains(graph))
    return;
  for (Operation &op : graph.getBody().front())
    for (func::FuncOp callee : calledGraphs(&op))
      addCalleesFirst(callee, order);
  order.insert(graph);
}

SmallVector<func::FuncOp> compass::graphsCalleesFirst(ModuleOp module) {
  llvm::SetVector<Operation *> order;
  addCalleesFirst(mainGraph(module), order);
  return llvm::map_to_vector(
      order, [](Operation *graph) { return cast<func::FuncOp>(graph); });
}

SmallVector<PassedValue> compass::passedValues(Operation *op) {
  SmallVector<PassedValue> passed;
  if (isa<IfOp>(op)) {
    unsigned operand = 1;
    for (func::FuncOp graph : calledGraphs(op))
      for (Value input : graphInputs(graph))
        passed.push_back({operand++, input});
  } else if (isa<LoopOp>(op)) {
    for (auto [i, input] :
         llvm::enumerate(graphInputs(calledGraph(op, "body"))))
      if (i >= 2)
        passed.push_back({unsigned(i), input});
  }
  return passed;
}

SmallVector<SmallVector<Value>> compass::joinedTensors(Operation *op) {
  SmallVector<SmallVector<Value>> joined;
  if (isa<IfOp>(op)) {
    auto graphs = calledGraphs(op);
    for (auto [result, first, second] :
         llvm::zip_equal(op->getResults(), graphOutputs(graphs[0]),
                         graphOutputs(graphs[1])))
      joined.push_back({result, first, second});
  } else if (isa<LoopOp>(op)) {
    func::FuncOp body = calledGraph(op, "body");
    SmallVector<Value> inputs = graphInputs(body);
    auto carried = unsigned(intKey(op, keys::dependency_inputs_num));
    // The first output is whether to go on.
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      joined.push_back({result, graphOutputs(body)[1 + unsigned(i)]});
      if (i < carried)
        joined.back().push_back(inputs[2 + i]);
    }
  }
  return joined;
}
