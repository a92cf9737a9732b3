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

FailureOr<std::vector<int64_t>> graph::kernelOf(NodeEmitter &n) {
  const Shape &weights = n.shape(1);
  if (weights.size() != n.shape(0).size())
    return n.bad("weights and input differ in their number of axes",
                 shapeText(weights), shapeText(n.shape(0)));
  std::vector<int64_t> kernel(weights.begin() + 2, weights.end());
  std::vector<int64_t> stated = n.node.integers("kernel_shape");
  if (!stated.empty() && stated != kernel)
    return n.bad("kernel_shape is not the kernel shape of the weights",
                 shapeText(stated), shapeText(kernel));
  return kernel;
}

ElementsAttr graph::kernelWeights(NodeEmitter &n, int64_t outer,
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
  return n.bad("weights and input do not match in their channels",
               std::to_string(found) + " in weights of group " +
                   std::to_string(group),
               std::to_string(channels));
}

static LogicalResult checkFloats(NodeEmitter &n) {
  if (n.isFloat(0) && n.isFloat(1))
    return success();
  return n.refuse("integer tensors are not supported",
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
    return n.bad("output_shape does not have one length for each spatial axis",
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
    return n.bad(
        "output_padding does not have one number for each spatial axis",
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
