//===- Branches.cpp - The graphs that If names ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/Branches.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;

const QnnModel *qnn::branchOf(const QnnModel &model, const QnnNode &node,
                              std::string_view param) {
  const QnnParam *name = node.param(param);
  auto it = name ? model.graphs.find(name->text) : model.graphs.end();
  return it == model.graphs.end() ? nullptr : it->second.get();
}

static void addTensors(const QnnModel *branch, TensorKind kind,
                       std::vector<std::string> &names) {
  if (!branch)
    return;
  for (const QnnTensor &tensor : branch->tensors)
    if ((tensor.kind == kind || tensor.kind == TensorKind::Both) &&
        std::ranges::find(names, tensor.name) == names.end())
      names.push_back(tensor.name);
}

std::vector<std::string> qnn::namesReadBy(const QnnModel &model,
                                          const QnnNode &node) {
  std::vector<std::string> names = node.inputs;
  if (node.type == "If")
    for (const char *param : {"then_graph", "else_graph"})
      addTensors(branchOf(model, node, param), TensorKind::Input, names);
  return names;
}

std::vector<std::string> qnn::namesWrittenBy(const QnnModel &model,
                                             const QnnNode &node) {
  std::vector<std::string> names = node.outputs;
  if (node.type == "If")
    addTensors(branchOf(model, node, "then_graph"), TensorKind::Output, names);
  return names;
}
