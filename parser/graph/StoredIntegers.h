//===- StoredIntegers.h - Integers that become numbers ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds the tensors of integers in a graph that mean numbers and nothing else:
// QuantizeLinear makes them (or they are an input, or a constant), nodes may
// move them, and DequantizeLinear reads them. Integers that any other node
// reads are left out, and so are integers that are moved together with them.
//
//   StoredIntegers integers(graph, uses, /*isMain=*/true);
//   if (const Quantization *q = integers.of(tensor)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_STOREDINTEGERS_H
#define YARROW_PARSER_GRAPH_STOREDINTEGERS_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::graph {

class StoredIntegers {
public:
  using Forms = std::map<const Tensor *, Quantization>;

  /// \p isMain: inputs and outputs of the graph may be stored, too.
  StoredIntegers(const Graph &graph, const Uses &uses, bool isMain);

  /// How the writer of \p tensor makes it; null if it is none of them.
  const Quantization *of(const Tensor *tensor) const {
    auto it = forms.find(tensor);
    return it == forms.end() ? nullptr : &it->second;
  }
  const Forms &all() const { return forms; }

private:
  void findInputs();
  void follow();
  bool stays(const Tensor *tensor) const;
  bool isReadAsNumbers(const Tensor *tensor, const Node &reader) const;
  bool isMovedTo(const Node &mover) const;

  const Graph &graph;
  const Uses &uses;
  const bool isMain;
  Forms forms;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_STOREDINTEGERS_H
