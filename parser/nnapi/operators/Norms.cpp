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

/// The node has channels last, along which it normalises. Another axis takes
/// their place, and fewer axes are an image of one row.
bool nnapi::readLrn(OperationReader &r) {
  std::int64_t rank = r.rank("input");
  auto axis = r.axis("axis", rank);
  if (!axis)
    return false;
  if (r.scalar("radius") < 0)
    return r.bad("the radius is negative", std::to_string(r.scalar("radius")),
                 "0 or more");
  // Swapping two axes undoes itself.
  std::vector<std::int64_t> swap(std::size_t(rank), 0);
  std::iota(swap.begin(), swap.end(), 0);
  std::swap(swap[std::size_t(*axis)], swap.back());
  bool isLast = *axis == rank - 1, isImage = rank == 4;
  Tensor *x = r.input("input");
  std::vector<std::int64_t> dims = r.dims("input");
  std::swap(dims[std::size_t(*axis)], dims.back());
  if (!isLast)
    x = r.transposed(x, swap, "swapped");
  if (!isImage) {
    std::vector<std::int64_t> image = dims;
    image.insert(image.begin(), std::size_t(4 - rank), 1);
    Tensor *reshaped = r.between("image");
    r.add("Reshape", {x, r.integers("image_shape", image)}, {reshaped});
    x = reshaped;
  }
  Tensor *y = isLast && isImage ? r.output(0) : r.between("normalised");
  Node &node = r.add(r.entry.node, {x}, {y});
  node.domain = kTfliteDomain;
  node.attributes["radius"] = Attribute::of(r.scalar("radius"));
  for (const char *key : {"bias", "alpha", "beta"})
    node.attributes[key] = Attribute::of(float(r.real(key)));
  if (!isImage) {
    Tensor *flat = isLast ? r.output(0) : r.between("flat");
    r.add("Reshape", {y, r.integers("shape", dims)}, {flat});
    y = flat;
  }
  if (!isLast)
    r.add("Transpose", {y}, {r.output(0)}).attributes["perm"] =
        Attribute::of(swap);
  return true;
}

/// ONNX's node has channels first.
bool nnapi::readInstanceNorm(OperationReader &r) {
  if (!checkFourAxes(r, "input"))
    return false;
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
