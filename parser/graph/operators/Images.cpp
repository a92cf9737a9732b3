//===- Images.cpp - Sampling of images -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Regions.h"
#include "parser/graph/operators/Windows.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

LogicalResult graph::emitGridSample(NodeEmitter &n) {
  if (n.rank(0) != 4 && n.rank(0) != 5)
    return n.refuse("this number of axes is not supported",
                    shapeText(n.shape(0)), "4 or 5 axes");
  std::string mode = n.node.text("mode", "linear");
  std::string method = mode == "nearest"                      ? "NEAREST"
                       : mode == "cubic" || mode == "bicubic" ? "BICUBIC"
                                                              : "BILINEAR";
  Value x = n.last(0);
  if (!x)
    return failure();
  return n.outLast(
      0,
      n.build
          .layers("GridSample", {x, n.plain(1)},
                  {{"method", method},
                   {"padding_mode",
                    StringRef(n.node.text("padding_mode", "zeros")).upper()},
                   {"align_corners", n.node.integer("align_corners", 0) != 0}},
                  {elementOf(x)})
          .front());
}

Value graph::columnsOf(NodeEmitter &n, Value x, ArrayRef<int32_t> order) {
  Value indices = n.build.constantOf({int64_t(order.size())}, order);
  return n.layer("Gather", {x, indices}, {{"axis", 1}, {"batch_dims", 0}});
}

Value graph::regionsOf(NodeEmitter &n) {
  Value rois = n.plain(1), images = n.plain(2);
  if (!rois || !images)
    return {};
  images =
      n.build.cast(n.build.reshape(images, {n.shape(1)[0], 1}), DType::F32);
  return n.layer("Concat", {images, columnsOf(n, rois, {1, 0, 3, 2})},
                 {{"axis", 1}});
}

LogicalResult graph::emitRoiAlign(NodeEmitter &n) {
  if (n.rank(0) != 4 || n.rank(1) != 2 || n.shape(1)[1] != 4)
    return n.bad("the input or its regions have a wrong shape",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "[N,C,H,W] and [regions,4]");
  std::string how =
      n.node.text("coordinate_transformation_mode",
                  n.node.version < 16 ? "output_half_pixel" : "half_pixel");
  double scale = n.node.number("spatial_scale", 1);
  int64_t sample = n.node.integer("sampling_ratio", 0);
  return n.outLast(
      0,
      n.build
          .layers("RoiAlign", {n.last(0), regionsOf(n)},
                  {{"method", StringRef(n.node.text("mode", "avg")).upper()},
                   {"pooled_shape",
                    std::vector<int64_t>{n.node.integer("output_height", 1),
                                         n.node.integer("output_width", 1)}},
                   {"coordinate_transformation_mode", StringRef(how).upper()},
                   {"sample", std::vector<int64_t>{sample, sample}},
                   {"spatial_scale_value", std::vector<double>{scale, scale}}},
                  {DType::F32})
          .front());
}

LogicalResult graph::emitMaxRoiPool(NodeEmitter &n) {
  std::vector<int64_t> pooled = n.node.integers("pooled_shape");
  double scale = n.node.number("spatial_scale", 1);
  return n.outLast(
      0, n.build
             .layers("MaxRoiPool",
                     {n.last(0), columnsOf(n, n.plain(1), {0, 2, 1, 4, 3})},
                     {{"pooled_shape", pooled},
                      {"spatial", std::vector<double>{scale, scale}}},
                     {DType::F32})
             .front());
}

/// Integers as a Constant layer.
static Value integerList(NodeEmitter &n, const std::vector<int64_t> &values) {
  std::vector<int32_t> narrow(values.begin(), values.end());
  return n.build.constantOf({int64_t(narrow.size())}, narrow);
}

LogicalResult graph::emitAffineGrid(NodeEmitter &n) {
  auto size = n.integers(1, "the size");
  if (failed(size))
    return failure();
  if (size->size() != 4 && size->size() != 5)
    return n.bad("size has a wrong length", shapeText(*size), "4 or 5 lengths");
  Shape grid = {size->front()};
  grid.insert(grid.end(), size->begin() + 2, size->end());
  grid.push_back(int64_t(size->size()) - 2);
  return n.out(
      0, n.build
             .declared(
                 "AffineGrid",
                 {n.plain(0),
                  integerList(n, permuted(*size, lastPerm(size->size())))},
                 {{"align_corners", n.node.integer("align_corners", 0) != 0}},
                 {compass::plainType(n.build.builder.getContext(), grid,
                                     DType::F32)})
             .front());
}

LogicalResult graph::emitCol2Im(NodeEmitter &n) {
  auto image = n.integers(1, "the shape of the image"),
       block = n.integers(2, "the shape of the block");
  if (failed(image) || failed(block))
    return failure();
  if (image->size() != 2 || block->size() != 2 || n.rank(0) != 3)
    return n.refuse("inputs other than images are not supported",
                    shapeText(*image), "two axes");
  auto window = windowOf(n, *image, *block);
  if (failed(window))
    return failure();
  Keys keys;
  for (Key &key : windowKeys(*window))
    if (!StringRef(key.name).starts_with("kernel"))
      keys.push_back(key);
  int64_t cells = (*block)[0] * (*block)[1];
  if (cells < 1 || n.shape(0)[1] % cells)
    return n.bad("the block does not divide the columns", shapeText(*block),
                 "a divisor of " + std::to_string(n.shape(0)[1]));
  Shape shape = {n.shape(0)[0], n.shape(0)[1] / cells, (*image)[0],
                 (*image)[1]};
  return n.out(0,
               n.build
                   .declared("Col2Im",
                             {n.plain(0), integerList(n, *image),
                              integerList(n, *block)},
                             keys,
                             {compass::plainType(n.build.builder.getContext(),
                                                 shape, DType::F32)})
                   .front());
}
