//===- MinCutTest.cpp - Cheapest cuts -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/MinCut.h"
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::graph;

TEST(MinCut, CutsTheCheaperEdge) {
  MinCut cut;
  unsigned a = cut.addNode();
  cut.addEdge(MinCut::kSource, a, 5);
  cut.addEdge(a, MinCut::kSink, 3);
  cut.solve();
  EXPECT_TRUE(cut.isWithSource(a));
}

TEST(MinCut, IsAsCheapAsTheBestOfAllCuts) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    constexpr unsigned kNodes = 6;
    MinCut cut;
    for (unsigned i = 0; i < kNodes; ++i)
      cut.addNode();
    struct Edge {
      unsigned from, to;
      int64_t cost;
    };
    std::vector<Edge> edges;
    for (int i = 0; i < 14; ++i) {
      Edge e{unsigned(random() % (kNodes + 2)),
             unsigned(random() % (kNodes + 2)), int64_t(random() % 9 + 1)};
      if (e.from == e.to || e.from == MinCut::kSink || e.to == MinCut::kSource)
        continue;
      edges.push_back(e);
      cut.addEdge(e.from, e.to, e.cost);
    }
    cut.solve();
    auto costOf = [&](auto isSource) {
      int64_t cost = 0;
      for (const Edge &e : edges)
        if (isSource(e.from) && !isSource(e.to))
          cost += e.cost;
      return cost;
    };
    int64_t best = INT64_MAX;
    for (unsigned mask = 0; mask < 1u << kNodes; ++mask)
      best = std::min(best, costOf([&](unsigned n) {
                        return n == MinCut::kSource ||
                               (n != MinCut::kSink && mask >> (n - 2) & 1);
                      }));
    EXPECT_EQ(costOf([&](unsigned n) { return cut.isWithSource(n); }), best);
  }
}
