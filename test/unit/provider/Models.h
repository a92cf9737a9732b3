//===- Models.h - Models to be divided --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Models of elementwise operators, in short: "y = Relu x", one node a line. The
// name of a node is its result. The first reads "x", of 4 floats.
//
//   auto graph = models::graph({"a = Relu x", "y = Det a"}, {"y"});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_PROVIDER_MODELS_H
#define YARROW_TEST_UNIT_PROVIDER_MODELS_H

#include "compiler/provider/ModelGraph.h"
#include "test/OnnxBytes.h"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace yarrow::models {

inline std::string bytes(const std::vector<std::string> &nodes,
                         const std::vector<std::string> &outputs,
                         const std::vector<std::string> &stated = {}) {
  test::Message graph;
  for (const std::string &line : nodes) {
    std::istringstream words(line);
    std::string result, equals, op;
    words >> result >> equals >> op;
    std::vector<std::string> reads;
    for (std::string word; words >> word;)
      reads.push_back(word);
    graph.add(1, test::nodeOf(op, reads, {result}, result));
  }
  graph.add(11, test::valueOf("x", {4, 4}));
  for (const std::string &output : outputs)
    graph.add(12, test::valueOf(output, {4, 4}));
  for (const std::string &tensor : stated)
    graph.add(13, test::valueOf(tensor, {4, 4}));
  return test::modelOf(graph);
}

inline std::unique_ptr<provider::ModelGraph>
graph(const std::vector<std::string> &nodes,
      const std::vector<std::string> &outputs,
      const std::vector<std::string> &stated = {}) {
  DiagnosticEngine diags;
  std::string content = bytes(nodes, outputs, stated);
  return provider::ModelGraph::read(
      MappedFile::ofMemory("m.onnx", std::as_bytes(std::span(content))), diags);
}

} // namespace yarrow::models

#endif // YARROW_TEST_UNIT_PROVIDER_MODELS_H
