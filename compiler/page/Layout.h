//===- Layout.h - Where the layers of a network are drawn -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layered drawing: a node's row is the longest path to it, so that every edge
// leads downwards. An edge over several rows gets a lane between the nodes of
// each row that it passes; edges of one node share their lane. Rows are ordered
// by the means of their neighbours (Sugiyama, Tagawa, Toda 1981) and nodes come
// as near to these means as the distances between them allow, which pooling
// adjacent violators solves exactly for a row.
//
//   GraphLayout layout = layOut({{}, {0}, {1, 0}}); // sources of each node
//   layout.nodes[2].row == 2;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_LAYOUT_H
#define YARROW_COMPILER_PAGE_LAYOUT_H

#include <cstdint>
#include <vector>

namespace yarrow {

/// Sizes of the drawing, in pixels without zoom.
struct LayoutSizes {
  int32_t nodeWidth = 232, nodeHeight = 60;
  int32_t columnGap = 28; ///< Between neighbouring nodes of a row.
  int32_t laneWidth = 26; ///< That an edge takes beside the nodes of a row.
  int32_t rowGap = 34;
};

struct LayoutPoint {
  int32_t x, y;
  bool operator==(const LayoutPoint &) const = default;
};

struct LayoutNode {
  uint32_t row = 0;
  LayoutPoint corner{0, 0}; ///< Upper left.
};

struct LayoutEdge {
  uint32_t from, to;
  /// From the lower border of one node to the upper border of the other, with
  /// both ends of the lane in each row between.
  std::vector<LayoutPoint> points;
};

struct GraphLayout {
  LayoutSizes sizes;
  std::vector<LayoutNode> nodes; ///< In the order given.
  std::vector<LayoutEdge> edges; ///< By target, then as its sources are given.
  int32_t width = 0, height = 0;
};

/// \p sources has for each node the nodes that it reads, all of which come
/// before it; one that is there twice is one edge. Same input, same output.
GraphLayout layOut(const std::vector<std::vector<uint32_t>> &sources,
                   const LayoutSizes &sizes = {});

} // namespace yarrow

#endif // YARROW_COMPILER_PAGE_LAYOUT_H
