//===- MinCut.cpp - The cheapest cut of a directed graph ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The cut that the greatest flow leaves (Dinic): flow along shortest ways, as
// long as there are any.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/MinCut.h"
#include <algorithm>

using namespace yarrow::graph;

void MinCut::addEdge(unsigned from, unsigned to, int64_t cost) {
  edgesOf[from].push_back(unsigned(edges.size()));
  edges.push_back({to, cost});
  edgesOf[to].push_back(unsigned(edges.size()));
  edges.push_back({from, 0});
}

bool MinCut::findLevels() {
  level.assign(edgesOf.size(), -1);
  std::vector<unsigned> queue = {kSource};
  level[kSource] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (unsigned e : edgesOf[queue[i]])
      if (edges[e].left > 0 && level[edges[e].to] < 0) {
        level[edges[e].to] = level[queue[i]] + 1;
        queue.push_back(edges[e].to);
      }
  return level[kSink] >= 0;
}

/// Pushes one way's flow from the source; \p most bounds it. Without recursion:
/// a network may be thousands of nodes deep.
int64_t MinCut::push(unsigned node, int64_t most) {
  std::vector<unsigned> way; // edges from the source
  unsigned at = node;
  while (at != kSink) {
    bool found = false;
    for (std::size_t &i = next[at]; i < edgesOf[at].size(); ++i) {
      const Edge &edge = edges[edgesOf[at][i]];
      if (edge.left > 0 && level[edge.to] == level[at] + 1) {
        way.push_back(edgesOf[at][i]);
        at = edge.to;
        found = true;
        break;
      }
    }
    if (found)
      continue;
    if (way.empty())
      return 0;
    // A dead end: back one step, and past it.
    unsigned last = way.back();
    way.pop_back();
    at = edges[last ^ 1].to;
    ++next[at];
  }
  for (unsigned e : way)
    most = std::min(most, edges[e].left);
  for (unsigned e : way) {
    edges[e].left -= most;
    edges[e ^ 1].left += most;
  }
  return most;
}

void MinCut::solve() {
  while (findLevels()) {
    next.assign(edgesOf.size(), 0);
    while (push(kSource, kNever) > 0)
      ;
  }
}
