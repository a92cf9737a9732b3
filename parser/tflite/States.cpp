//===- States.cpp - Variables of a TFLite model as state ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/States.h"
#include "parser/tflite/OperatorReader.h"
#include "support/diagnostics/Import.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Tensor;

static constexpr std::int32_t kVarHandle = 142, kAssignVariable = 144;

std::string tflite::variableName(const Options &options) {
  return options.text("container") + "/" + options.text("shared_name");
}

void tflite::findAssigned(const GraphParts &main, ModelState &model) {
  std::map<std::int32_t, std::string> nameOf; // by the handle's tensor
  for (const FlatTable &table : main.operators) {
    OperatorParts op(table);
    if (op.code >= model.parts.codes.size())
      continue; // told when it is read
    CodeParts code(model.parts.codes[op.code]);
    if (code.number == kVarHandle && op.outputs.size() == 1)
      nameOf[op.outputs[0]] =
          variableName(Options(OptionTable::VarHandle, op.options));
    else if (code.number == kAssignVariable && op.inputs.size() == 2)
      if (auto it = nameOf.find(op.inputs[0]); it != nameOf.end())
        model.assigned.insert(it->second);
  }
}

/// The first value as the state stores it; null after an error.
static Tensor *firstValue(const std::string &name, const Variable &variable,
                          ModelState &model) {
  Tensor *first = variable.first, *past = variable.past;
  // Integers of a variable are what it stores, whatever they are said to be.
  if (first->constant && past->quantization && !first->quantization &&
      first->constant->type == past->quantization->stored) {
    first->quantization = past->quantization;
    first->type = past->type;
  }
  if (first->constant && first->constant->shape == *past->shape &&
      first->quantization == past->quantization)
    return first;
  model.diags
      .report(diag::ImportState, {model.path},
              "the variable " + name +
                  " does not start from a constant of its own type")
      .found("tensor " + first->name)
      .expected("a constant that CALL_ONCE assigns");
  return nullptr;
}

/// A variable has the integers that are assigned, whatever scale they have:
/// with another one they would mean something else from then on.
static bool isStoredAlike(const std::string &name, const Variable &variable,
                          ModelState &model) {
  if (variable.past->quantization == variable.now->quantization)
    return true;
  auto text = [](const Tensor &tensor) {
    return tensor.quantization ? quantizationText(*tensor.quantization)
                               : std::string("real numbers");
  };
  model.diags
      .report(diag::ImportState, {model.path},
              "the variable " + name +
                  " is assigned and read with different scales")
      .found(text(*variable.now))
      .expected(text(*variable.past));
  return false;
}

KeptTensor tflite::keepVariable(OperatorReader &r, std::size_t input,
                                const std::string &what) {
  if (!r.model.keepsVariables || !r.has(input))
    return {};
  Tensor *past = r.input(input);
  past->shape = past->declaredShape;
  KeptTensor kept{past, r.storedLike(*past, what)};
  r.model.kept.push_back({kept.past, kept.present});
  return kept;
}

static void addState(graph::Graph &graph, Tensor *past, Tensor *present,
                     Tensor *first) {
  graph.states.push_back({past, graph.outputs.size(), first});
  graph.inputs.push_back(past);
  graph.outputs.push_back(present);
}

bool tflite::joinVariables(graph::Graph &graph, ModelState &model) {
  bool ok = true;
  for (auto [past, present] : model.kept)
    addState(graph, past, present, nullptr);
  for (auto &[name, variable] : model.variables) {
    if (!variable.past)
      continue; // no run needs what was before it
    // The name that the model's maker gave it, where it has one.
    std::string shared = name.substr(name.find('/') + 1);
    if (!shared.empty() && !graph.find(shared))
      variable.past->name = shared;
    Tensor *first =
        variable.first ? firstValue(name, variable, model) : nullptr;
    ok &= first || !variable.first;
    ok &= isStoredAlike(name, variable, model);
    addState(graph, variable.past, variable.now, first);
  }
  return ok;
}
