//===- TfliteWindows.cpp - Convolutions with channels last ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/operators/TfliteWindows.h"
#include "parser/graph/OperatorTable.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

LogicalResult graph::checkImage(NodeEmitter &n, int64_t axes) {
  if (n.rank(0) == axes + 2 && n.isFloat(0))
    return success();
  return n.bad("the input is not an image of numbers", shapeText(n.shape(0)),
               std::to_string(axes + 2) + " axes, channels last");
}

bool graph::isSamePadded(const NodeEmitter &n) {
  constexpr int64_t kSame = 0;
  return n.node.integer("padding", kSame) == kSame;
}

bool graph::hasPads(const NodeEmitter &n) {
  return n.node.attribute("pads") != nullptr;
}

/// The pads that the node has: all before the first row or column, then all
/// behind the last.
static LogicalResult readPads(NodeEmitter &n, Window &w, int64_t most) {
  std::vector<int64_t> pads = n.node.integers("pads");
  size_t axes = w.kernel.size();
  if (pads.size() != 2 * axes || !std::ranges::all_of(pads, [&](int64_t pad) {
        return pad >= 0 && pad <= most;
      }))
    return n.bad("the pads are out of range", shapeText(pads),
                 std::to_string(2 * axes) + " numbers of 0 to 2^20");
  w.begin.assign(pads.begin(), pads.begin() + long(axes));
  w.end.assign(pads.begin() + long(axes), pads.end());
  return success();
}

FailureOr<Window> graph::tfliteSteps(NodeEmitter &n,
                                     const std::vector<int64_t> &kernel) {
  auto listed = [&](const char *depth, const char *rows, const char *columns,
                    int64_t fallback) {
    std::vector<int64_t> list = {n.node.integer(rows, fallback),
                                 n.node.integer(columns, fallback)};
    if (kernel.size() == 3)
      list.insert(list.begin(), n.node.integer(depth, fallback));
    return list;
  };
  Window w;
  w.kernel = kernel;
  w.stride = listed("stride_d", "stride_h", "stride_w", 1);
  w.dilation = listed("dilation_d", "dilation_h", "dilation_w", 1);
  w.begin.assign(kernel.size(), 0);
  w.end = w.begin;
  // Beyond it no image reaches, and products of lengths stay in range.
  constexpr int64_t kMost = 1 << 20;
  for (const auto *list : {&w.kernel, &w.stride, &w.dilation})
    if (!std::ranges::all_of(*list,
                             [](int64_t v) { return v >= 1 && v <= kMost; }))
      return n.bad("window size, stride or dilation out of range",
                   shapeText(*list), "1 to 2^20");
  if (hasPads(n) && failed(readPads(n, w, kMost)))
    return failure();
  return w;
}

FailureOr<Window> graph::tfliteWindow(NodeEmitter &n,
                                      const std::vector<int64_t> &kernel) {
  auto w = tfliteSteps(n, kernel);
  if (failed(w))
    return failure();
  for (size_t a = 0; a < kernel.size(); ++a) {
    int64_t length = n.shape(0)[a + 1];
    int64_t span = (kernel[a] - 1) * w->dilation[a] + 1;
    if (isSamePadded(n) && !hasPads(n)) {
      int64_t count = (length + w->stride[a] - 1) / w->stride[a];
      int64_t total =
          std::max<int64_t>((count - 1) * w->stride[a] + span - length, 0);
      w->begin[a] = total / 2; // one more behind than before
      w->end[a] = total - total / 2;
    } else if (span > length + w->begin[a] + w->end[a]) {
      return n.bad("the window is larger than the input", shapeText(kernel),
                   shapeText(n.shape(0)));
    }
  }
  return w;
}

LogicalResult graph::outProduct(NodeEmitter &n, StringRef type, Keys keys,
                                const std::vector<int64_t> &perm,
                                int64_t outputs) {
  if (!n.isFloat(1))
    return n.refuse("weights of this type are not supported",
                    compass::dtypeName(irElement(n.type(1))).str(), "floats");
  if (n.has(2) && numElements(n.shape(2)) != outputs)
    return n.bad("biases have a wrong shape", shapeText(n.shape(2)),
                 std::to_string(outputs) + " numbers");
  ElementsAttr weights = n.productWeights(perm);
  ElementsAttr biases = weights ? n.productBiases(2, outputs) : nullptr;
  if (!biases)
    return failure();
  keys.push_back({"weights", weights});
  keys.push_back({"biases", biases});
  keys.push_back({"num_output", outputs});
  return n.outPlain(0, n.noteStored(n.layer(type, {n.plain(0)}, keys), 2));
}

/// Reports weights that have not so many axes.
static LogicalResult checkWeights(NodeEmitter &n, int64_t axes) {
  if (n.rank(1) == axes && numElements(n.shape(1)) > 0)
    return success();
  return n.bad("weights have a wrong number of axes", shapeText(n.shape(1)),
               std::to_string(axes) + " axes");
}

LogicalResult graph::emitTfliteConv(NodeEmitter &n) {
  if (failed(checkImage(n, 2)) || failed(checkWeights(n, 4)))
    return failure();
  const Shape &w = n.shape(1); // [output, kernel_y, kernel_x, input / group]
  auto window = tfliteWindow(n, {w[1], w[2]});
  if (failed(window))
    return failure();
  int64_t channels = n.shape(0)[3], group = channels / w[3];
  if (channels % w[3] != 0 || w[0] % group != 0)
    return n.bad("weights and input do not match in their channels",
                 shapeText(w), std::to_string(channels) + " channels");
  Keys keys = windowKeys(*window);
  keys.push_back({"group", group});
  bool isDepthwise = group > 1 && w[3] == 1;
  if (isDepthwise)
    keys.push_back({"multiplier", w[0] / group});
  return outProduct(n, isDepthwise ? "DepthwiseConv" : "Convolution", keys, {},
                    w[0]);
}

LogicalResult graph::emitTfliteDepthwise(NodeEmitter &n) {
  if (failed(checkImage(n, 2)) || failed(checkWeights(n, 4)))
    return failure();
  const Shape &w = n.shape(1); // [1, kernel_y, kernel_x, output]
  auto window = tfliteWindow(n, {w[1], w[2]});
  if (failed(window))
    return failure();
  int64_t channels = n.shape(0)[3];
  if (w[0] != 1 || w[3] % channels != 0)
    return n.bad("weights and input do not match in their channels",
                 shapeText(w),
                 "[1,rows,columns,n * " + std::to_string(channels) + "]");
  Keys keys = windowKeys(*window);
  keys.push_back({"group", channels});
  // Of one channel it is a convolution as any.
  if (channels > 1)
    keys.push_back({"multiplier", w[3] / channels});
  return outProduct(n, channels > 1 ? "DepthwiseConv" : "Convolution", keys,
                    {3, 1, 2, 0}, w[3]);
}

LogicalResult graph::emitTfliteConv3D(NodeEmitter &n) {
  if (failed(checkImage(n, 3)) || failed(checkWeights(n, 5)))
    return failure();
  const Shape &w = n.shape(1); // [depth, rows, columns, input, output]
  auto window = tfliteWindow(n, {w[0], w[1], w[2]});
  if (failed(window))
    return failure();
  int64_t channels = n.shape(0)[4], group = channels / w[3];
  if (channels % w[3] != 0 || w[4] % group != 0)
    return n.bad("weights and input do not match in their channels",
                 shapeText(w), std::to_string(channels) + " channels");
  Keys keys = windowKeys(*window);
  keys.push_back({"group", group});
  // [output, kernel_y, kernel_x, kernel_z, input]
  return outProduct(n, "Convolution3D", keys, {4, 1, 2, 0, 3}, w[4]);
}
