//===- QnnWindows.cpp - Convolutions and pools of QNN ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Images and volumes have channels last. Steps and pads are called as ONNX
// calls them: strides, dilations, and pads that are all before, then all
// behind.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/TfliteWindows.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// The lengths between batch and channels.
static std::vector<int64_t> spatialLengths(const Shape &image) {
  return {image.begin() + 1, image.end() - 1};
}

/// The window that input 1 has: a filter [..., input, output] over images or
/// volumes.
static FailureOr<Window> filterWindow(NodeEmitter &n) {
  const Shape &w = n.shape(1);
  if (w.size() != 4 && w.size() != 5)
    return n.bad("the filter has a wrong number of axes", shapeText(w),
                 "4 or 5");
  if (failed(checkImage(n, int64_t(w.size()) - 2)))
    return failure();
  return windowOf(n, spatialLengths(n.shape(0)), {w.begin(), w.end() - 2});
}

/// The order of a filter's axes that the layers have: outputs first, and of
/// volumes the depth behind rows and columns.
static std::vector<int64_t> filterOrder(const Window &window) {
  return isVolume(window) ? std::vector<int64_t>{4, 1, 2, 0, 3}
                          : std::vector<int64_t>{3, 0, 1, 2};
}

static LogicalResult badChannels(NodeEmitter &n, int64_t group) {
  return n.bad("the filter does not match the input and its groups",
               shapeText(n.shape(1)) + ", " + std::to_string(group) + " groups",
               std::to_string(n.shape(0).back()) + " channels");
}

LogicalResult graph::emitQnnConv(NodeEmitter &n) {
  auto window = filterWindow(n);
  if (failed(window))
    return failure();
  const Shape &w = n.shape(1);
  int64_t inputs = w[w.size() - 2], outputs = w.back();
  int64_t group = n.node.integer("group", 1);
  if (group < 1 || inputs * group != n.shape(0).back() || outputs % group != 0)
    return badChannels(n, group);
  Keys keys = windowKeys(*window);
  keys.push_back({"group", group});
  bool isDepthwise = group > 1 && inputs == 1 && !isVolume(*window);
  if (isDepthwise)
    keys.push_back({"multiplier", outputs / group});
  StringRef type = isDepthwise         ? "DepthwiseConv"
                   : isVolume(*window) ? "Convolution3D"
                                       : "Convolution";
  return outProduct(n, type, keys, filterOrder(*window), outputs);
}

/// Its filter has all input channels, and the output channels of one group.
LogicalResult graph::emitQnnTransposeConv(NodeEmitter &n) {
  auto window = filterWindow(n);
  if (failed(window))
    return failure();
  const Shape &w = n.shape(1);
  int64_t channels = n.shape(0).back(), group = n.node.integer("group", 1);
  if (group < 1 || w[w.size() - 2] != channels || channels % group != 0)
    return badChannels(n, group);
  Keys keys = windowKeys(*window);
  keys.push_back({"group", group});
  std::vector<int64_t> more = n.node.integers("output_padding");
  const char *const names[] = {"output_padding_x", "output_padding_y",
                               "output_padding_z"};
  for (size_t a = 0; a < more.size(); ++a)
    keys.push_back({names[more.size() - 1 - a], more[a]});
  return outProduct(n, isVolume(*window) ? "ConvTranspose3D" : "ConvTranspose",
                    keys, filterOrder(*window), w.back() * group);
}

/// The lengths of what a pool gives. Rounded up, the last window may reach
/// beyond the padding; one without a cell has no maximum, and a mean only where
/// pads count.
static FailureOr<Shape> pooledShape(NodeEmitter &n, const Window &w,
                                    bool mayBeEmpty) {
  bool roundsUp = n.node.integer("ceil_mode", 0) != 0;
  Shape shape = n.shape(0);
  for (size_t a = 0; a < w.kernel.size(); ++a) {
    int64_t &length = shape[a + 1];
    int64_t room = length + w.begin[a] + w.end[a] - w.kernel[a];
    if (room < 0)
      return n.bad("the window is larger than the input", shapeText(w.kernel),
                   shapeText(n.shape(0)));
    int64_t count = (room + (roundsUp ? w.stride[a] - 1 : 0)) / w.stride[a] + 1;
    int64_t last = (count - 1) * w.stride[a] - w.begin[a];
    if (!mayBeEmpty && (w.begin[a] >= w.kernel[a] || last >= length))
      return n.refuse("a window that only covers padding is not supported",
                      "pads " + shapeText(w.begin) + " and " +
                          shapeText(w.end) + ", window " + shapeText(w.kernel),
                      "windows that cover at least one cell of the input");
    length = count;
  }
  return shape;
}

LogicalResult graph::emitQnnPool(NodeEmitter &n) {
  std::vector<int64_t> kernel = n.node.integers("kernel_shape");
  if (failed(checkImage(n, int64_t(kernel.size()))))
    return failure();
  auto window = windowOf(n, spatialLengths(n.shape(0)), kernel);
  if (failed(window))
    return failure();
  std::string method = n.node.text("method", "AVG");
  bool countsPads = n.node.integer("count_include_pad", 0) != 0;
  auto shape = pooledShape(n, *window, countsPads || method == "L2");
  Value x = failed(shape) ? Value() : n.plain(0);
  if (!x)
    return failure();
  Keys keys = windowKeys(*window);
  keys.push_back({"ceil_mode", n.node.integer("ceil_mode", 0) != 0});
  keys.push_back({"method", method});
  if (method == "AVG")
    keys.push_back({"count_include_pad", countsPads});
  // How lengths are rounded the result alone tells.
  return n.outPlain(
      0,
      n.build
          .declared(isVolume(*window) ? "Pooling3D" : "Pooling", {x}, keys,
                    {compass::plainType(x.getContext(), *shape, elementOf(x))})
          .front());
}
