//===- Convolutions.cpp - Convolutions ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Windows.h"
#include "llvm/ADT/STLExtras.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// The kernel's lengths in weights [O, I, ...]; reports weights that do not
/// fit the attribute.
static FailureOr<std::vector<int64_t>> kernelOf(NodeEmitter &n) {
  const Shape &weights = n.shape(1);
  if (weights.size() != n.shape(0).size())
    return n.bad("weights and input differ in their number of axes",
                 shapeText(weights), shapeText(n.shape(0)));
  std::vector<int64_t> kernel(weights.begin() + 2, weights.end());
  std::vector<int64_t> said = n.node.integers("kernel_shape");
  if (!said.empty() && said != kernel)
    return n.bad("kernel_shape is not that of the weights", shapeText(said),
                 shapeText(kernel));
  return kernel;
}

/// Weights in the order of the layers, rows added for signals: \p outer and
/// \p inner are the axes of output and input channels.
static ElementsAttr kernelWeights(NodeEmitter &n, int64_t outer,
                                  int64_t inner) {
  const Shape &w = n.shape(1);
  auto at = [&](int64_t axis) { return w[size_t(axis)]; };
  if (w.size() == 3)
    return n.productWeights({outer, 2, inner},
                            {at(outer), 1, at(2), at(inner)});
  if (w.size() == 4)
    return n.productWeights({outer, 2, 3, inner});
  // [output, kernel_y, kernel_x, kernel_z, input]
  return n.productWeights({outer, 3, 4, 2, inner});
}

static LogicalResult checkChannels(NodeEmitter &n, int64_t found,
                                   int64_t group) {
  int64_t channels = n.shape(0)[1];
  if (group >= 1 && found == channels && channels % group == 0)
    return success();
  return n.bad("weights and input differ in their channels",
               std::to_string(found) + " in weights of group " +
                   std::to_string(group),
               std::to_string(channels));
}

static LogicalResult checkFloats(NodeEmitter &n) {
  if (n.isFloat(0) && n.isFloat(1))
    return success();
  return n.refuse("of integers is not imported",
                  compass::dtypeName(irElement(n.type(0))).str(), "floats");
}

LogicalResult graph::emitConv(NodeEmitter &n) {
  auto spatial = spatialShape(n, 0);
  if (failed(spatial) || failed(checkFloats(n)))
    return failure();
  auto kernel = kernelOf(n);
  if (failed(kernel))
    return failure();
  auto window = windowOf(n, *spatial, *kernel);
  int64_t group = n.node.integer("group", 1), outputs = n.shape(1)[0];
  if (failed(window) ||
      failed(
          checkChannels(n, n.shape(1)[1] * std::max<int64_t>(group, 1), group)))
    return failure();
  ElementsAttr weights = kernelWeights(n, 0, 1);
  ElementsAttr bias = weights ? n.productBiases(2, outputs) : nullptr;
  if (!bias)
    return failure();
  bool isDepthwise = group > 1 && n.shape(1)[1] == 1 && !isVolume(*window) &&
                     outputs % group == 0;
  Keys keys = windowKeys(*window);
  keys.push_back({"weights", weights});
  keys.push_back({"biases", bias});
  keys.push_back({"num_output", outputs});
  keys.push_back({"group", group});
  if (isDepthwise)
    keys.push_back({"multiplier", outputs / group});
  StringRef type = isDepthwise         ? "DepthwiseConv"
                   : isVolume(*window) ? "Convolution3D"
                                       : "Convolution";
  return outImage(n, 0, n.noteStored(n.layer(type, {imageOf(n, 0)}, keys), 2));
}

/// Pads of a transposed convolution whose result has a given shape; what pads
/// cannot do output_padding does.
static LogicalResult fitOutput(NodeEmitter &n,
                               const std::vector<int64_t> &spatial,
                               std::vector<int64_t> wanted, Window &w,
                               std::vector<int64_t> &more) {
  size_t axes = spatial.size();
  if (wanted.size() == axes + 2) // some exporters give the whole shape
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (wanted.size() != axes)
    return n.bad("output_shape has not the axes of the input",
                 shapeText(wanted), std::to_string(axes) + " lengths");
  bool isUpper = n.node.text("auto_pad", "NOTSET") == "SAME_UPPER";
  for (size_t a = 0; a < axes; ++a) {
    int64_t total = w.stride[a] * (spatial[a] - 1) + more[a] +
                    (w.kernel[a] - 1) * w.dilation[a] + 1 - wanted[a];
    if (total < 0)
      more[a] -= total;
    total = std::max<int64_t>(total, 0);
    w.begin[a] = isUpper ? total / 2 : total - total / 2;
    w.end[a] = total - w.begin[a];
  }
  return success();
}

LogicalResult graph::emitConvTranspose(NodeEmitter &n) {
  auto spatial = spatialShape(n, 0);
  if (failed(spatial) || failed(checkFloats(n)))
    return failure();
  auto kernel = kernelOf(n);
  if (failed(kernel))
    return failure();
  auto window = windowOf(n, *spatial, *kernel);
  int64_t group = n.node.integer("group", 1);
  if (failed(window) || failed(checkChannels(n, n.shape(1)[0], group)))
    return failure();
  std::vector<int64_t> more = n.node.integers("output_padding");
  if (more.empty())
    more.assign(spatial->size(), 0);
  std::vector<int64_t> wanted = n.node.integers("output_shape");
  std::string how = n.node.text("auto_pad", "NOTSET");
  if (wanted.empty() && StringRef(how).starts_with("SAME"))
    for (size_t a = 0; a < spatial->size(); ++a)
      wanted.push_back((*spatial)[a] * window->stride[a]);
  if (more.size() != spatial->size())
    return n.bad("output_padding has not the axes of the input",
                 shapeText(more), std::to_string(spatial->size()) + " numbers");
  if (!wanted.empty() && failed(fitOutput(n, *spatial, wanted, *window, more)))
    return failure();
  int64_t outputs = n.shape(1)[1] * group;
  ElementsAttr weights = kernelWeights(n, 1, 0);
  ElementsAttr bias = weights ? n.productBiases(2, outputs) : nullptr;
  if (!bias)
    return failure();
  Keys keys = windowKeys(*window);
  keys.push_back({"weights", weights});
  keys.push_back({"biases", bias});
  keys.push_back({"num_output", outputs});
  keys.push_back({"group", group});
  const char *const names[] = {"output_padding_x", "output_padding_y",
                               "output_padding_z"};
  for (size_t a = 0; a < more.size(); ++a)
    keys.push_back({names[more.size() - 1 - a], more[a]});
  Value y = n.layer(isVolume(*window) ? "ConvTranspose3D" : "ConvTranspose",
                    {imageOf(n, 0)}, keys);
  return outImage(n, 0, n.noteStored(y, 2));
}

/// A zero point that is one number for the whole tensor; 0 if it is absent.
static FailureOr<int64_t> zeroPoint(NodeEmitter &n, size_t i) {
  if (!n.has(i))
    return 0;
  auto values = n.integers(i, "the zero point");
  if (failed(values))
    return failure();
  if (values->empty() ||
      !llvm::all_of(*values, [&](int64_t v) { return v == values->front(); }))
    return n.refuse("a zero point for each channel is not imported",
                    std::to_string(values->size()) + " values", "one value");
  return values->front();
}

LogicalResult graph::emitConvInteger(NodeEmitter &n) {
  auto spatial = spatialShape(n, 0);
  auto kernel = failed(spatial) ? FailureOr<std::vector<int64_t>>(failure())
                                : kernelOf(n);
  if (failed(kernel))
    return failure();
  auto window = windowOf(n, *spatial, *kernel);
  auto x = zeroPoint(n, 2), w = zeroPoint(n, 3);
  if (failed(window) || failed(x) || failed(w))
    return failure();
  if (isVolume(*window))
    return n.refuse("over volumes is not imported", shapeText(n.shape(0)),
                    "3 or 4 axes");
  ElementsAttr weights = kernelWeights(n, 0, 1);
  if (!weights)
    return failure();
  Keys keys = windowKeys(*window);
  keys.push_back({"weights", weights});
  keys.push_back({"num_output", n.shape(1)[0]});
  keys.push_back({"group", n.node.integer("group", 1)});
  keys.push_back({"x_zero_point", *x});
  keys.push_back({"w_zero_point", *w});
  return outImage(
      n, 0, n.build.layerOf("ConvInteger", {imageOf(n, 0)}, keys, DType::I32));
}

LogicalResult graph::emitMatMulInteger(NodeEmitter &n) {
  auto a = zeroPoint(n, 2), b = zeroPoint(n, 3);
  if (failed(a) || failed(b))
    return failure();
  return n.out(0, n.build.layerOf("MatMulInteger", {n.plain(0), n.plain(1)},
                                  {{"a_zero_point", *a}, {"b_zero_point", *b}},
                                  DType::I32));
}
