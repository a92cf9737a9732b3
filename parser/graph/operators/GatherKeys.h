//===- GatherKeys.h - The keys of a Gather ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What Gather nodes of all formats have in common.
//
//   n.layer("Gather", {x, indices}, gatherKeys(n, axis, batchDims));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_OPERATORS_GATHERKEYS_H
#define YARROW_PARSER_GRAPH_OPERATORS_GATHERKEYS_H

#include "parser/graph/Emitter.h"

namespace yarrow::graph {

/// Lookups of some formats do not count from the end: their nodes have
/// negative_indices.
inline Keys gatherKeys(NodeEmitter &n, int64_t axis, int64_t batchDims) {
  Keys keys = {{"axis", axis}, {"batch_dims", batchDims}};
  if (n.node.attribute("negative_indices"))
    keys.push_back({"negative_indices", n.node.text("negative_indices", "")});
  return keys;
}

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_OPERATORS_GATHERKEYS_H
