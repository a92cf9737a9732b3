//===- QnnGraph.cpp - A graph of QNN as an import graph -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/QnnGraph.h"
#include "parser/qnn/Branches.h"
#include "parser/qnn/CheckNode.h"
#include "parser/qnn/Encodings.h"
#include "parser/qnn/NodeOrder.h"
#include "parser/qnn/OpReader.h"
#include "parser/qnn/Spellings.h"
#include "support/diagnostics/Import.h"

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Graph;
using graph::Tensor;

namespace {

class GraphMaker {
public:
  GraphMaker(const QnnModel &model, Graph &graph, DiagnosticEngine &diags)
      : model(model), graph(graph), diags(diags) {}

  void make();
  void makeBranch(const std::map<std::string, Tensor *> &outer,
                  const std::vector<std::string> &outputs);

private:
  /// Null of one that is left out.
  Tensor *tensorOf(const std::string &name);
  std::vector<Tensor *> tensorsOf(const std::vector<std::string> &names) {
    std::vector<Tensor *> result;
    for (const std::string &name : names)
      result.push_back(tensorOf(name));
    return result;
  }
  void bindInputs();
  void bindOutputs();
  void refuse(const QnnNode &node, const std::string &found,
              const std::string &why);
  void read(const QnnNode &asWritten);

  const QnnModel &model;
  Graph &graph;
  DiagnosticEngine &diags;
  std::map<std::string, Tensor *> tensors;
};

bool isInput(const QnnTensor &tensor) {
  return tensor.kind == TensorKind::Input || tensor.kind == TensorKind::Both;
}

bool isOutput(const QnnTensor &tensor) {
  return tensor.kind == TensorKind::Output || tensor.kind == TensorKind::Both;
}

} // namespace

Tensor *GraphMaker::tensorOf(const std::string &name) {
  const QnnTensor *stated = model.find(name);
  if (!stated || stated->kind == TensorKind::Null)
    return nullptr;
  auto [it, isNew] = tensors.try_emplace(name, nullptr);
  if (!isNew)
    return it->second;
  Tensor *tensor = it->second = graph.addTensor(name);
  const DataTypeEntry &type = stated->entry();
  if (type.isFixed())
    tensor->quantization = quantizationOf(*stated, diags);
  tensor->type =
      type.isFixed() || type.isFloat() ? ElementType::F32 : type.element;
  tensor->declaredShape = stated->dims;
  if (stated->kind == TensorKind::Static && stated->hasValue) {
    tensor->constant = constantOf(*stated);
    tensor->shape = stated->dims;
  }
  return tensor;
}

void GraphMaker::bindInputs() {
  for (const QnnTensor &tensor : model.tensors)
    if (isInput(tensor)) {
      Tensor *input = tensorOf(tensor.name);
      input->shape = tensor.dims;
      graph.inputs.push_back(input);
    }
}

void GraphMaker::bindOutputs() {
  for (const QnnTensor &tensor : model.tensors)
    if (isOutput(tensor))
      graph.outputs.push_back(tensorOf(tensor.name));
  if (graph.outputs.empty())
    diags.report(diag::ImportBadGraph, {model.file}, "the graph has no outputs")
        .expected("a tensor of type 1 (the application reads it)");
}

void GraphMaker::refuse(const QnnNode &node, const std::string &found,
                        const std::string &why) {
  diags
      .report(diag::QnnOperator, node.place,
              "node " + node.name + " is not imported")
      .found(found)
      .hint(why);
}

void GraphMaker::read(const QnnNode &asWritten) {
  if (!isStandardPackage(asWritten.package))
    return refuse(asWritten,
                  asWritten.type + " of package " + asWritten.package,
                  "only this package defines what the node computes");
  std::optional<QnnNode> spelled = inDefinitions(asWritten, diags);
  if (!spelled)
    return;
  const QnnNode &node = *spelled;
  const OpEntry *entry = findOp(node.type);
  if (!entry)
    return refuse(node, node.type,
                  "the QNN definitions do not have this operator");
  if (!checkNode(model, node, *entry, diags))
    return;
  if (!entry->read)
    return refuse(node, node.type, entry->becomes);
  OpReader reader(graph, model, node, *entry,
                  tensorsOf(namesReadBy(model, node)),
                  tensorsOf(namesWrittenBy(model, node)), diags);
  // What is wrong is reported; the others are read to tell all at once.
  (void)entry->read(reader);
}

void GraphMaker::make() {
  bindInputs();
  for (const QnnNode *node : nodesInOrder(model, diags))
    read(*node);
  bindOutputs();
}

/// Inputs are the outer graph's tensors: they have its types and lengths.
void GraphMaker::makeBranch(const std::map<std::string, Tensor *> &outer,
                            const std::vector<std::string> &outputs) {
  for (const QnnTensor &tensor : model.tensors)
    if (isInput(tensor))
      tensors[tensor.name] = outer.at(tensor.name);
  for (const QnnNode *node : nodesInOrder(model, diags))
    read(*node);
  for (const std::string &name : outputs)
    graph.outputs.push_back(tensorOf(name));
}

std::unique_ptr<Graph> qnn::readBranch(
    const QnnModel &model, const std::map<std::string, Tensor *> &outer,
    const std::vector<std::string> &outputs, DiagnosticEngine &diags) {
  auto graph = std::make_unique<Graph>();
  graph->name = graph->file = model.file;
  graph->statesShapes = true;
  DiagnosticEngine own;
  GraphMaker(model, *graph, own).makeBranch(outer, outputs);
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return own.hasErrors() ? nullptr : std::move(graph);
}

std::unique_ptr<Graph> qnn::readQnnModel(const QnnModel &model,
                                         DiagnosticEngine &diags) {
  auto graph = std::make_unique<Graph>();
  graph->name = graph->file = model.file;
  graph->statesShapes = true;
  DiagnosticEngine own;
  GraphMaker(model, *graph, own).make();
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return own.hasErrors() ? nullptr : std::move(graph);
}
