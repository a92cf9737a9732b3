//===- Reductions.cpp - Along axes ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

/// A node along \p axes that keeps them at length 1, and behind it the lengths
/// that NNAPI has: one is left where all are reduced.
static Node &addAlong(OperationReader &r, std::vector<Tensor *> from,
                      const std::vector<std::int64_t> &axes, bool keepsAxes) {
  std::vector<std::int64_t> dims = r.dims("input"), shape;
  for (std::size_t a = 0; a < dims.size(); ++a)
    if (std::ranges::find(axes, std::int64_t(a)) == axes.end())
      shape.push_back(dims[a]);
    else if (keepsAxes)
      shape.push_back(1);
  if (shape.empty())
    shape.push_back(1);
  Tensor *along = r.storedLike(*r.output(0), "along");
  Node &node = r.add(r.entry.node, std::move(from), {along});
  r.add("Reshape", {along, r.integers("shape", shape)}, r.outputs);
  return node;
}

bool nnapi::readReduce(OperationReader &r) {
  auto axes = r.axesOf("axes", r.rank("input"));
  if (!axes)
    return false;
  // Along no axis nothing is reduced.
  addAlong(r, {r.input("input"), r.integers("axes", *axes)}, *axes,
           r.scalar("keep_dims") > 0)
      .attributes["noop_with_empty_axes"] = Attribute::of(std::int64_t(1));
  return true;
}

bool nnapi::readArgExtreme(OperationReader &r) {
  auto axis = r.axis("axis", r.rank("input"));
  if (!axis)
    return false;
  addAlong(r, {r.input("input")}, {*axis}, false).attributes["axis"] =
      Attribute::of(*axis);
  return true;
}
