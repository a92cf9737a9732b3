//===- NodeOrder.cpp - Nodes in an order that computes --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/NodeOrder.h"

#include "support/diagnostics/Import.h"
#include <queue>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Node;
using graph::Tensor;

void onnx::orderNodes(graph::Graph &graph, const std::string &path,
                      DiagnosticEngine &diags) {
  std::size_t count = graph.nodes.size();
  std::map<const Tensor *, std::size_t> writer;
  for (std::size_t i = 0; i < count; ++i)
    for (const Tensor *tensor : graph.nodes[i]->outputs)
      if (tensor)
        writer.emplace(tensor, i);
  std::vector<std::vector<std::size_t>> readers(count);
  std::vector<std::size_t> waitsFor(count);
  for (std::size_t i = 0; i < count; ++i)
    for (const Tensor *tensor : readBy(*graph.nodes[i]))
      if (auto it = writer.find(tensor); it != writer.end()) {
        readers[it->second].push_back(i);
        ++waitsFor[i];
      }
  // The first of those that wait for nothing, so that files keep their order.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>
      ready;
  for (std::size_t i = 0; i < count; ++i)
    if (waitsFor[i] == 0)
      ready.push(i);
  std::vector<std::unique_ptr<Node>> sorted;
  while (!ready.empty()) {
    std::size_t i = ready.top();
    ready.pop();
    for (std::size_t reader : readers[i])
      if (--waitsFor[reader] == 0)
        ready.push(reader);
    sorted.push_back(std::move(graph.nodes[i]));
  }
  if (sorted.size() != count)
    for (auto &node : graph.nodes)
      if (node) {
        diags
            .report(diag::ImportBadGraph, {path + ": " + node->describe()},
                    "nodes depend on each other in a cycle")
            .found(std::to_string(count - sorted.size()) +
                   " nodes in it or after it")
            .expected("a graph without cycles");
        break;
      }
  for (auto &node : graph.nodes)
    if (node)
      sorted.push_back(std::move(node));
  graph.nodes = std::move(sorted);
}
