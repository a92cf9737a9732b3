//===- Windows.cpp - Windows over images, signals and volumes -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/operators/Windows.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

FailureOr<std::vector<int64_t>> graph::spatialShape(NodeEmitter &n, size_t i) {
  const Shape &shape = n.shape(i);
  if (shape.size() < 3 || shape.size() > 5)
    return n.refuse("this number of axes is not supported", shapeText(shape),
                    "3, 4 or 5 axes: [N,C,...]");
  return std::vector<int64_t>(shape.begin() + 2, shape.end());
}

FailureOr<Window> graph::windowOf(NodeEmitter &n,
                                  const std::vector<int64_t> &spatial,
                                  const std::vector<int64_t> &kernel) {
  size_t axes = spatial.size();
  auto listed = [&](const char *key, size_t count, int64_t fallback) {
    std::vector<int64_t> list = n.node.integers(key);
    if (list.empty())
      list.assign(count, fallback);
    return list;
  };
  Window w;
  w.kernel = kernel;
  w.stride = listed("strides", axes, 1);
  w.dilation = listed("dilations", axes, 1);
  std::vector<int64_t> pads = listed("pads", 2 * axes, 0);
  auto isPositive = [](const std::vector<int64_t> &list) {
    return std::ranges::all_of(list, [](int64_t v) { return v >= 1; });
  };
  if (w.kernel.size() != axes || w.stride.size() != axes ||
      w.dilation.size() != axes || pads.size() != 2 * axes)
    return n.bad("the window does not have the axes of the input",
                 shapeText(w.kernel) + ", strides " + shapeText(w.stride) +
                     ", dilations " + shapeText(w.dilation) + ", pads " +
                     shapeText(pads),
                 std::to_string(axes) + " numbers, and twice as many pads");
  if (!isPositive(w.kernel) || !isPositive(w.stride) || !isPositive(w.dilation))
    return n.bad("window size, stride or dilation is not positive",
                 shapeText(w.kernel), "1 or more");
  w.begin.assign(pads.begin(), pads.begin() + long(axes));
  w.end.assign(pads.begin() + long(axes), pads.end());
  std::string how = n.node.text("auto_pad", "NOTSET");
  if (how == "VALID") {
    w.begin.assign(axes, 0);
    w.end.assign(axes, 0);
  } else if (how == "SAME_UPPER" || how == "SAME_LOWER") {
    for (size_t a = 0; a < axes; ++a) {
      int64_t out = (spatial[a] + w.stride[a] - 1) / w.stride[a];
      int64_t span = (w.kernel[a] - 1) * w.dilation[a] + 1;
      int64_t total =
          std::max<int64_t>((out - 1) * w.stride[a] + span - spatial[a], 0);
      int64_t less = total / 2, more = total - less;
      w.begin[a] = how == "SAME_UPPER" ? less : more;
      w.end[a] = how == "SAME_UPPER" ? more : less;
    }
  } else if (how != "NOTSET") {
    return n.bad("unknown auto_pad", how,
                 "NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  return w;
}

std::vector<int64_t> graph::windowCounts(const std::vector<int64_t> &spatial,
                                         const Window &w, bool ceil) {
  std::vector<int64_t> counts;
  for (size_t a = 0; a < spatial.size(); ++a) {
    int64_t room = spatial[a] + w.begin[a] + w.end[a] -
                   ((w.kernel[a] - 1) * w.dilation[a] + 1);
    int64_t count = (room + (ceil ? w.stride[a] - 1 : 0)) / w.stride[a] + 1;
    if (ceil && (count - 1) * w.stride[a] >= spatial[a] + w.begin[a])
      --count;
    counts.push_back(room < 0 ? 0 : count);
  }
  return counts;
}

bool graph::isVolume(const Window &window) { return window.kernel.size() == 3; }

Keys graph::windowKeys(const Window &w) {
  if (isVolume(w))
    return {{"kernel_z", w.kernel[0]},     {"kernel_y", w.kernel[1]},
            {"kernel_x", w.kernel[2]},     {"stride_z", w.stride[0]},
            {"stride_y", w.stride[1]},     {"stride_x", w.stride[2]},
            {"dilation_z", w.dilation[0]}, {"dilation_y", w.dilation[1]},
            {"dilation_x", w.dilation[2]}, {"pad_z_begin", w.begin[0]},
            {"pad_y_begin", w.begin[1]},   {"pad_x_begin", w.begin[2]},
            {"pad_z_end", w.end[0]},       {"pad_y_end", w.end[1]},
            {"pad_x_end", w.end[2]}};
  bool isImage = w.kernel.size() == 2;
  auto row = [&](const std::vector<int64_t> &list, int64_t one) {
    return isImage ? list[0] : one;
  };
  return {{"kernel_y", row(w.kernel, 1)},     {"kernel_x", w.kernel.back()},
          {"stride_y", row(w.stride, 1)},     {"stride_x", w.stride.back()},
          {"dilation_y", row(w.dilation, 1)}, {"dilation_x", w.dilation.back()},
          {"pad_top", row(w.begin, 0)},       {"pad_bottom", row(w.end, 0)},
          {"pad_left", w.begin.back()},       {"pad_right", w.end.back()}};
}

Value graph::imageOf(NodeEmitter &n, size_t i) {
  Value x = n.last(i);
  if (!x || n.rank(i) != 3)
    return x;
  ArrayRef<int64_t> shape = shapeOf(x);
  return n.build.reshape(x, {shape[0], 1, shape[1], shape[2]});
}

LogicalResult graph::outImage(NodeEmitter &n, size_t i, Value value) {
  if (value && n.rank(0) == 3) {
    ArrayRef<int64_t> shape = shapeOf(value);
    value = n.build.reshape(value, {shape[0], shape[2], shape[3]});
  }
  return n.outLast(i, value);
}
