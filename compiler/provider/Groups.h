//===- Groups.h - Connected parts of a graph that can be one node -*- C++ -*-=//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Nodes of one colour that are connected become one group, as long as the
// groups, each taken for one node, still have an order that computes: no path
// leaves a group and comes back to it.
//
//   std::vector<int> colours(graph.nodes().size(), 0);
//   colours[7] = kLeftOut;
//   for (const Group &group : convexGroups(graph, colours)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PROVIDER_GROUPS_H
#define YARROW_COMPILER_PROVIDER_GROUPS_H

#include "compiler/provider/ModelGraph.h"

#include <vector>

namespace yarrow::provider {

/// Ascending.
using Group = std::vector<std::size_t>;

/// A node of this colour is in no group.
inline constexpr int kLeftOut = -1;

/// In the order of their first nodes.
std::vector<Group> convexGroups(const ModelGraph &graph,
                                const std::vector<int> &colours);

} // namespace yarrow::provider

#endif // YARROW_COMPILER_PROVIDER_GROUPS_H
