//===- Images.cpp - Resizing and sampling ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Regions.h"
#include "parser/graph/operators/Windows.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

namespace {
/// Lengths and ratios of a Resize, one for each axis of the input.
struct Target {
  Shape sizes;
  std::vector<double> ratios;
};
} // namespace

/// Which length of the two that keep_aspect_ratio_policy has all axes follow.
static void keepAspect(NodeEmitter &n, const std::vector<int64_t> &axes,
                       Target &t) {
  std::string policy = n.node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch")
    return;
  double ratio = t.ratios[size_t(axes.front())];
  for (int64_t axis : axes)
    ratio = policy == "not_larger" ? std::min(ratio, t.ratios[size_t(axis)])
                                   : std::max(ratio, t.ratios[size_t(axis)]);
  for (int64_t axis : axes) {
    auto a = size_t(axis);
    t.ratios[a] = ratio;
    // Half rounds up.
    t.sizes[a] = int64_t(std::floor(ratio * double(n.shape(0)[a]) + 0.5));
  }
}

static FailureOr<Target> target(NodeEmitter &n) {
  Target t{n.shape(0), std::vector<double>(n.shape(0).size(), 1.0)};
  std::vector<int64_t> axes = n.node.integers("axes");
  if (axes.empty())
    for (int64_t i = 0; i < n.rank(0); ++i)
      axes.push_back(i);
  for (int64_t &axis : axes) {
    auto front = n.wrapped(axis, n.rank(0));
    if (failed(front))
      return failure();
    axis = *front;
  }
  bool hasSizes =
      n.has(3) && !(n.constant(3) && n.constant(3)->numElements() == 0);
  auto given = hasSizes ? n.numbers(3, "the list of sizes")
                        : n.numbers(2, "the list of scales");
  if (failed(given))
    return failure();
  if (given->size() != axes.size())
    return n.bad("sizes or scales have a wrong length",
                 std::to_string(given->size()), std::to_string(axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    auto a = size_t(axes[i]);
    double value = (*given)[i], length = double(n.shape(0)[a]);
    constexpr double kMost = 1 << 24;
    if (!(value > 0 && value <= kMost))
      return n.bad("a size or scale is not positive", std::to_string(value),
                   "numbers above 0");
    t.sizes[a] =
        hasSizes ? int64_t(value) : int64_t(std::floor(value * length));
    t.ratios[a] = hasSizes ? value / length : value;
  }
  if (hasSizes)
    keepAspect(n, axes, t);
  return t;
}

/// Crops of the input between the corners of roi, resized.
static LogicalResult cropAndResize(NodeEmitter &n, const Target &t) {
  auto roi = n.numbers(1, "the region");
  std::string mode = n.node.text("mode", "nearest");
  if (failed(roi))
    return failure();
  std::vector<int64_t> axes = n.node.integers("axes");
  // [starts..., ends...] of all axes, or of those that axes names.
  auto edge = [&](int64_t axis, bool isEnd) {
    size_t count = axes.empty() ? n.shape(0).size() : axes.size();
    size_t at = size_t(axis);
    if (!axes.empty()) {
      auto it = std::ranges::find_if(
          axes, [&](int64_t a) { return a == axis || a + n.rank(0) == axis; });
      if (it == axes.end())
        return isEnd ? 1.0 : 0.0;
      at = size_t(it - axes.begin());
    }
    at += isEnd ? count : 0;
    return at < roi->size() ? (*roi)[at] : 0.0;
  };
  if (n.rank(0) != 4 || mode != "linear" || n.shape(0)[0] != 1)
    return n.refuse("of a region is imported of one image and linear alone",
                    mode + " of " + shapeText(n.shape(0)),
                    "linear of [1,C,H,W]");
  Value boxes = n.build.constantOf(
      {1, 4}, ArrayRef<float>({float(edge(2, false)), float(edge(3, false)),
                               float(edge(2, true)), float(edge(3, true))}));
  Value images = n.build.constantOf({1}, ArrayRef<int32_t>({0}));
  return n.outLast(
      0,
      n.build
          .layers("CropAndResize", {n.last(0), boxes, images},
                  {{"method", "BILINEAR"},
                   {"crop_size", std::vector<int64_t>{t.sizes[2], t.sizes[3]}},
                   {"extrapolation_value",
                    double(n.node.number("extrapolation_value", 0))}},
                  {DType::F32})
          .front());
}

LogicalResult graph::emitResize(NodeEmitter &n) {
  auto t = target(n);
  if (failed(t))
    return failure();
  std::string how = n.node.text("coordinate_transformation_mode", "half_pixel"),
              mode = n.node.text("mode", "nearest");
  if (t->sizes == n.shape(0) && how != "tf_crop_and_resize")
    return n.outLast(0, n.last(0));
  if (how == "tf_crop_and_resize")
    return cropAndResize(n, *t);
  if (n.rank(0) < 3 || n.rank(0) > 4 || t->sizes[0] != n.shape(0)[0] ||
      t->sizes[1] != n.shape(0)[1])
    return n.refuse("is imported over one or two spatial axes",
                    shapeText(n.shape(0)) + " to " + shapeText(t->sizes),
                    "[N,C,H,W] to [N,C,h,w]");
  if (mode != "nearest" && mode != "linear")
    return n.refuse("of this mode is not imported", mode, "nearest or linear");
  if (mode == "nearest" && n.node.integer("antialias", 0))
    return n.refuse("of this mode is not imported", "nearest with antialias",
                    "linear with antialias");
  if (how == "tf_half_pixel_for_nn")
    how = "TF_HALF_PIXEL_FOR_NN";
  // Scales decide where pixels are read, also where the length is rounded.
  bool hasSizes = n.has(3) && numElements(n.shape(3)) != 0;
  for (size_t a = 2; !hasSizes && how == "align_corners" && a < t->sizes.size();
       ++a)
    if (std::abs(t->ratios[a] * double(n.shape(0)[a]) - double(t->sizes[a])) >
        1e-4)
      return n.refuse("with corners that lie between pixels",
                      "scale " + std::to_string(t->ratios[a]) + " of length " +
                          std::to_string(n.shape(0)[a]),
                      "align_corners with sizes, or with whole results");
  Value x = imageOf(n, 0);
  if (!x)
    return failure();
  bool isSignal = n.rank(0) == 3;
  Shape size = {t->sizes[0], isSignal ? 1 : t->sizes[2], t->sizes.back(),
                t->sizes[1]};
  Keys keys = {{"method", mode == "nearest" ? "NEAREST" : "BILINEAR"},
               {"mode", StringRef(how).upper()},
               {"antialias", n.node.integer("antialias", 0) != 0},
               {"exclude_outside", n.node.integer("exclude_outside", 0) != 0}};
  if (hasSizes) {
    keys.push_back({"size", size});
  } else {
    keys.push_back({"ratio_x", t->ratios.back()});
    keys.push_back({"ratio_y", isSignal ? 1.0 : t->ratios[2]});
  }
  if (mode == "nearest")
    keys.push_back(
        {"nearest_mode",
         StringRef(n.node.text("nearest_mode", "round_prefer_floor")).upper()});
  // A ratio may mean either of two lengths; the one that ONNX rounds to is
  // declared.
  return outImage(
      n, 0,
      n.build
          .declared("Resize", {x}, keys,
                    {compass::plainType(x.getContext(), size, elementOf(x))})
          .front());
}

LogicalResult graph::emitGridSample(NodeEmitter &n) {
  if (n.rank(0) != 4 && n.rank(0) != 5)
    return n.refuse("with this number of axes is not imported",
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
    return n.refuse("of other than images is not imported", shapeText(*image),
                    "two axes");
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
