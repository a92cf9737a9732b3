//===- InlineFunctions.cpp - Nodes of functions where they are called -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/GraphReader.h"
#include "support/diagnostics/Import.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Graph;
using graph::Node;
using graph::Tensor;

const FunctionParts *GraphReader::findFunction(const NodeParts &node) const {
  for (const FunctionParts &function : functions)
    if (function.name == node.op && function.domain == node.domain &&
        function.overload == node.overload)
      return &function;
  return nullptr;
}

void GraphReader::inlineCall(const NodeParts &node,
                             const FunctionParts &function, Node &call,
                             Graph &graph, Scope &scope) {
  if (std::ranges::find(calls, &function) != calls.end() ||
      calls.size() > kMostDepth) {
    diags
        .report(diag::ImportBadGraph, at(call),
                "function " + std::string(function.name) + " calls itself")
        .expected("a function that does not call itself");
    return;
  }
  auto bindings = call.attributes;
  for (Bytes bytes : function.defaults) {
    AttributeParts a;
    if (parts(bytes, a,
              "an attribute of function " + std::string(function.name)))
      if (auto value = attributeOf(a, scope, call))
        bindings.try_emplace(std::string(a.name), std::move(*value));
  }
  Scope inner;
  inner.prefix = scope.prefix +
                 std::string(node.name.empty() ? function.name : node.name) +
                 "/";
  inner.bindings = &bindings;
  inner.sets =
      function.operatorSets.empty() ? scope.sets : &function.operatorSets;
  inner.depth = scope.depth + 1;
  for (std::size_t i = 0; i < function.inputs.size(); ++i)
    inner.names.emplace(function.inputs[i], call.input(i));
  // The function's outputs are tensors of the caller.
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    Tensor *tensor = call.output(i);
    // An output that is an input of the function, or that nobody takes.
    if (tensor && inner.names.contains(function.outputs[i])) {
      graph.addNode("Identity", {inner.names.find(function.outputs[i])->second},
                    {tensor});
      continue;
    }
    if (tensor)
      inner.names.emplace(function.outputs[i], tensor);
  }
  calls.push_back(&function);
  readNodes(function.nodes, graph, inner);
  calls.pop_back();
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const Tensor *tensor = call.outputs[i];
    bool isInput = i < function.outputs.size() &&
                   std::ranges::find(function.inputs, function.outputs[i]) !=
                       function.inputs.end();
    if (tensor && !isInput && !inner.written.contains(tensor))
      diags
          .report(diag::ImportBadGraph, at(call),
                  "function " + std::string(function.name) +
                      " does not write output " + std::to_string(i))
          .found("tensor " + tensor->name)
          .expected("a node of the function, or one of its inputs");
  }
}
