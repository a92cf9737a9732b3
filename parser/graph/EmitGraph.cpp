//===- EmitGraph.cpp - A graph as a function of layers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/EmitGraph.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/graph/Detection.h"
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// In the format's own order of axes.
static FailureOr<SmallVector<Value>> outputsOf(Emitter &emitter) {
  SmallVector<Value> outputs;
  for (const Tensor *output : emitter.graph.outputs) {
    emitter.build.setPlace(output->name + "_output", emitter.state.file,
                           "output " + output->name);
    Value value = emitter.plain(output);
    if (!value)
      return failure();
    emitter.build.nameLayers({value});
    outputs.push_back(value);
  }
  return outputs;
}

/// Notes where the tensors of the model are.
static void noteTensors(const Graph &graph, const Emitter &emitter,
                        const PassedOn &passedOn,
                        std::vector<ImportedTensor> &names) {
  auto note = [&](const Tensor *tensor, const Tensor *same,
                  const std::string &node) {
    if (!tensor)
      return;
    auto [value, isLast] = emitter.formOf(same);
    if (value)
      names.push_back(
          {tensor->name, node, compass::tensorNameOf(value),
           compass::layerNameOf(value.getDefiningOp()).str(),
           isLast && same->shape->size() > 2,
           // Layers have the IR's types by now.
           tensor->declaredType ? tensor->declaredType : tensor->type});
  };
  for (const Tensor *input : graph.inputs)
    note(input, input, "");
  for (const auto &node : graph.nodes)
    for (const Tensor *output : node->outputs)
      note(output, output, node->name);
  for (const PassedOnTensor &entry : passedOn)
    note(entry.tensor, entry.same, entry.node);
}

/// Of an input that is a state: what it becomes, and what it begins with.
static void markState(const Graph &graph, const Tensor *input, Value value,
                      Emitter &emitter) {
  for (const graph::State &state : graph.states) {
    if (state.past != input)
      continue;
    auto op = value.getDefiningOp<compass::InputOp>();
    op.setStateOutput(state.output);
    if (state.first)
      op.setStateInitialAttr(
          emitter.attribute(*state.first, {}, *input->shape));
  }
}

bool graph::emitGraph(const Graph &graph, StringRef name, ImportState &state,
                      ArrayRef<Tensor *> captured) {
  OpBuilder builder(&state.context);
  builder.setInsertionPointToEnd(state.module.getBody());
  auto func = func::FuncOp::create(builder, builder.getUnknownLoc(), name,
                                   builder.getFunctionType({}, {}));
  if (name != compass::kMainGraph)
    func->setAttr(compass::kHeaderAttr, builder.getArrayAttr({}));
  builder.setInsertionPointToEnd(func.addEntryBlock());
  Emitter emitter(state, builder, graph);
  SmallVector<Tensor *> inputs(graph.inputs.begin(), graph.inputs.end());
  inputs.append(captured.begin(), captured.end());
  for (auto [i, input] : llvm::enumerate(inputs)) {
    emitter.build.setPlace(input->name, state.file, "input " + input->name);
    Value value =
        emitter.build
            .declared("Input", {}, {{"input_index", int64_t(i)}},
                      {compass::plainType(&state.context, *input->shape,
                                          irElement(*input->type))})
            .front();
    emitter.build.nameLayers({value});
    markState(graph, input, value, emitter);
    emitter.define(input, value, false);
  }
  for (auto &node : graph.nodes)
    if (failed(emitNode(emitter, *node)))
      return false;
  auto outputs = name == compass::kMainGraph && state.detection
                     ? emitDetection(emitter, *state.detection)
                     : outputsOf(emitter);
  if (failed(outputs))
    return false;
  if (state.imported && name == compass::kMainGraph)
    noteTensors(graph, emitter, state.passedOn, *state.imported);
  func::ReturnOp::create(builder, builder.getUnknownLoc(), *outputs);
  func.setFunctionType(
      builder.getFunctionType({}, ValueRange(*outputs).getTypes()));
  return true;
}
