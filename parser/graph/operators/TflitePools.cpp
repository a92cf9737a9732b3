//===- TflitePools.cpp - Pools with channels last -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/TfliteWindows.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// Reports pads so wide that a window has no cell: it has neither a mean nor a
/// largest value.
static LogicalResult checkWindows(NodeEmitter &n, const Window &w) {
  std::vector<int64_t> spatial(n.shape(0).begin() + 1, n.shape(0).end() - 1);
  std::vector<int64_t> counts = windowCounts(spatial, w, /*ceil=*/false);
  for (size_t a = 0; a < counts.size(); ++a)
    if (w.begin[a] >= w.kernel[a] ||
        (counts[a] - 1) * w.stride[a] - w.begin[a] >= spatial[a])
      return n.bad("a window only covers padding",
                   "pads " + shapeText(w.begin) + " and " + shapeText(w.end),
                   "pads below the window " + shapeText(w.kernel));
  return success();
}

static Shape pooledShape(NodeEmitter &n, const Window &w) {
  Shape shape = n.shape(0);
  std::vector<int64_t> spatial(shape.begin() + 1, shape.end() - 1);
  llvm::copy(windowCounts(spatial, w, /*ceil=*/false), shape.begin() + 1);
  return shape;
}

LogicalResult graph::emitTflitePool(NodeEmitter &n) {
  if (failed(checkImage(n, 2)))
    return failure();
  auto window = tfliteWindow(n, {n.node.integer("filter_height", 0),
                                 n.node.integer("filter_width", 0)});
  if (failed(window) || failed(checkWindows(n, *window)))
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
  if (!x)
    return failure();
  // How lengths are rounded the result alone tells.
  Value y =
      n.build
          .declared("Pooling", {x}, keys,
                    {compass::plainType(x.getContext(), pooledShape(n, *window),
                                        elementOf(x))})
          .front();
  if (isRoot)
    y = n.layer("Sqrt", {y});
  return n.outPlain(0, y);
}
