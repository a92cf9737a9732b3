//===- GraphReader.cpp - The graph of an ONNX model -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/GraphReader.h"
#include "parser/onnx/NodeOrder.h"
#include "support/diagnostics/Import.h"

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Graph;
using graph::Node;
using graph::Tensor;

/// A model with more nodes, its functions inlined, is refused.
static constexpr std::size_t kMostNodes = 1 << 20;

/// "float32 [3,4]"
static std::string typeText(const Tensor &tensor) {
  std::string text =
      tensor.type ? elementTypeName(elementNumber(*tensor.type)) + " [" : "[";
  for (std::size_t i = 0; tensor.shape && i < tensor.shape->size(); ++i)
    text += (i ? "," : "") + std::to_string((*tensor.shape)[i]);
  return text + "]";
}

void GraphReader::readFunctions(const ModelParts &model) {
  for (Bytes bytes : model.functions) {
    FunctionParts function;
    if (parts(bytes, function, "a function"))
      functions.push_back(std::move(function));
  }
}

std::unique_ptr<Graph> GraphReader::read(const ModelParts &model) {
  readFunctions(model);
  auto graph = std::make_unique<Graph>();
  graph->file = path;
  Scope scope;
  scope.sets = &model.operatorSets;
  if (!diags.hasErrors())
    readGraph(model.graph, *graph, scope, /*isMain=*/true);
  tensors.reportExternal();
  return graph;
}

/// Type and shape that the file states.
void GraphReader::readValue(Bytes bytes, Tensor &tensor) {
  ValueParts value;
  if (!parts(bytes, value, "the type of tensor " + tensor.name))
    return;
  if (*value.otherKind) {
    tensor.foreignType = value.otherKind;
    return;
  }
  if (value.elementType != 0) {
    tensor.type = elementTypeOf(value.elementType);
    if (!tensor.type)
      tensor.foreignType = elementTypeName(value.elementType);
  }
  if (!value.hasShape)
    return;
  tensor.shape = value.lengths;
  for (std::string_view symbol : value.symbols)
    tensor.symbols.emplace_back(symbol);
}

/// A tensor that is written here; reports a name that has one already.
Tensor *GraphReader::declare(std::string_view name, Graph &graph, Scope &scope,
                             const std::string &where) {
  if (auto it = scope.names.find(name); it != scope.names.end()) {
    if (!scope.written.insert(it->second).second)
      diags
          .report(diag::ImportBadGraph, at(where),
                  "tensor " + std::string(name) + " is written twice")
          .expected("one node, input or constant for each tensor");
    return it->second;
  }
  Tensor *tensor = graph.addTensor(scope.prefix + std::string(name));
  scope.names.emplace(name, tensor);
  scope.written.insert(tensor);
  return tensor;
}

void GraphReader::readInputs(const GraphParts &g, Graph &graph, Scope &scope,
                             bool isMain) {
  for (Bytes bytes : g.initializers) {
    auto constant = tensors.read(bytes, "the graph");
    if (!constant) {
      // It is told; that nobody writes it would be told of each of its readers.
      declare(TensorReader::nameOf(bytes), graph, scope, "the graph");
      continue;
    }
    Tensor *tensor = declare(constant->name, graph, scope, "the graph");
    tensor->foreignType = constant->foreignType;
    if (constant->foreignType.empty()) {
      tensor->setType(constant->constant.type, constant->constant.shape);
      tensor->constant = std::move(constant->constant);
    }
  }
  for (Bytes bytes : g.sparse) {
    (void)bytes;
    diags
        .report(diag::ImportForm, {path},
                "the graph has a sparse constant, which is not imported")
        .hint("store it as a dense constant");
  }
  for (Bytes bytes : g.inputs) {
    ValueParts value;
    if (!parts(bytes, value, "an input"))
      continue;
    // Before IR version 4 constants were listed among the inputs.
    if (Tensor *known = scope.names.contains(value.name)
                            ? scope.names.find(value.name)->second
                            : nullptr;
        known && known->constant && isMain) {
      checkListed(bytes, *known);
      continue;
    }
    Tensor *tensor = declare(value.name, graph, scope, "the graph");
    readValue(bytes, *tensor);
    graph.inputs.push_back(tensor);
  }
}

/// A constant that is listed as an input, too.
void GraphReader::checkListed(Bytes bytes, const Tensor &constant) {
  Tensor stated;
  stated.name = constant.name;
  readValue(bytes, stated);
  bool fits = (!stated.type || stated.type == constant.type) &&
              (!stated.shape || stated.shape->size() == constant.shape->size());
  for (std::size_t i = 0; fits && stated.shape && i < stated.shape->size(); ++i)
    fits = (*stated.shape)[i] < 0 || (*stated.shape)[i] == (*constant.shape)[i];
  if (!fits)
    diags
        .report(diag::ImportBadGraph, {path},
                "the input " + constant.name +
                    " differs in type or shape from its constant")
        .found("a constant of " + typeText(constant))
        .expected(typeText(stated));
}

/// What the file states of tensors that nodes write.
void GraphReader::readStated(const std::vector<Bytes> &values,
                             const Scope &scope) {
  for (Bytes bytes : values) {
    ValueParts value;
    if (!parts(bytes, value, "the type of a tensor"))
      continue;
    Tensor *tensor = scope.find(value.name);
    if (!tensor || tensor->type || !tensor->foreignType.empty())
      continue;
    Tensor stated;
    readValue(bytes, stated);
    tensor->foreignType = stated.foreignType;
    tensor->declaredType = stated.type;
    if (stated.shape)
      tensor->declaredShape = *stated.shape;
  }
}

void GraphReader::readGraph(Bytes bytes, Graph &graph, Scope &scope,
                            bool isMain) {
  GraphParts g;
  if (scope.depth > kMostDepth) {
    diags
        .report(diag::OnnxMalformed, {path}, "sub-graphs are nested too deeply")
        .expected("at most " + std::to_string(kMostDepth) + " levels");
    return;
  }
  if (!parts(bytes, g, "the graph"))
    return;
  graph.name = g.name;
  readInputs(g, graph, scope, isMain);
  readNodes(g.nodes, graph, scope);
  for (Bytes output : g.outputs) {
    ValueParts value;
    if (!parts(output, value, "an output"))
      continue;
    Tensor *tensor = scope.find(value.name);
    if (!tensor) {
      diags
          .report(diag::ImportBadGraph, {path},
                  "nothing produces the output " + std::string(value.name))
          .expected("a node, an input or a constant of this name");
      continue;
    }
    graph.outputs.push_back(tensor);
  }
  readStated(g.valueInfos, scope);
  readStated(g.outputs, scope);
  orderNodes(graph, path, diags);
}

void GraphReader::readNodes(const std::vector<Bytes> &nodes, Graph &graph,
                            Scope &scope) {
  std::vector<NodeParts> all;
  for (Bytes bytes : nodes) {
    NodeParts node;
    if (!parts(bytes, node, "a node"))
      continue;
    std::string where =
        "node " + std::string(node.name.empty() ? node.op : node.name);
    for (std::string_view output : node.outputs)
      if (!output.empty())
        declare(output, graph, scope, where);
    all.push_back(std::move(node));
  }
  for (const NodeParts &node : all)
    if (!gaveUp)
      readNode(node, graph, scope);
}

void GraphReader::readNode(const NodeParts &parts, Graph &graph, Scope &scope) {
  if (++numNodes > kMostNodes) {
    gaveUp = true;
    diags
        .report(diag::ImportBadGraph, {path},
                "the model has too many nodes once its functions are inlined")
        .expected("at most " + std::to_string(kMostNodes));
    return;
  }
  auto node = std::make_unique<Node>();
  node->op = parts.op;
  node->domain = parts.domain;
  if (!parts.name.empty())
    node->name = scope.prefix + std::string(parts.name);
  if (auto it = scope.sets->find(parts.domain); it != scope.sets->end())
    node->version = it->second;
  for (std::string_view name : parts.outputs)
    node->outputs.push_back(name.empty() ? nullptr : scope.find(name));
  for (std::string_view name : parts.inputs) {
    Tensor *tensor = name.empty() ? nullptr : scope.find(name);
    if (!name.empty() && !tensor && !scope.isLeftOut(name))
      diags
          .report(diag::ImportBadGraph, at(*node),
                  "nothing produces tensor " + std::string(name))
          .expected("a node, an input or a constant of this name");
    node->inputs.push_back(tensor);
  }
  readAttributes(parts, *node, scope);
  if (const FunctionParts *function = findFunction(parts))
    return inlineCall(parts, *function, *node, graph, scope);
  graph.nodes.push_back(std::move(node));
}
