//===- Control.cpp - If ---------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/Branches.h"
#include "parser/qnn/OpReader.h"
#include "parser/qnn/QnnGraph.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Tensor;

namespace {
constexpr const char *kBranches[] = {"then_graph", "else_graph"};
} // namespace

/// Whether both graphs write the same tensors.
static bool checkOutputs(OpReader &r, const QnnModel &branch,
                         const std::vector<std::string> &names,
                         const char *param) {
  std::size_t count = 0;
  for (const QnnTensor &tensor : branch.tensors)
    count += tensor.kind == TensorKind::Output;
  bool hasAll = std::ranges::all_of(names, [&](const std::string &name) {
    const QnnTensor *tensor = branch.find(name);
    return tensor && tensor->kind == TensorKind::Output;
  });
  return (hasAll && count == names.size()) ||
         r.bad(std::string("the graph of ") + param +
                   " does not have the outputs of then_graph",
               std::to_string(count) + " outputs",
               "the outputs of the graph of then_graph");
}

/// The inputs are the condition and what the graphs read, the outputs what they
/// write (Branches.h).
bool qnn::readIf(OpReader &r) {
  std::vector<std::string> read = namesReadBy(r.model, r.node),
                           written = namesWrittenBy(r.model, r.node);
  std::map<std::string, Tensor *> outer;
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (!r.inputs[i])
      return r.bad("a graph reads a tensor that the outer graph does not have",
                   read[i], "a tensor of this name in the outer graph");
    outer[read[i]] = r.inputs[i];
  }
  for (std::size_t i = 0; i < written.size(); ++i)
    if (!r.outputs[i])
      return r.bad("a graph writes a tensor that the outer graph does not have",
                   written[i], "a tensor of this name in the outer graph");
  if (written.empty())
    return r.bad("no outputs are written", "a then_graph without outputs",
                 "outputs with names of tensors of the outer graph");
  graph::Node &node = r.add("If", {r.inputs[0]}, r.outputs);
  constexpr const char *kAttributes[] = {"then_branch", "else_branch"};
  for (std::size_t i : {0, 1}) {
    const QnnModel *branch = branchOf(r.model, r.node, kBranches[i]);
    if (!branch && !r.states(kBranches[i]))
      return r.refuse("without else_graph, nothing produces the results if the "
                      "condition is false",
                      "no else_graph", "both graphs");
    if (!branch)
      return r.bad(std::string(kBranches[i]) + " does not name a graph",
                   r.node.param(kBranches[i])->text, "a graph of the file");
    if (!checkOutputs(r, *branch, written, kBranches[i]))
      return false;
    std::shared_ptr<graph::Graph> body =
        readBranch(*branch, outer, written, r.diags);
    if (!body)
      return false;
    graph::Attribute &attribute = node.attributes[kAttributes[i]];
    attribute.kind = graph::Attribute::Kind::Graph;
    attribute.graph = std::move(body);
  }
  return true;
}
