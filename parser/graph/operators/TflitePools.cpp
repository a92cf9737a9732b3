//===- TflitePools.cpp - Pools of TFLite ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/TfliteWindows.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

LogicalResult graph::emitTflitePool(NodeEmitter &n) {
  if (failed(checkImage(n, 2)))
    return failure();
  auto window = tfliteWindow(n, {n.node.integer("filter_height", 0),
                                 n.node.integer("filter_width", 0)});
  if (failed(window))
    return failure();
  bool isMax = n.node.op == "MaxPool2D", isRoot = n.node.op == "L2Pool2D";
  Keys keys = windowKeys(*window);
  keys.push_back({"ceil_mode", false});
  keys.push_back({"method", isMax ? "MAX" : "AVG"});
  if (!isMax) // of the cells that are there
    keys.push_back({"count_include_pad", false});
  Value x = n.plain(0);
  if (isRoot)
    x = n.layer("Square", {x});
  Value y = n.layer("Pooling", {x}, keys);
  if (isRoot)
    y = n.layer("Sqrt", {y});
  return n.outPlain(0, y);
}
