//===- PageLayoutTest.cpp - Where the layers of a network are drawn -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/Layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace yarrow;

namespace {

using Sources = std::vector<std::vector<uint32_t>>;

/// Of \p numNodes; each reads up to three of the \p reach before it.
Sources randomGraph(uint32_t numNodes, uint32_t reach, uint32_t seed) {
  std::mt19937 random(seed);
  Sources sources(numNodes);
  for (uint32_t node = 1; node < numNodes; ++node)
    for (uint32_t n = random() % 4; n > 0; --n)
      sources[node].push_back(node - 1 - random() % std::min(reach, node));
  return sources;
}

void expectDownwards(const GraphLayout &layout, const Sources &sources) {
  auto sizes = layout.sizes;
  for (const LayoutEdge &edge : layout.edges) {
    EXPECT_TRUE(std::count(sources[edge.to].begin(), sources[edge.to].end(),
                           edge.from));
    LayoutPoint from = layout.nodes[edge.from].corner,
                to = layout.nodes[edge.to].corner;
    EXPECT_EQ(edge.points.front(), (LayoutPoint{from.x + sizes.nodeWidth / 2,
                                                from.y + sizes.nodeHeight}));
    EXPECT_EQ(edge.points.back(),
              (LayoutPoint{to.x + sizes.nodeWidth / 2, to.y}));
    for (std::size_t i = 1; i < edge.points.size(); ++i)
      EXPECT_LT(edge.points[i - 1].y, edge.points[i].y);
  }
}

/// A node has its row for itself but for others at a distance, and no edge
/// leads through it.
void expectNoOverlap(const GraphLayout &layout) {
  auto sizes = layout.sizes;
  std::vector<std::vector<int32_t>> lefts; // by row
  for (const LayoutNode &node : layout.nodes) {
    EXPECT_GE(node.corner.x, 0);
    EXPECT_LE(node.corner.x + sizes.nodeWidth, layout.width);
    EXPECT_LE(node.corner.y + sizes.nodeHeight, layout.height);
    EXPECT_EQ(node.corner.y,
              int32_t(node.row) * (sizes.nodeHeight + sizes.rowGap));
    lefts.resize(std::max<std::size_t>(lefts.size(), node.row + 1));
    lefts[node.row].push_back(node.corner.x);
  }
  for (std::vector<int32_t> &row : lefts) {
    std::sort(row.begin(), row.end());
    for (std::size_t i = 1; i < row.size(); ++i)
      EXPECT_GE(row[i], row[i - 1] + sizes.nodeWidth + sizes.columnGap);
  }
  for (const LayoutEdge &edge : layout.edges)
    for (std::size_t i = 1; i + 1 < edge.points.size(); i += 2) {
      // From the upper end of a row to its lower end.
      EXPECT_EQ(edge.points[i].x, edge.points[i + 1].x);
      EXPECT_EQ(edge.points[i + 1].y - edge.points[i].y, sizes.nodeHeight);
      auto row = std::size_t(edge.points[i].y) /
                 std::size_t(sizes.nodeHeight + sizes.rowGap);
      for (int32_t left : lefts[row])
        EXPECT_TRUE(edge.points[i].x < left ||
                    edge.points[i].x > left + sizes.nodeWidth);
    }
}

TEST(PageLayout, RowsAreLongestPaths) {
  // A diamond with a shortcut: 0 -> 1 -> 2 -> 3, 0 -> 3.
  GraphLayout layout = layOut({{}, {0}, {1}, {2, 0}});
  for (uint32_t node = 0; node < 4; ++node)
    EXPECT_EQ(layout.nodes[node].row, node);
  ASSERT_EQ(layout.edges.size(), 4u);
  EXPECT_EQ(layout.edges[3].from, 0u);
  EXPECT_EQ(layout.edges[3].points.size(), 6u); // two rows are passed
}

TEST(PageLayout, WhatReadsNothingLiesAboveItsReader) {
  GraphLayout layout = layOut({{}, {0}, {1}, {}, {2, 3}});
  EXPECT_EQ(layout.nodes[3].row, 2u);
  EXPECT_EQ(layout.nodes[4].row, 3u);
}

TEST(PageLayout, AChainIsStraight) {
  Sources sources(1000);
  for (uint32_t node = 1; node < 1000; ++node)
    sources[node] = {node - 1};
  GraphLayout layout = layOut(sources);
  for (const LayoutNode &node : layout.nodes)
    EXPECT_EQ(node.corner.x, 0);
  EXPECT_EQ(layout.width, layout.sizes.nodeWidth);
  expectDownwards(layout, sources);
}

/// x + f(x), again and again: nodes stay in one column, shortcuts beside them.
TEST(PageLayout, ResidualBlocksAreCompact) {
  Sources sources{{}};
  for (int block = 0; block < 20; ++block) {
    auto last = uint32_t(sources.size() - 1);
    sources.push_back({last});
    sources.push_back({last + 1});
    sources.push_back({last + 2, last});
  }
  GraphLayout layout = layOut(sources);
  expectDownwards(layout, sources);
  expectNoOverlap(layout);
  EXPECT_LE(layout.width, 2 * layout.sizes.nodeWidth);
}

TEST(PageLayout, RandomGraphs) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Sources sources = randomGraph(4 + 7 * seed, 1 + seed % 12, seed);
    GraphLayout layout = layOut(sources);
    expectDownwards(layout, sources);
    expectNoOverlap(layout);
  }
}

TEST(PageLayout, IsTheSameEachTime) {
  Sources sources = randomGraph(200, 9, 5);
  GraphLayout one = layOut(sources), other = layOut(sources);
  for (std::size_t i = 0; i < sources.size(); ++i)
    EXPECT_EQ(one.nodes[i].corner, other.nodes[i].corner);
}

TEST(PageLayout, Empty) {
  GraphLayout layout = layOut({});
  EXPECT_EQ(layout.width, 0);
  EXPECT_EQ(layout.height, 0);
  EXPECT_EQ(layOut({{}}).height, layout.sizes.nodeHeight);
}

} // namespace
