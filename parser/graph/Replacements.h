//===- Replacements.h - Tensors that replace others -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A pass that removes nodes from the import graph records which tensor replaces
// the result of each. At the end the other nodes read that tensor, in inner
// graphs, too.
//
//   replacements.add(identity.output(0), identity.input(0));
//   replacements.readIn(graph, [&](Graph &inner, Tensor *&output) {
//     output = replacements.of(output);
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_REPLACEMENTS_H
#define YARROW_PARSER_GRAPH_REPLACEMENTS_H

#include "parser/graph/ImportGraph.h"

#include <functional>
#include <map>

namespace yarrow::graph {

class Replacements {
public:
  /// Called with a graph within and an output of it that may be replaced.
  using InnerOutput = std::function<void(Graph &, Tensor *&)>;

  void add(const Tensor *from, Tensor *to) { byReplaced[from] = to; }
  bool contains(const Tensor *x) const { return byReplaced.contains(x); }

  /// What is read in the place of \p x: itself, if nothing replaced it.
  template <typename AnyTensor> // constant or not
  AnyTensor *of(AnyTensor *x) const {
    for (auto it = byReplaced.find(x); it != byReplaced.end();
         it = byReplaced.find(x))
      x = it->second;
    return x;
  }

  /// Inputs of all nodes of \p graph. Its own outputs stay; those of graphs
  /// within are up to \p onOutput.
  void readIn(Graph &graph, const InnerOutput &onOutput) const {
    for (auto &node : graph.nodes) {
      for (Tensor *&input : node->inputs)
        input = of(input);
      for (auto &[key, attribute] : node->attributes)
        if (attribute.graph)
          readWithin(*attribute.graph, onOutput);
    }
  }

private:
  void readWithin(Graph &inner, const InnerOutput &onOutput) const {
    readIn(inner, onOutput);
    for (Tensor *&output : inner.outputs)
      onOutput(inner, output);
  }

  std::map<const Tensor *, Tensor *> byReplaced;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_REPLACEMENTS_H
