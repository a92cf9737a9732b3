//===- Reductions.cpp - Along axes ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/OpReader.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

using Dims = std::vector<std::int64_t>;

/// A node along \p axes that keeps them at length 1, and behind it the lengths
/// of the definition. Where no axis is left one of length 1 may be: graphs have
/// either.
static Node &addAlong(OpReader &r, std::vector<Tensor *> from,
                      const Dims &axes) {
  Dims shape;
  for (std::int64_t a = 0; a < r.rank(0); ++a)
    if (std::ranges::find(axes, a) == axes.end())
      shape.push_back(r.dims(0)[std::size_t(a)]);
    else if (r.flag("keep_dims"))
      shape.push_back(1);
  if (shape.empty())
    shape = r.outputDims().size() == 1 ? Dims{1} : Dims{};
  Tensor *along = r.storedLike(*r.output(0), "along");
  Node &node = r.add(r.entry.node, std::move(from), {along});
  r.add("Reshape", {along, r.integers("shape", shape)}, r.outputs);
  return node;
}

bool qnn::readReduce(OpReader &r) {
  Dims axes = r.rank(0) == 0 ? Dims{} : r.integers("axes");
  addAlong(r, {r.input(0), r.integers("axes", axes)}, axes)
      .attributes["noop_with_empty_axes"] = Attribute::of(std::int64_t(1));
  return true;
}

bool qnn::readArgExtreme(OpReader &r) {
  std::int64_t axis = r.scalar("axis");
  addAlong(r, {r.input(0)}, {axis}).attributes["axis"] = Attribute::of(axis);
  return true;
}

bool qnn::readCumulativeSum(OpReader &r) {
  Node &node = r.result(r.entry.node,
                        {r.input(0), r.integers("axis", {r.scalar("axis")})});
  for (const char *key : {"exclusive", "reverse"})
    node.attributes[key] = Attribute::of(std::int64_t(r.flag(key)));
  return true;
}

/// Of equal values that with the larger index is first.
bool qnn::readTopK(OpReader &r) {
  std::int64_t k = r.scalar("k"), length = r.dims(0).back();
  if (k < 1 || k > length)
    return r.bad("k is out of range", std::to_string(k),
                 "1 to " + std::to_string(length));
  Node &node = r.result(r.entry.node, {r.input(0), r.integers("k", {k})});
  node.attributes["axis"] = Attribute::of(std::int64_t(-1));
  node.attributes["largest"] = Attribute::of(std::int64_t(r.flag("largest")));
  node.attributes["select_last_index"] = Attribute::of(std::int64_t(1));
  return true;
}
