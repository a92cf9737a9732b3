//===- GraphReader.cpp - Sub-graphs of a TFLite model ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/GraphReader.h"
#include "parser/tflite/OperatorReader.h"
#include "parser/tflite/States.h"
#include "support/diagnostics/Import.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Tensor;

namespace {
constexpr std::size_t kMostDepth = 64;
/// A model with more, sub-graphs inlined, is no network.
constexpr std::size_t kMostOperators = 1 << 20;
/// LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM and SVDF.
constexpr std::int32_t kWithState[] = {16, 44, 27};
} // namespace

bool GraphReader::open(std::size_t index) {
  auto problem = [&](const char *what) -> Diagnostic & {
    return model.diags.report(diag::ImportBadGraph, {model.path}, what);
  };
  if (index >= model.parts.graphs.size()) {
    problem("a sub-graph that is called does not exist")
        .found(std::to_string(index))
        .expected("below " + std::to_string(model.parts.graphs.size()));
    return false;
  }
  if (std::ranges::find(model.open, index) != model.open.end() ||
      model.open.size() >= kMostDepth) {
    problem("a sub-graph calls itself")
        .expected("a sub-graph that does not call itself");
    return false;
  }
  parts.emplace(model.parts.graphs[index]);
  if (model.open.empty())
    findAssigned(*parts, model);
  tensors.assign(parts->tensors.size(), nullptr);
  return true;
}

Tensor *GraphReader::tensorAt(std::int32_t index, const std::string &where) {
  if (index == -1)
    return nullptr;
  if (index < 0 || std::size_t(index) >= tensors.size()) {
    model.diags
        .report(diag::ImportBadGraph, at(where), "a tensor does not exist")
        .found("number " + std::to_string(index))
        .expected("below " + std::to_string(tensors.size()));
    return nullptr;
  }
  Tensor *&tensor = tensors[std::size_t(index)];
  if (tensor)
    return tensor;
  tensor = graph.addTensor("");
  TensorParts stored(parts->tensors[std::size_t(index)]);
  std::size_t errors = model.diags.numErrors();
  model.tensors.read(stored, std::size_t(index), *tensor);
  // What is wrong with a constant is told; it needs no writer, too.
  if (model.diags.numErrors() != errors)
    written.insert(tensor);
  if (stored.isVariable)
    states.insert(tensor);
  // Of results nodes tell the shape.
  if (!tensor->constant)
    tensor->shape.reset();
  return tensor;
}

std::vector<Tensor *> GraphReader::tensorsAt(const FlatList<std::int32_t> &list,
                                             const std::string &where) {
  std::vector<Tensor *> result;
  for (std::size_t i = 0; i < list.size(); ++i)
    result.push_back(tensorAt(list[i], where));
  return result;
}

bool GraphReader::bindInputs(const std::vector<Tensor *> *given) {
  if (given && given->size() != parts->inputs.size()) {
    model.diags
        .report(diag::ImportBadGraph, {model.path},
                "a sub-graph is called with a wrong number of tensors")
        .found(std::to_string(given->size()))
        .expected(std::to_string(parts->inputs.size()));
    return false;
  }
  for (std::size_t i = 0; i < parts->inputs.size(); ++i) {
    std::int32_t index = parts->inputs[i];
    if (given && index >= 0 && std::size_t(index) < tensors.size()) {
      tensors[std::size_t(index)] = (*given)[i];
      written.insert((*given)[i]);
      continue;
    }
    Tensor *input = tensorAt(index, ": inputs");
    if (!input) {
      if (index == -1)
        model.diags
            .report(diag::ImportBadGraph, {model.path}, "an input is left out")
            .expected("a tensor for each input");
      return false;
    }
    if (input->constant)
      continue;
    input->shape = input->declaredShape;
    markWritten(input, ": inputs");
    graph.inputs.push_back(input);
  }
  return true;
}

std::optional<std::vector<Tensor *>>
GraphReader::read(std::size_t index, const std::vector<Tensor *> *given) {
  if (!open(index) || !bindInputs(given))
    return std::nullopt;
  model.open.push_back(index);
  for (const FlatTable &op : parts->operators) {
    if (++model.numOperators > kMostOperators) {
      model.diags
          .report(
              diag::ImportBadGraph, {model.path},
              "the model has too many operators; sub-graphs count at each call")
          .expected("at most " + std::to_string(kMostOperators));
      return std::nullopt;
    }
    readOperator(OperatorParts(op));
  }
  model.open.pop_back();
  std::vector<Tensor *> outputs = tensorsAt(parts->outputs, ": outputs");
  for (Tensor *output : outputs)
    if (!output || (!output->constant && !written.contains(output))) {
      model.diags
          .report(diag::ImportBadGraph, {model.path},
                  output ? "nothing produces the output " + output->name
                         : std::string("an output has no tensor"))
          .expected("an operator, an input or a constant");
      return std::nullopt;
    }
  return outputs;
}

void GraphReader::markWritten(Tensor *tensor, const std::string &where) {
  if (tensor && !tensor->constant && written.insert(tensor).second)
    return;
  if (tensor)
    model.diags
        .report(diag::ImportBadGraph, at(where),
                "tensor " + tensor->name + " is written twice")
        .expected("one operator, input or constant for each tensor");
}

bool GraphReader::checkReads(const std::vector<Tensor *> &inputs,
                             const OperatorEntry &entry,
                             const std::string &where) {
  bool keepsState =
      std::ranges::find(kWithState, entry.number) != std::end(kWithState);
  for (const Tensor *tensor : inputs) {
    if (!tensor || tensor->constant || written.contains(tensor))
      continue;
    if (states.contains(tensor)) {
      if (keepsState)
        continue;
      model.diags
          .report(diag::ImportForm, at(where),
                  std::string(entry.name) + (": reads a variable tensor, whose "
                                             "value comes from another run"))
          .found("tensor " + tensor->name)
          .expected("state in LSTM and SVDF only");
    } else {
      model.diags
          .report(diag::ImportBadGraph, at(where),
                  "nothing produces tensor " + tensor->name +
                      " before it is read")
          .expected("an operator, an input or a constant");
    }
    return false;
  }
  return true;
}

/// An operator that is not imported becomes a node that says so: a network may
/// be cut before it.
void GraphReader::refuse(const CodeParts &code, const OperatorEntry *entry,
                         const std::string &where, std::vector<Tensor *> inputs,
                         std::vector<Tensor *> outputs) {
  std::string op = entry ? entry->name : std::to_string(code.number),
              why = entry && entry->why ? entry->why : "";
  if (code.number == kCustom) {
    op = "CUSTOM " + std::string(code.custom);
    why = "only the program that defines a custom operator knows what it "
          "computes";
  } else if (!entry) {
    op = "number " + op;
    why = "no known operator has this number";
  }
  if (std::ranges::all_of(outputs, [](const Tensor *t) { return !t; })) {
    // Nothing reads it, but it does something.
    model.diags
        .report(diag::TfliteOperator, at(where),
                "the operator " + op + " is not imported")
        .hint(why);
    return;
  }
  std::erase(inputs, nullptr);
  graph::Node &node = graph.addNode(op, std::move(inputs), std::move(outputs));
  node.domain = kDomain;
  node.attributes["refused"] = graph::Attribute::of(why);
}

/// Weights of 8 or 16 bits, or 4, beside tensors of floats.
void GraphReader::countDynamic(const std::vector<Tensor *> &inputs) {
  auto isFloat = [](const Tensor *t) {
    return t && !t->constant && t->type == ElementType::F32 && !t->quantization;
  };
  auto isWeights = [&](const Tensor *t) {
    return t && t->constant && t->quantization &&
           elementBytes(t->constant->type) <= 2 &&
           !model.dequantized.contains(t);
  };
  model.numDynamic += std::ranges::any_of(inputs, isFloat) &&
                      std::ranges::any_of(inputs, isWeights);
}

void GraphReader::readOperator(const OperatorParts &op) {
  if (op.code >= model.parts.codes.size()) {
    model.diags
        .report(diag::ImportBadGraph, {model.path},
                "an operator has a code that does not exist")
        .found(std::to_string(op.code))
        .expected("below " + std::to_string(model.parts.codes.size()));
    return;
  }
  CodeParts code(model.parts.codes[op.code]);
  const OperatorEntry *entry = code.number == kCustom
                                   ? findCustom(code.custom)
                                   : findOperator(code.number);
  std::string where =
      std::string(": an operator ") + (entry ? entry->name : "CUSTOM");
  std::vector<Tensor *> inputs = tensorsAt(op.inputs, where),
                        outputs = tensorsAt(op.outputs, where);
  for (Tensor *output : outputs)
    if (output) {
      where = ": node " + output->name;
      break;
    }
  for (Tensor *output : outputs)
    markWritten(output, where);
  if (!entry || !entry->read)
    return refuse(code, entry, where, std::move(inputs), std::move(outputs));
  std::uint8_t number = unionNumber(entry->options);
  if (number != 0 && op.optionsType != 0 && op.optionsType != number) {
    model.diags
        .report(diag::ImportBadGraph, at(where),
                std::string(entry->name) +
                    " has the options of another operator")
        .found("type " + std::to_string(op.optionsType))
        .expected("type " + std::to_string(number));
    return;
  }
  if (!checkReads(inputs, *entry, where))
    return;
  countDynamic(inputs);
  OperatorReader reader(
      model, graph, *entry,
      Options(entry->options, op.optionsType ? op.options : FlatTable()),
      op.customOptions.raw(), std::move(inputs), std::move(outputs));
  reader.intermediates = tensorsAt(op.intermediates, where);
  // What is wrong is reported; the others are read to tell all at once.
  (void)entry->read(reader);
}
