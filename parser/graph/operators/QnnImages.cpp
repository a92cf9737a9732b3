//===- QnnImages.cpp - Images of QNN --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Channels are last.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/TfliteWindows.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

LogicalResult graph::emitQnnResize(NodeEmitter &n) {
  Shape size = n.node.integers("size");
  if (size == n.shape(0))
    return n.outPlain(0, n.plain(0));
  if (failed(checkImage(n, 2)))
    return failure();
  Keys keys = {{"method", n.node.text("method", "BILINEAR")},
               {"mode", n.node.text("mode", "HALF_PIXEL")},
               {"antialias", false},
               {"exclude_outside", false},
               {"size", size}};
  if (n.node.attribute("nearest_mode"))
    keys.push_back({"nearest_mode", n.node.text("nearest_mode", "")});
  return n.outPlain(0, n.layer("Resize", {n.plain(0)}, keys));
}

LogicalResult graph::emitQnnBlocks(NodeEmitter &n) {
  std::vector<int64_t> block = n.node.integers("block_size");
  if (n.rank(0) != 4 || block.size() != 2)
    return n.bad("the input is not an image", shapeText(n.shape(0)), "4 axes");
  Keys keys = {{"block_size_y", block[0]}, {"block_size_x", block[1]}};
  if (n.node.op == "DepthToSpace")
    keys.push_back({"mode", n.node.text("mode", "DCR")});
  return n.outPlain(0, n.layer(n.node.op, {n.plain(0)}, keys));
}
