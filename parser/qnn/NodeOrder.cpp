//===- NodeOrder.cpp - Nodes of QNN in an order that computes -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/NodeOrder.h"
#include "parser/qnn/Branches.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <queue>
#include <set>

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

class Orderer {
public:
  Orderer(const QnnModel &model, DiagnosticEngine &diags)
      : model(model), diags(diags), numAwaited(model.nodes.size(), 0),
        readers(model.nodes.size()) {}

  std::vector<const QnnNode *> order();

private:
  void findWriters();
  void awaitInputs(std::size_t node);
  void problem(const QnnNode &node, const std::string &what,
               const std::string &expected) {
    diags
        .report(diag::ImportBadGraph, node.place,
                "node " + node.name + " (" + node.type + "): " + what)
        .expected(expected);
  }

  const QnnModel &model;
  DiagnosticEngine &diags;
  std::map<std::string, std::size_t, std::less<>> writer; ///< Node by tensor.
  std::vector<std::size_t> numAwaited; ///< Inputs that are not there yet.
  std::vector<std::vector<std::size_t>> readers;
};

} // namespace

void Orderer::findWriters() {
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    for (const std::string &name : namesWrittenBy(model, model.nodes[i])) {
      const QnnTensor *tensor = model.find(name);
      if (tensor && tensor->kind == TensorKind::Null)
        continue;
      bool isWritable = tensor && tensor->kind != TensorKind::Static &&
                        tensor->kind != TensorKind::Input;
      if (!isWritable)
        problem(model.nodes[i],
                "writes tensor " + name +
                    (tensor ? ", which has its own value"
                            : ", which does not exist"),
                "a tensor of type 1 (output) or 3 (native)");
      else if (!writer.emplace(name, i).second)
        problem(model.nodes[i], "tensor " + name + " is written twice",
                "one node for each tensor");
    }
}

void Orderer::awaitInputs(std::size_t node) {
  for (const std::string &name : namesReadBy(model, model.nodes[node])) {
    if (auto it = writer.find(name); it != writer.end()) {
      readers[it->second].push_back(node);
      ++numAwaited[node];
      continue;
    }
    const QnnTensor *tensor = model.find(name);
    if (!tensor || tensor->kind == TensorKind::Native ||
        tensor->kind == TensorKind::Output)
      problem(model.nodes[node], "nothing produces tensor " + name,
              "a node, an input or a static tensor");
  }
}

std::vector<const QnnNode *> Orderer::order() {
  findWriters();
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    awaitInputs(i);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>
      ready;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (numAwaited[i] == 0)
      ready.push(i);
  std::vector<const QnnNode *> result;
  while (!ready.empty()) {
    std::size_t node = ready.top();
    ready.pop();
    result.push_back(&model.nodes[node]);
    for (std::size_t reader : readers[node])
      if (--numAwaited[reader] == 0)
        ready.push(reader);
  }
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (numAwaited[i] != 0) {
      problem(model.nodes[i], "nodes depend on each other in a cycle",
              "a graph without cycles");
      break;
    }
  return result;
}

std::vector<const QnnNode *> qnn::nodesInOrder(const QnnModel &model,
                                               DiagnosticEngine &diags) {
  return Orderer(model, diags).order();
}
