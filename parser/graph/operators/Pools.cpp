//===- Pools.cpp - Pooling ------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Windows.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// The layers' word for the pool, or "" after reporting that there is none.
static std::string poolMethod(NodeEmitter &n) {
  if (!StringRef(n.node.op).contains("Lp"))
    return StringRef(n.node.op).contains("Average") ? "AVG" : "MAX";
  int64_t p = n.node.integer("p", 2);
  if (p == 1 || p == 2)
    return p == 1 ? "L1" : "L2";
  (void)n.refuse("this power is not supported", std::to_string(p), "p 1 or 2");
  return "";
}

/// The type of what a pool of \p x gives: how lengths are rounded the result
/// alone tells.
static Type pooledType(NodeEmitter &n, Value x, const Window &window,
                       DType element) {
  std::vector<int64_t> spatial(n.shape(0).begin() + 2, n.shape(0).end());
  std::vector<int64_t> counts =
      windowCounts(spatial, window, n.node.integer("ceil_mode", 0) != 0);
  Shape shape = {n.shape(0)[0]};
  if (counts.size() == 1)
    shape.push_back(1);
  shape.insert(shape.end(), counts.begin(), counts.end());
  shape.push_back(n.shape(0)[1]);
  return compass::plainType(x.getContext(), shape, element);
}

/// The largest value and its place, counted in the whole tensor.
static LogicalResult poolWithPlaces(NodeEmitter &n, const Window &window,
                                    Keys keys) {
  if (isVolume(window))
    return n.refuse("volumes with indices are not supported",
                    shapeText(n.shape(0)), "3 or 4 axes");
  if (n.node.integer("storage_order", 0) != 0 && n.rank(0) != 4)
    return n.refuse("column order is supported for images only",
                    shapeText(n.shape(0)), "4 axes");
  keys.push_back({"flatten_dim", "NCHW"});
  keys.push_back({"storage_order", n.node.integer("storage_order", 0)});
  Value x = imageOf(n, 0);
  if (!x)
    return failure();
  SmallVector<Value> both =
      n.build.declared("MaxPoolingWithArgMax", {x}, keys,
                       {pooledType(n, x, window, elementOf(x)),
                        pooledType(n, x, window, DType::I32)});
  if (failed(outImage(n, 0, both[0])))
    return failure();
  return outImage(n, 1, both[1]);
}

static bool countsPads(NodeEmitter &n) {
  return n.node.integer("count_include_pad", 0) != 0;
}

/// How far the last window reaches beyond the input and its padding, along axis
/// \p a; negative if something is left.
static int64_t beyond(const std::vector<int64_t> &spatial, const Window &w,
                      int64_t count, size_t a) {
  int64_t span = (w.kernel[a] - 1) * w.dilation[a] + 1;
  return (count - 1) * w.stride[a] + span -
         (spatial[a] + w.begin[a] + w.end[a]);
}

/// Whether lengths are rounded up to a window that has fewer cells than kernel
/// and pads tell.
static bool isCutOff(NodeEmitter &n, const std::vector<int64_t> &spatial,
                     const Window &w) {
  std::vector<int64_t> counts =
      windowCounts(spatial, w, n.node.integer("ceil_mode", 0) != 0);
  for (size_t a = 0; a < counts.size(); ++a)
    if (beyond(spatial, w, counts[a], a) > 0)
      return true;
  return false;
}

/// Pads as cells of the image: they count, what lies behind them does not. No
/// more than the windows read, for a layer rounds up where anything is left.
static Value withPads(NodeEmitter &n, Value x,
                      const std::vector<int64_t> &spatial, const Window &w) {
  if (!x)
    return x;
  std::vector<int64_t> counts =
      windowCounts(spatial, w, n.node.integer("ceil_mode", 0) != 0);
  Key::Rows pads = {{0, 0}};
  if (spatial.size() == 1)
    pads.push_back({0, 0});
  for (size_t a = 0; a < spatial.size(); ++a) {
    int64_t left = std::max<int64_t>(-beyond(spatial, w, counts[a], a), 0);
    pads.push_back({w.begin[a], std::max<int64_t>(w.end[a] - left, 0)});
  }
  pads.push_back({0, 0});
  return n.layer(
      "Pad", {x},
      {{"mode", "CONSTANT"}, {"constant_value", 0.0}, {"pads", pads}});
}

LogicalResult graph::emitPool(NodeEmitter &n) {
  auto spatial = spatialShape(n, 0);
  std::string method = poolMethod(n);
  if (failed(spatial) || method.empty())
    return failure();
  auto window = windowOf(n, *spatial, n.node.integers("kernel_shape"));
  if (failed(window))
    return failure();
  bool padsAreCells =
      method == "AVG" && countsPads(n) && isCutOff(n, *spatial, *window);
  Window inLayer = *window;
  if (padsAreCells)
    inLayer.begin.assign(spatial->size(), 0), inLayer.end = inLayer.begin;
  Keys keys = windowKeys(inLayer);
  keys.push_back({"ceil_mode", n.node.integer("ceil_mode", 0) != 0});
  if (n.isTaken(1))
    return poolWithPlaces(n, *window, keys);
  keys.push_back({"method", method});
  if (method == "AVG")
    keys.push_back({"count_include_pad", countsPads(n) && !padsAreCells});
  if (isVolume(*window) && method[0] == 'L')
    return n.refuse("volumes are not supported", shapeText(n.shape(0)),
                    "3 or 4 axes");
  for (int64_t count :
       windowCounts(*spatial, *window, n.node.integer("ceil_mode", 0) != 0))
    if (count < 1)
      return n.bad("the window is larger than the input",
                   shapeText(window->kernel), shapeText(n.shape(0)));
  Value x = imageOf(n, 0);
  if (padsAreCells)
    x = withPads(n, x, *spatial, *window);
  if (!x)
    return failure();
  return outImage(n, 0,
                  n.build
                      .declared(isVolume(*window) ? "Pooling3D" : "Pooling",
                                {x}, keys,
                                {pooledType(n, x, *window, elementOf(x))})
                      .front());
}

LogicalResult graph::emitGlobalPool(NodeEmitter &n) {
  std::string method = poolMethod(n);
  if (method.empty())
    return failure();
  // A window over the whole image runs on the tensor engine.
  if (n.rank(0) == 4 && method[0] != 'L') {
    std::vector<int64_t> image(n.shape(0).begin() + 2, n.shape(0).end());
    Window w{image, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
    Keys keys = windowKeys(w);
    keys.push_back({"method", method});
    keys.push_back({"ceil_mode", false});
    if (method == "AVG")
      keys.push_back({"count_include_pad", false});
    Value y = n.layer("Pooling", {n.last(0)}, keys);
    if (n.node.integer("keepdims", 1) == 0) // of a ReduceMean
      return n.outPlain(0, n.build.reshape(y, {n.shape(0)[0], n.shape(0)[1]}));
    return n.outLast(0, y);
  }
  if (n.rank(0) < 3)
    return n.bad("the input has no spatial axes", shapeText(n.shape(0)),
                 "3 axes or more");
  std::vector<int64_t> axes;
  for (int64_t axis = 2; axis < n.rank(0); ++axis)
    axes.push_back(axis - 1); // with channels last
  return n.outLast(0, n.layer("Reduce", {n.last(0)},
                              {{"method", method == "AVG" ? "MEAN" : method},
                               {"axis", axes}}));
}

LogicalResult graph::emitMaxUnpool(NodeEmitter &n) {
  if (n.rank(0) != 4)
    return n.refuse("this number of axes is not supported",
                    shapeText(n.shape(0)), "4 axes");
  std::vector<int64_t> kernel = n.node.integers("kernel_shape");
  std::vector<int64_t> spatial(n.shape(0).begin() + 2, n.shape(0).end());
  auto window = windowOf(n, spatial, kernel);
  if (failed(window))
    return failure();
  Shape small = n.shape(0), whole;
  for (size_t a = 0; a < 2; ++a)
    small[a + 2] = (spatial[a] - 1) * window->stride[a] -
                   (window->begin[a] + window->end[a]) + kernel[a];
  whole = small;
  if (n.has(2)) {
    auto given = n.integers(2, "the shape of the result");
    if (failed(given))
      return failure();
    whole = *given;
    if (whole.size() == 2)
      whole.insert(whole.begin(), small.begin(), small.begin() + 2);
    if (whole.size() != 4)
      return n.bad("the shape of the result has a wrong number of axes",
                   shapeText(whole), "4 lengths");
  }
  // Indices count in the result as its windows tell it; a larger one that is
  // given has it at its front.
  Value y = n.layer("MaxUnpool", {n.last(0), n.last(1)},
                    {{"flatten_dim", "NCHW"},
                     {"storage_order", 0},
                     {"output_shape", permuted(small, lastPerm(4))}});
  if (whole != small) {
    Key::Rows pads;
    for (int64_t axis : lastPerm(4)) {
      int64_t more = whole[size_t(axis)] - small[size_t(axis)];
      if (more < 0)
        return n.bad("the shape of the result is too small", shapeText(whole),
                     shapeText(small) + " or more");
      pads.push_back({0, more});
    }
    y = n.layer(
        "Pad", {y},
        {{"mode", "CONSTANT"}, {"constant_value", 0.0}, {"pads", pads}});
  }
  return n.outLast(0, y);
}
