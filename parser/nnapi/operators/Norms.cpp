//===- Norms.cpp - Normalisations -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/ImageOrder.h"
#include <numeric>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

bool nnapi::readSoftmax(OperationReader &r) {
  auto axis = r.axis("axis", r.rank("input"));
  if (!axis)
    return false;
  Tensor *x = r.input("input");
  double beta = r.real("beta", 1);
  if (!(beta > 0))
    return r.bad("beta is not positive", std::to_string(beta),
                 "a number above 0");
  if (beta != 1) {
    Tensor *scaled = r.between("scaled");
    r.add("Mul", {x, r.number("beta", float(beta))}, {scaled});
    x = scaled;
  }
  r.result(r.entry.node, {x}).attributes["axis"] = Attribute::of(*axis);
  return true;
}

bool nnapi::readL2Norm(OperationReader &r) {
  auto axis = r.axis("axis", r.rank("input"));
  if (!axis)
    return false;
  r.result(r.entry.node, {r.input("input")}).attributes["axis"] =
      Attribute::of(*axis);
  return true;
}

/// Normalises \p x, of the lengths \p dims, along its last axis into \p y.
/// Fewer than four axes are an image of one row or pixel.
static void normaliseLast(OperationReader &r, Tensor *x,
                          const std::vector<std::int64_t> &dims, Tensor *y) {
  bool isImage = dims.size() == 4;
  Tensor *image = x, *normalised = y;
  if (!isImage) {
    std::vector<std::int64_t> shape = dims;
    shape.insert(shape.begin(), 4 - dims.size(), 1);
    image = r.between("image");
    normalised = r.between("normalised");
    r.add("Reshape", {x, r.integers("image_shape", shape)}, {image});
  }
  Node &node = r.add(r.entry.node, {image}, {normalised});
  node.domain = kTfliteDomain;
  node.attributes["radius"] = Attribute::of(r.scalar("radius"));
  for (const char *key : {"bias", "alpha", "beta"})
    node.attributes[key] = Attribute::of(float(r.real(key)));
  if (!isImage)
    r.add("Reshape", {normalised, r.integers("shape", dims)}, {y});
}

/// Another axis than the last takes its place, and gives it back.
bool nnapi::readLrn(OperationReader &r) {
  std::vector<std::int64_t> dims = r.dims("input"), swap(dims.size());
  auto axis = r.axis("axis", r.rank("input"));
  if (!axis)
    return false;
  if (r.scalar("radius") < 0)
    return r.bad("the radius is negative", std::to_string(r.scalar("radius")),
                 "0 or more");
  Tensor *x = r.input("input");
  if (std::size_t(*axis) + 1 == dims.size()) {
    normaliseLast(r, x, dims, r.output(0));
    return true;
  }
  std::iota(swap.begin(), swap.end(), 0);
  std::swap(swap[std::size_t(*axis)], swap.back());
  std::swap(dims[std::size_t(*axis)], dims.back());
  Tensor *swapped = r.between("swapped_result");
  normaliseLast(r, r.transposed(x, swap, "swapped"), dims, swapped);
  r.add("Transpose", {swapped}, {r.output(0)}).attributes["perm"] =
      Attribute::of(swap);
  return true;
}

/// ONNX's node has channels first.
bool nnapi::readInstanceNorm(OperationReader &r) {
  bool isFirst = r.flag("nchw");
  std::int64_t channels = imageDims(r)[3];
  auto filled = [&](const char *name) {
    return r.constant(name,
                      graph::Constant::ofFloats(
                          {channels}, std::vector<float>(std::size_t(channels),
                                                         float(r.real(name)))));
  };
  Tensor *x = r.input("input"), *y = r.output(0);
  if (!isFirst) {
    x = r.transposed(x, kToChannelsFirst, "channels_first");
    y = r.storedLike(*y, "result_channels_first");
  }
  r.add(r.entry.node, {x, filled("gamma"), filled("beta")}, {y})
      .attributes["epsilon"] = Attribute::of(float(r.real("epsilon")));
  if (!isFirst)
    r.add("Transpose", {y}, {r.output(0)}).attributes["perm"] =
        Attribute::of(kToChannelsLast);
  return true;
}
