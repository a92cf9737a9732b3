//===- TfliteImages.cpp - Resizing and blocks of TFLite -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/TfliteWindows.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

LogicalResult graph::emitTfliteResize(NodeEmitter &n) {
  if (failed(checkImage(n, 2)))
    return failure();
  auto lengths = n.integers(1, "the size");
  if (failed(lengths))
    return failure();
  constexpr int64_t kMost = 1 << 20;
  if (lengths->size() != 2 || !std::ranges::all_of(*lengths, [](int64_t l) {
        return l >= 1 && l <= kMost;
      }))
    return n.bad("the size is not positive", shapeText(*lengths),
                 "rows and columns");
  Shape size = {n.shape(0)[0], (*lengths)[0], (*lengths)[1], n.shape(0)[3]};
  if (size == n.shape(0))
    return n.outPlain(0, n.plain(0));
  bool isNearest = n.node.op == "ResizeNearestNeighbor";
  bool hasCorners = n.node.integer("align_corners", 0) != 0;
  bool isCentred = n.node.integer("half_pixel_centers", 0) != 0;
  if (hasCorners && isCentred)
    return n.bad("both corners and centres are aligned", "both options", "one");
  Keys keys = {{"method", isNearest ? "NEAREST" : "BILINEAR"},
               {"mode", hasCorners   ? "ALIGN_CORNERS"
                        : !isCentred ? "ASYMMETRIC"
                        : isNearest  ? "TF_HALF_PIXEL_FOR_NN"
                                     : "HALF_PIXEL"},
               {"antialias", false},
               {"exclude_outside", false},
               {"size", size}};
  if (isNearest)
    keys.push_back(
        {"nearest_mode", hasCorners ? "ROUND_PREFER_CEIL" : "FLOOR"});
  return n.outPlain(0, n.layer("Resize", {n.plain(0)}, keys));
}

LogicalResult graph::emitTfliteDepthToSpace(NodeEmitter &n) {
  if (failed(checkImage(n, 2)))
    return failure();
  int64_t size = n.node.integer("block_size", 0);
  Keys keys = {{"block_size_x", size}, {"block_size_y", size}};
  if (n.node.op == "DepthToSpace")
    keys.push_back({"mode", "DCR"});
  return n.outPlain(0, n.layer(n.node.op, {n.plain(0)}, keys));
}

namespace {
/// A block along each of the first axes behind the batch, and what is added or
/// cut off there.
struct Blocks {
  std::vector<int64_t> size;
  Key::Rows edges;
};
} // namespace

static FailureOr<Blocks> blocksOf(NodeEmitter &n) {
  auto size = n.integers(1, "the size of the blocks"),
       edges = n.integers(2, "the list of pads or crops");
  if (failed(size) || failed(edges))
    return failure();
  bool fits = !size->empty() && int64_t(size->size()) < n.rank(0) &&
              edges->size() == 2 * size->size();
  for (int64_t length : *size)
    fits &= length >= 1;
  for (int64_t edge : *edges)
    fits &= edge >= 0;
  if (!fits)
    return n.bad("the blocks do not match the input",
                 shapeText(*size) + ", edges " + shapeText(*edges),
                 "lengths of 1 or more, two edges of 0 or more for each");
  Blocks blocks{*size, {}};
  for (size_t i = 0; i < edges->size(); i += 2)
    blocks.edges.push_back({(*edges)[i], (*edges)[i + 1]});
  return blocks;
}

LogicalResult graph::emitTfliteBatchToSpace(NodeEmitter &n) {
  auto blocks = blocksOf(n);
  Value x = failed(blocks) ? Value() : n.plain(0);
  if (!x)
    return failure();
  // The layer has blocks along all axes but the first and the last.
  size_t last = n.shape(0).size() - 1;
  Shape shape = n.shape(0);
  if (blocks->size.size() == last) {
    shape.push_back(1);
    x = n.build.reshape(x, shape);
    ++last;
  }
  std::vector<int64_t> size = blocks->size;
  size.resize(last - 1, 1);
  Key::Rows crops = blocks->edges;
  crops.resize(last - 1, {0, 0});
  Value y =
      n.layer("BatchToSpaceND", {x}, {{"block_size", size}, {"crops", crops}});
  if (y && shape.size() != n.shape(0).size())
    y = n.build.reshape(y, shapeOf(y).drop_back());
  return n.outPlain(0, y);
}

LogicalResult graph::emitTfliteSpaceToBatch(NodeEmitter &n) {
  auto blocks = blocksOf(n);
  Value x = failed(blocks) ? Value() : n.plain(0);
  if (!x)
    return failure();
  size_t axes = blocks->size.size();
  if (axes > 2)
    return n.refuse("more than two axes are not supported",
                    shapeText(blocks->size), "one or two axes");
  Shape shape = n.shape(0);
  // As an image: a list of rows has one column, what is behind is a channel.
  Shape rest(shape.begin() + long(axes) + 1, shape.end());
  Shape image = {shape[0], shape[1], axes == 2 ? shape[2] : 1,
                 numElements(rest)};
  Key::Rows pads = blocks->edges;
  std::vector<int64_t> size = blocks->size;
  pads.resize(2, {0, 0});
  size.resize(2, 1);
  Value y = n.layer("SpaceToBatch", {n.build.reshape(x, image)},
                    {{"block_size_y", size[0]},
                     {"block_size_x", size[1]},
                     {"pad_top", pads[0][0]},
                     {"pad_bottom", pads[0][1]},
                     {"pad_left", pads[1][0]},
                     {"pad_right", pads[1][1]}});
  if (!y)
    return failure();
  Shape result(shapeOf(y).begin(), shapeOf(y).begin() + long(axes) + 1);
  result.insert(result.end(), rest.begin(), rest.end());
  return n.outPlain(0, n.build.reshape(y, result));
}

LogicalResult graph::emitTfliteLrn(NodeEmitter &n) {
  if (failed(checkImage(n, 2)))
    return failure();
  // The layer has the mean of the squares, TFLite their sum.
  int64_t size = 2 * n.node.integer("radius", 0) + 1;
  return n.outPlain(
      0, n.layer("LRN", {n.plain(0)},
                 {{"method", "ACROSS_CHANNELS"},
                  {"size", size},
                  {"alpha", double(n.node.number("alpha", 0)) * double(size)},
                  {"beta", double(n.node.number("beta", 0))},
                  {"bias", double(n.node.number("bias", 0))}}));
}
