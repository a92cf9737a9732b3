//===- Control.cpp - If and Loop ------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A sub-graph becomes a function that is given what it reads from outside. Its
// shapes are found when the node is emitted for trial, its layers made when the
// node is emitted.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Bind.h"
#include "parser/graph/EmitGraph.h"
#include "parser/graph/Fold.h"
#include "parser/graph/Layout.h"
#include "parser/graph/OperatorTable.h"
#include <algorithm>
#include <limits>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// The sub-graph in attribute \p key; reports a node without it.
static Graph *bodyOf(NodeEmitter &n, const char *key) {
  const graph::Attribute *a = n.node.attribute(key);
  if (a && a->graph)
    return a->graph.get();
  (void)n.bad("the node has no sub-graph", "no attribute", key);
  return nullptr;
}

/// What \p body reads of the graphs around it.
static std::vector<Tensor *> capturedBy(const Graph &body) {
  Node holder;
  holder.attributes["body"].graph = std::shared_ptr<Graph>(
      std::shared_ptr<Graph>(), const_cast<Graph *>(&body));
  return readBy(holder);
}

/// Shapes within the body for trial, its function otherwise. "" after errors.
static std::string makeBody(NodeEmitter &n, Graph &body,
                            ArrayRef<Tensor *> captured) {
  ImportState &state = n.emitter.state;
  std::string name = "subgraph_" + std::to_string(state.numSubgraphs++);
  if (n.emitter.isTrial) {
    body.file = state.file;
    if (!foldBody(body, captured, state))
      return "";
    return name;
  }
  dropUnused(body);
  chooseLayouts(body);
  return emitGraph(body, name, state, captured) ? name : "";
}

static SmallVector<Value> valuesOf(NodeEmitter &n, ArrayRef<Tensor *> tensors) {
  SmallVector<Value> values;
  for (Tensor *tensor : tensors)
    values.push_back(n.emitter.plain(tensor));
  return values;
}

static Type typeOf(NodeEmitter &n, const Tensor &tensor) {
  return compass::plainType(n.build.builder.getContext(), *tensor.shape,
                            irElement(*tensor.type));
}

LogicalResult graph::emitIf(NodeEmitter &n) {
  Graph *branches[] = {bodyOf(n, "then_branch"), bodyOf(n, "else_branch")};
  if (!branches[0] || !branches[1])
    return failure();
  SmallVector<Value> operands = {n.plain(0)};
  std::string names[2];
  int64_t counts[2];
  for (size_t i : {0, 1}) {
    std::vector<Tensor *> captured = capturedBy(*branches[i]);
    names[i] = makeBody(n, *branches[i], captured);
    if (names[i].empty())
      return failure();
    operands.append(valuesOf(n, captured));
    counts[i] = int64_t(captured.size());
    if (branches[i]->outputs.size() != n.node.outputs.size())
      return n.bad("a branch has a wrong number of outputs",
                   std::to_string(branches[i]->outputs.size()),
                   std::to_string(n.node.outputs.size()));
  }
  SmallVector<Type> types;
  for (size_t i = 0; i < n.node.outputs.size(); ++i) {
    const Tensor *a = branches[0]->outputs[i], *b = branches[1]->outputs[i];
    types.push_back(typeOf(n, *a));
    if (types.back() != typeOf(n, *b))
      return n.refuse("branches with results of different shapes or types are "
                      "not supported",
                      shapeText(*a->shape) + " and " + shapeText(*b->shape),
                      "the same shape and type");
  }
  SmallVector<Value> results =
      n.build.declared("If", operands,
                       {{"then_branch", names[0]},
                        {"else_branch", names[1]},
                        {"then_branch_inputs_num", counts[0]},
                        {"else_branch_inputs_num", counts[1]}},
                       types);
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(n.outPlain(i, result)))
      return failure();
  return success();
}

/// The most rounds of a loop, and the value that says so.
static FailureOr<int64_t> rounds(NodeEmitter &n) {
  constexpr int64_t kMost = 65535;
  int64_t count = n.emitter.state.mostTrips;
  if (const Constant *c = n.constant(0)) {
    count = c->integerAt(0);
    // "As long as the condition holds" is written as the largest number.
    if (count > kMost)
      count = n.emitter.state.mostTrips;
  }
  if (count >= 1)
    return count;
  return n.refuse("a loop without iterations is not supported",
                  std::to_string(count), "one iteration or more");
}

/// Whether no round changes the condition to go on.
static bool keepsCondition(const Graph &body) {
  const Tensor *condition = body.outputs[0];
  for (const auto &node : body.nodes)
    if (node->op == "Identity" && node->output(0) == condition)
      condition = node->input(0);
  return condition == body.inputs[1] ||
         (condition->constant && condition->constant->integerAt(0));
}

/// How often a loop goes round unless its condition ends it: as often as the
/// model says or, where it says nothing, until a condition that is computed
/// ends it. \p most is what collections have room for, and the end of a loop
/// that has no other.
static int64_t countOf(NodeEmitter &n, const Graph &body, int64_t most,
                       bool collects) {
  constexpr int64_t kNoEnd = std::numeric_limits<int32_t>::max();
  if (collects)
    return most;
  if (const Constant *given = n.constant(0))
    return std::min(given->integerAt(0), kNoEnd);
  return keepsCondition(body) ? most : kNoEnd;
}

/// Whether a loop makes all of its rounds: what it collects has a length then.
static bool makesAllRounds(NodeEmitter &n, const Graph &body) {
  bool isKept = keepsCondition(body);
  bool begins = !n.has(1) || (n.constant(1) && n.constant(1)->integerAt(0));
  return n.constant(0) && isKept && begins;
}

LogicalResult graph::emitLoop(NodeEmitter &n) {
  Graph *body = bodyOf(n, "body");
  auto most = body ? rounds(n) : FailureOr<int64_t>(failure());
  if (failed(most))
    return failure();
  if (n.node.inputs.size() < 2)
    return n.bad("the loop has too few inputs",
                 std::to_string(n.node.inputs.size()),
                 "the number of iterations and a condition, either of which "
                 "can be left out");
  size_t carried = n.node.inputs.size() - 2,
         scanned =
             body->outputs.size() - std::min(body->outputs.size(), carried + 1);
  if (body->inputs.size() != carried + 2 ||
      body->outputs.size() != carried + 1 + scanned ||
      n.node.outputs.size() > carried + scanned)
    return n.bad("the body does not match the loop",
                 std::to_string(body->inputs.size()) + " inputs, " +
                     std::to_string(body->outputs.size()) + " outputs",
                 std::to_string(carried + 2) + " inputs, the condition and " +
                     std::to_string(carried) + " values first");
  // The body's inputs have the types of what goes round.
  body->inputs[0]->setType(ElementType::I32, {});
  body->inputs[1]->setType(ElementType::U8, {});
  for (size_t i = 0; i < carried; ++i)
    body->inputs[i + 2]->setType(n.type(i + 2), n.shape(i + 2));
  std::vector<Tensor *> captured = capturedBy(*body);
  std::string name = makeBody(n, *body, captured);
  if (name.empty())
    return failure();
  if (scanned && !makesAllRounds(n, *body))
    return n.refuse(
        "collecting values over an unknown number of iterations is not "
        "supported",
        n.constant(0) || !n.has(0) ? "a condition that is computed"
                                   : "tensor " + n.tensor(0).name,
        "a constant number of iterations and a condition that stays true");
  SmallVector<Type> types;
  for (size_t i = 0; i < carried + scanned; ++i) {
    const Tensor &result = *body->outputs[i + 1];
    if (i < carried) {
      types.push_back(typeOf(n, n.tensor(i + 2)));
      if (types.back() != typeOf(n, result))
        return n.refuse(
            "a value changes its shape or type from one iteration to the next",
            shapeText(*result.shape), shapeText(n.shape(i + 2)));
      continue;
    }
    // Collections stack along the first axis (the record of Loop).
    Shape shape = *result.shape;
    if (shape.size() < 2)
      shape = {*most, numElements(shape)};
    else
      shape[0] *= *most;
    types.push_back(compass::plainType(n.build.builder.getContext(), shape,
                                       irElement(*result.type)));
  }
  SmallVector<Value> operands;
  if (n.has(0) && !n.constant(0))
    operands.push_back(n.plain(0));
  else
    operands.push_back(n.build.constantOf(
        {},
        ArrayRef<int32_t>({int32_t(countOf(n, *body, *most, scanned != 0))})));
  if (n.has(1))
    operands.push_back(n.build.cast(n.plain(1), DType::U8));
  else
    operands.push_back(n.build.constant(compass::makeConstantOf<uint8_t>(
        n.build.builder.getContext(), "condition", {}, DType::U8, {1})));
  for (size_t i = 0; i < carried; ++i)
    operands.push_back(n.plain(i + 2));
  operands.append(valuesOf(n, captured));
  SmallVector<Value> results =
      n.build.declared("Loop", operands,
                       {{"body", name},
                        {"dependency_inputs_num", int64_t(carried)},
                        {"scan_outputs_num", int64_t(scanned)},
                        {"loop_default_count", *most}},
                       types);
  for (size_t i = 0; i < n.node.outputs.size(); ++i) {
    Value result = results[i];
    if (i >= carried) {
      Shape shape = *body->outputs[i + 1]->shape;
      shape.insert(shape.begin(), *most);
      result = n.build.reshape(result, shape);
    }
    if (failed(n.outPlain(i, result)))
      return failure();
  }
  return success();
}
