//===- Control.cpp - Control flow and variables ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sub-graphs that are called become those of nodes. What is called with tensors
// reads the tensors themselves, as sub-graphs of ONNX do.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/GraphReader.h"
#include "parser/tflite/OperatorReader.h"
#include "parser/tflite/States.h"

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Graph;
using graph::Node;
using graph::Tensor;

/// Sub-graph \p index with \p given as its inputs; null after errors.
static std::shared_ptr<Graph> branchOf(OperatorReader &r, std::int64_t index,
                                       const std::vector<Tensor *> &given) {
  auto body = std::make_shared<Graph>();
  body->file = r.model.path;
  auto outputs = GraphReader(r.model, *body).read(std::size_t(index), &given);
  if (!outputs)
    return nullptr;
  body->outputs = *outputs;
  return body;
}

static Attribute graphAttribute(std::shared_ptr<Graph> body) {
  Attribute attribute;
  attribute.kind = Attribute::Kind::Graph;
  attribute.graph = std::move(body);
  return attribute;
}

bool tflite::readIf(OperatorReader &r) {
  if (r.inputs.empty() || !r.has(0))
    return r.bad("the condition is missing", "no input", "a truth value");
  std::vector<Tensor *> given(r.inputs.begin() + 1, r.inputs.end());
  for (const Tensor *tensor : given)
    if (!tensor)
      return r.bad("an input is left out", "no tensor", "tensors");
  auto onTrue = branchOf(r, r.options.integer("then_subgraph_index"), given);
  auto onFalse =
      onTrue ? branchOf(r, r.options.integer("else_subgraph_index"), given)
             : nullptr;
  if (!onFalse)
    return false;
  Node &node = r.add(r.entry.node, {r.input(0)}, r.outputs);
  node.attributes["then_branch"] = graphAttribute(onTrue);
  node.attributes["else_branch"] = graphAttribute(onFalse);
  return true;
}

/// ONNX's Loop tests before the first round, and at the end of each.
bool tflite::readWhile(OperatorReader &r) {
  for (const Tensor *tensor : r.inputs)
    if (!tensor)
      return r.bad("an input is left out", "no tensor", "tensors");
  ModelState &model = r.model;
  auto test = std::size_t(r.options.integer("cond_subgraph_index"));
  auto begins = GraphReader(model, r.graph).read(test, &r.inputs);
  if (!begins)
    return false;
  auto body = std::make_shared<Graph>();
  body->file = model.path;
  body->inputs = {body->addTensor(r.name() + "_round"),
                  body->addTensor(r.name() + "_goes_on")};
  std::vector<Tensor *> round;
  for (const Tensor *input : r.inputs) {
    Tensor *tensor = body->addTensor(input->name + "_of_round");
    tensor->type = input->type;
    tensor->declaredShape = input->declaredShape;
    tensor->quantization = input->quantization;
    round.push_back(tensor);
  }
  body->inputs.insert(body->inputs.end(), round.begin(), round.end());
  auto results =
      GraphReader(model, *body)
          .read(std::size_t(r.options.integer("body_subgraph_index")), &round);
  auto goesOn =
      results ? GraphReader(model, *body).read(test, &*results) : std::nullopt;
  if (!goesOn)
    return false;
  if (begins->size() != 1 || results->size() != r.inputs.size())
    return r.bad("the sub-graphs do not match the loop",
                 std::to_string(begins->size()) + " conditions, " +
                     std::to_string(results->size()) + " results",
                 "one condition, and a result for each input");
  body->outputs = *goesOn;
  body->outputs.insert(body->outputs.end(), results->begin(), results->end());
  std::vector<Tensor *> inputs = {nullptr, begins->front()};
  inputs.insert(inputs.end(), r.inputs.begin(), r.inputs.end());
  r.add(r.entry.node, inputs, r.outputs).attributes["body"] =
      graphAttribute(body);
  return true;
}

/// The first values of variables; a sub-graph that does more is refused by its
/// operators.
bool tflite::readCallOnce(OperatorReader &r) {
  ModelState &model = r.model;
  if (model.open.size() > 1)
    return r.refuse("a call inside another sub-graph is not supported",
                    "CALL_ONCE", "CALL_ONCE in the main graph");
  model.isFirstCall = true;
  std::vector<Tensor *> none;
  auto outputs =
      GraphReader(model, r.graph)
          .read(std::size_t(r.options.integer("init_subgraph_index")), &none);
  model.isFirstCall = false;
  return outputs.has_value();
}

bool tflite::readVarHandle(OperatorReader &r) {
  if (!r.checkCounts(0, 0))
    return false;
  r.model.handles[r.output(0)] = variableName(r.options);
  return true;
}

/// The name of the variable whose handle is input 0. Null after errors.
static const std::string *variableOf(OperatorReader &r, const char *problem) {
  auto handle = r.model.handles.find(r.input(0));
  if (handle != r.model.handles.end())
    return &handle->second;
  r.bad(problem, "tensor " + r.input(0)->name, "the result of a VAR_HANDLE");
  return nullptr;
}

/// What no run changes is what CALL_ONCE gives it. Of a state the first reader
/// makes an input of the graph (States.cpp).
bool tflite::readVariable(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  ModelState &model = r.model;
  const std::string *name = variableOf(r, "reads what is not a variable");
  if (!name)
    return false;
  Variable &variable = model.variables[*name];
  bool isState = model.assigned.contains(*name);
  Tensor *known =
      isState ? (variable.now ? variable.now : variable.past) : variable.first;
  if (known) {
    r.add(r.entry.node, {known}, {r.output(0)});
    return true;
  }
  if (!isState)
    return r.refuse("reads a variable without a value",
                    "tensor " + r.input(0)->name,
                    "a value that CALL_ONCE or a run assigns");
  if (model.open.size() > 1)
    return r.refuse("a state inside another sub-graph is not supported",
                    "READ_VARIABLE", "READ_VARIABLE in the main graph");
  variable.past = r.output(0);
  variable.past->shape = variable.past->declaredShape;
  return true;
}

bool tflite::readAssign(OperatorReader &r) {
  if (!r.checkCounts(2, 2, 0))
    return false;
  ModelState &model = r.model;
  const std::string *name = variableOf(r, "assigns what is not a variable");
  if (!name)
    return false;
  Variable &variable = model.variables[*name];
  if (model.isFirstCall) {
    variable.first = r.input(1);
    return true;
  }
  if (model.open.size() > 1)
    return r.refuse("a call inside another sub-graph is not supported",
                    "ASSIGN_VARIABLE", "ASSIGN_VARIABLE in the main graph");
  variable.now = r.input(1);
  return true;
}
