//===- NnGraph.cpp - A model of NNAPI as an import graph ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/NnGraph.h"
#include "parser/nnapi/OperationReader.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <set>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Constant;
using graph::Graph;
using graph::kMostAxes;
using graph::Quantization;
using graph::Shape;
using graph::Tensor;

namespace {

class GraphMaker {
public:
  GraphMaker(const NnModel &model, Graph &graph, DiagnosticEngine &diags)
      : model(model), graph(graph), diags(diags),
        tensors(model.operands.size(), nullptr) {}

  void make();

private:
  Tensor *tensorAt(std::uint32_t index);
  std::vector<Tensor *> tensorsAt(const std::vector<std::uint32_t> &indices) {
    std::vector<Tensor *> result;
    for (std::uint32_t index : indices)
      result.push_back(tensorAt(index));
    return result;
  }
  std::string nameOf(std::uint32_t index);
  void setConstant(Tensor &tensor, const Operand &operand);
  bool hasFlatTensors(const Operation &operation) const;
  void read(const Operation &operation);

  const NnModel &model;
  Graph &graph;
  DiagnosticEngine &diags;
  std::vector<Tensor *> tensors; ///< By operand.
  Tensor *count = nullptr;       ///< Of the last operation's results.
  std::set<std::string> names;
};

std::optional<Quantization> quantizationOf(const Operand &operand) {
  const OperandTypeEntry &type = operand.entry();
  switch (type.storage) {
  case Storage::Plain:
    // Biases say their scale.
    if (type.element != ElementType::I32 || operand.scale == 0)
      return std::nullopt;
    [[fallthrough]];
  case Storage::Asymmetric:
  case Storage::Symmetric:
    return Quantization{type.element, {operand.scale}, {operand.zeroPoint}};
  case Storage::PerChannel:
    // Layers store no tensor with several scales but weights.
    if (operand.lifetime != Lifetime::Constant)
      return std::nullopt;
    return Quantization{
        type.element, operand.channels.scales,
        std::vector<std::int64_t>(operand.channels.scales.size(), 0),
        std::int64_t(operand.channels.axis)};
  }
  return std::nullopt;
}

} // namespace

std::string GraphMaker::nameOf(std::uint32_t index) {
  std::string name = model.operands[index].name;
  if (name.empty() || !names.insert(name).second) {
    name += (name.empty() ? "operand" : "_") + std::to_string(index);
    names.insert(name);
  }
  return name;
}

void GraphMaker::setConstant(Tensor &tensor, const Operand &operand) {
  Constant value{operand.entry().element, layerShape(operand.dims),
                 operand.value, operand.owner};
  if (value.type == ElementType::F16) {
    std::vector<float> floats;
    for (std::int64_t i = 0; i < value.numElements(); ++i)
      floats.push_back(float(value.numberAt(i)));
    value = Constant::ofFloats(value.shape, floats);
  }
  tensor.shape = value.shape;
  tensor.constant = std::move(value);
}

Tensor *GraphMaker::tensorAt(std::uint32_t index) {
  const Operand &operand = model.operands[index];
  if (operand.lifetime == Lifetime::None || operand.lifetime == Lifetime::Model)
    return nullptr;
  Tensor *&tensor = tensors[index];
  if (tensor)
    return tensor;
  tensor = graph.addTensor(nameOf(index));
  ElementType element = operand.entry().element;
  tensor->quantization = quantizationOf(operand);
  tensor->type = tensor->quantization || element == ElementType::F16
                     ? ElementType::F32
                     : element;
  tensor->declaredShape = layerShape(operand.dims);
  if (operand.lifetime == Lifetime::Constant)
    setConstant(*tensor, operand);
  return tensor;
}

bool GraphMaker::hasFlatTensors(const Operation &operation) const {
  auto isFlat = [&](std::uint32_t index) {
    return model.operands[index].dims.size() > kMostAxes;
  };
  return std::ranges::any_of(operation.inputs, isFlat) ||
         std::ranges::any_of(operation.outputs, isFlat);
}

void GraphMaker::read(const Operation &operation) {
  const OperationEntry *entry = findOperation(operation.code);
  std::string name = operation.outputs.empty()
                         ? "nothing"
                         : describe(model, operation.outputs[0]);
  std::string why;
  auto match = entry ? matchForm(*entry, model, operation, &why) : std::nullopt;
  if (!match) {
    diags
        .report(
            diag::ImportBadNode,
            {model.name + ": the operation that writes " + name},
            entry ? std::string(entry->name) +
                        ": the operands do not match any form of the operation"
                  : "unknown operation")
        .found(entry ? why : "number " + std::to_string(operation.code));
    return;
  }
  if (!entry->isFlat && hasFlatTensors(operation)) {
    diags
        .report(diag::ImportForm,
                {model.name + ": the operation that writes " + name},
                std::string(entry->name) +
                    ": a tensor has more axes than layers support")
        .expected("up to " + std::to_string(kMostAxes) + " axes");
    return;
  }
  if (entry->isCounted && &operation != &model.operations.back()) {
    diags
        .report(diag::ImportForm,
                {model.name + ": the operation that writes " + name},
                std::string(entry->name) +
                    ": the number of its results depends on values")
        .found("operations after it")
        .expected("the last operation of a model");
    return;
  }
  std::vector<Tensor *> inputs = tensorsAt(operation.inputs),
                        outputs = tensorsAt(operation.outputs);
  if (!outputs.empty() && outputs[0])
    name = outputs[0]->name;
  OperationReader reader(graph, name, model, operation, *entry,
                         std::move(*match), std::move(inputs),
                         std::move(outputs), diags);
  // What is wrong is reported; the others are read to tell all at once.
  (void)entry->read(reader);
  count = reader.count;
}

void GraphMaker::make() {
  for (std::uint32_t index : model.inputs) {
    const Operand &operand = model.operands[index];
    Tensor *input = tensorAt(index);
    input->shape = layerShape(operand.dims);
    graph.inputs.push_back(input);
  }
  for (const Operation &operation : model.operations)
    read(operation);
  for (std::uint32_t index : model.outputs)
    graph.outputs.push_back(tensorAt(index));
  if (count)
    graph.outputs.push_back(count);
}

std::unique_ptr<Graph> nnapi::readNnModel(const NnModel &model,
                                          DiagnosticEngine &diags) {
  auto graph = std::make_unique<Graph>();
  graph->name = graph->file = model.name;
  DiagnosticEngine own;
  GraphMaker(model, *graph, own).make();
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return own.hasErrors() ? nullptr : std::move(graph);
}
