//===- TfliteTransposed.cpp - Transposed convolutions of TFLite -----------===//
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

/// What all windows cover of an axis, pads included.
static int64_t coveredLength(NodeEmitter &n, const Window &w, size_t axis) {
  int64_t span = (w.kernel[axis] - 1) * w.dilation[axis] + 1;
  return (n.shape(0)[axis + 1] - 1) * w.stride[axis] + span;
}

/// The spatial lengths of the result: pads give them or input 3 or, if that is
/// not known, what the file states or else the padding.
static FailureOr<std::vector<int64_t>> resultLengths(NodeEmitter &n,
                                                     const Window &w) {
  size_t axes = w.kernel.size();
  std::vector<int64_t> lengths;
  if (hasPads(n)) {
    for (size_t a = 0; a < axes; ++a)
      lengths.push_back(coveredLength(n, w, a) - w.begin[a] - w.end[a]);
    return lengths;
  }
  // Where a shape is an input, that which the file states holds.
  Shape shape = n.node.outputs[0]->declaredShape;
  if (n.constant(3))
    shape = n.constant(3)->integers();
  bool isKnown = shape.size() == axes + 2 &&
                 std::ranges::all_of(shape.begin() + 1, shape.end() - 1,
                                     [](int64_t l) { return l >= 1; });
  if (isKnown)
    return std::vector<int64_t>(shape.begin() + 1, shape.end() - 1);
  if (n.constant(3))
    return n.bad("the shape of the result is not valid", shapeText(shape),
                 std::to_string(axes + 2) + " lengths");
  for (size_t a = 0; a < axes; ++a) {
    int64_t length = n.shape(0)[a + 1] * w.stride[a];
    lengths.push_back(
        isSamePadded(n)
            ? length
            : length + std::max<int64_t>(w.kernel[a] - w.stride[a], 0));
  }
  return lengths;
}

/// Input [N, ..., C], weights [output, rows, columns, input] or [depth, rows,
/// columns, output, input], bias, and the shape of the result. It is the
/// gradient of the convolution that makes the input of the result: pads are
/// that one's.
LogicalResult graph::emitTfliteTransposed(NodeEmitter &n) {
  bool isVolume = n.node.op == "TransposeConv3D";
  size_t axes = isVolume ? 3 : 2;
  if (failed(checkImage(n, int64_t(axes))))
    return failure();
  const Shape &weights = n.shape(1);
  if (weights.size() != axes + 2 || numElements(weights) <= 0)
    return n.bad("weights have a wrong number of axes", shapeText(weights),
                 std::to_string(axes + 2) + " axes");
  size_t first = isVolume ? 0 : 1;
  std::vector<int64_t> kernel(weights.begin() + long(first),
                              weights.begin() + long(first + axes));
  auto w = tfliteSteps(n, kernel);
  auto lengths = failed(w) ? FailureOr<std::vector<int64_t>>(failure())
                           : resultLengths(n, *w);
  if (failed(lengths))
    return failure();
  int64_t outputs = weights[isVolume ? 3 : 0];
  if (weights.back() != n.shape(0).back())
    return n.bad("weights and input do not match in their channels",
                 shapeText(weights), shapeText(n.shape(0)));
  const char *const names[] = {"output_padding_x", "output_padding_y",
                               "output_padding_z"};
  Keys more;
  for (size_t a = 0; a < axes; ++a) {
    int64_t whole = coveredLength(n, *w, a);
    int64_t total = whole - (*lengths)[a];
    if ((*lengths)[a] < 1 || (*lengths)[a] > whole + w->stride[a])
      return n.bad("the shape of the result does not match the input",
                   shapeText(*lengths), std::to_string(whole) + " or less");
    more.push_back({names[axes - 1 - a], std::max<int64_t>(-total, 0)});
    total = std::max<int64_t>(total, 0);
    if (hasPads(n))
      continue;
    // Without padding what is too much is cut off behind.
    w->begin[a] = isSamePadded(n) ? total / 2 : 0;
    w->end[a] = total - w->begin[a];
  }
  Keys keys = windowKeys(*w);
  keys.insert(keys.end(), more.begin(), more.end());
  keys.push_back({"group", 1});
  return outProduct(n, isVolume ? "ConvTranspose3D" : "ConvTranspose", keys,
                    isVolume ? std::vector<int64_t>{3, 1, 2, 0, 4}
                             : std::vector<int64_t>{},
                    outputs);
}
