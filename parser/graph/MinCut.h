//===- MinCut.h - The cheapest cut of a directed graph ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   MinCut cut;
//   unsigned a = cut.addNode();
//   cut.addEdge(MinCut::kSource, a, 5);  // costs 5 if a is with the sink
//   cut.addEdge(a, MinCut::kSink, 3);    // costs 3 if it is with the source
//   cut.solve();
//   cut.isWithSource(a);                 // true
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_MINCUT_H
#define YARROW_PARSER_GRAPH_MINCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace yarrow::graph {

class MinCut {
public:
  static constexpr unsigned kSource = 0, kSink = 1;
  /// More than all costs together: what must not be cut.
  static constexpr int64_t kNever = int64_t(1) << 60;

  MinCut() : edgesOf(2) {}
  unsigned addNode() {
    edgesOf.emplace_back();
    return unsigned(edgesOf.size()) - 1;
  }
  /// Costs \p cost if \p from is with the source and \p to with the sink.
  void addEdge(unsigned from, unsigned to, int64_t cost);
  void solve();
  bool isWithSource(unsigned node) const { return level[node] >= 0; }

private:
  struct Edge {
    unsigned to;
    int64_t left;
  };
  bool findLevels();
  int64_t push(unsigned node, int64_t most);

  std::vector<Edge> edges; ///< Each followed by the one back.
  std::vector<std::vector<unsigned>> edgesOf;
  std::vector<int> level;
  std::vector<std::size_t> next;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_MINCUT_H
