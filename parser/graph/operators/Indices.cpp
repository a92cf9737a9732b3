//===- Indices.cpp - Gather, scatter and kin ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/GatherKeys.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// A run of neighbours, which a Slice takes.
static bool isRun(const std::vector<int64_t> &indices) {
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i] != indices[0] + int64_t(i))
      return false;
  return !indices.empty();
}

LogicalResult graph::emitGather(NodeEmitter &n) {
  auto axis = n.wrapped(n.node.integer("axis", 0), n.rank(0));
  if (failed(axis))
    return failure();
  auto a = size_t(*axis);
  Shape shape = n.shape(0);
  shape.erase(shape.begin() + long(a));
  shape.insert(shape.begin() + long(a), n.shape(1).begin(), n.shape(1).end());
  std::string negative = n.node.text("negative_indices", "FROM_END");
  const Constant *c = negative == "FROM_END" ? n.constant(1) : nullptr;
  if (c) {
    std::vector<int64_t> indices = c->integers();
    for (int64_t &i : indices) {
      if (i < -n.shape(0)[a] || i >= n.shape(0)[a])
        return n.bad("an index is out of range", std::to_string(i),
                     std::to_string(-n.shape(0)[a]) + " to " +
                         std::to_string(n.shape(0)[a] - 1));
      i += i < 0 ? n.shape(0)[a] : 0;
    }
    if (isRun(indices)) {
      Shape begin(n.shape(0).size(), 0), end = n.shape(0);
      begin[a] = indices.front();
      end[a] = indices.back() + 1;
      Value x = n.plain(0);
      if (end != n.shape(0) || begin[a] != 0)
        x = n.layer("Slice", {x},
                    {{"begin", begin},
                     {"end", end},
                     {"strides", Shape(begin.size(), 1)}});
      return n.out(0, n.build.reshape(x, shape));
    }
  }
  Value indices = n.plain(1);
  if (!indices)
    return failure();
  if (n.rank(1) == 0)
    indices = n.build.reshape(indices, {1});
  Value y = n.layer("Gather", {n.plain(0), indices},
                    gatherKeys(n, *axis, /*batchDims=*/0));
  return n.out(0, n.build.reshape(y, shape));
}

LogicalResult graph::emitGatherElements(NodeEmitter &n) {
  auto axis = n.wrapped(n.node.integer("axis", 0), n.rank(0));
  if (failed(axis))
    return failure();
  return n.out(0, n.layer("GatherElements", {n.plain(0), n.plain(1)},
                          {{"axis", *axis}}));
}

LogicalResult graph::emitGatherNd(NodeEmitter &n) {
  return n.out(0, n.layer("GatherND", {n.plain(0), n.plain(1)},
                          {{"batch_dims", n.node.integer("batch_dims", 0)}}));
}

/// The layers' word for what an update does.
static std::string reduction(NodeEmitter &n) {
  return StringRef(n.node.text("reduction", "none")).upper();
}

LogicalResult graph::emitScatterElements(NodeEmitter &n) {
  auto axis = n.wrapped(n.node.integer("axis", 0), n.rank(0));
  if (failed(axis))
    return failure();
  return n.out(0,
               n.layer("ScatterElements", {n.plain(0), n.plain(1), n.plain(2)},
                       {{"axis", *axis}, {"reduction", reduction(n)}}));
}

LogicalResult graph::emitScatterNd(NodeEmitter &n) {
  return n.out(0, n.layer("ScatterND", {n.plain(0), n.plain(1), n.plain(2)},
                          {{"reduction", reduction(n)}}));
}

LogicalResult graph::emitOneHot(NodeEmitter &n) {
  auto depth = n.integers(1, "the depth");
  auto values = n.numbers(2, "the pair of values");
  auto axis = n.wrapped(n.node.integer("axis", -1), n.rank(0) + 1);
  Value indices = n.plain(0);
  if (failed(depth) || failed(values) || failed(axis) || !indices)
    return failure();
  if (depth->size() != 1 || values->size() != 2 || depth->front() < 1)
    return n.bad("depth or values have a wrong length",
                 std::to_string(depth->size()) + " and " +
                     std::to_string(values->size()),
                 "one depth and two values");
  indices = n.build.cast(indices, DType::I32);
  // ONNX's negative indices count from behind: i + depth where i < 0. Others
  // that are out of range are off.
  if (n.node.integer("from_end", 1)) {
    Value isNegative =
        n.build.layerOf("Logical", {indices, scalarLike(n, indices, 0)},
                        {{"method", "LESS"}}, DType::U8);
    Value more = eltwise(n, "MUL", n.build.cast(isNegative, DType::I32),
                         scalarLike(n, indices, double(depth->front())));
    indices = eltwise(n, "ADD", indices, more);
  }
  return n.out(
      0, n.build.layerOf(
             "OneHot", {indices},
             {{"axis", *axis}, {"depth", depth->front()}, {"values", *values}},
             irElement(n.type(2))));
}

LogicalResult graph::emitCompress(NodeEmitter &n) {
  auto condition = n.integers(1, "the condition");
  if (failed(condition))
    return failure();
  std::vector<int32_t> kept;
  for (size_t i = 0; i < condition->size(); ++i)
    if ((*condition)[i])
      kept.push_back(int32_t(i));
  if (kept.empty())
    return n.refuse("an empty result is not supported", "no true value",
                    "one true value or more");
  Value x = n.plain(0);
  int64_t along = 0;
  if (n.node.attribute("axis")) {
    auto axis = n.wrapped(n.node.integer("axis", 0), n.rank(0));
    if (failed(axis))
      return failure();
    along = *axis;
  } else {
    x = n.build.reshape(x, {numElements(n.shape(0))});
  }
  Value indices = n.build.constantOf({int64_t(kept.size())}, kept);
  return n.out(
      0, n.layer("Gather", {x, indices}, {{"axis", along}, {"batch_dims", 0}}));
}

LogicalResult graph::emitNonZero(NodeEmitter &n) {
  if (const Constant *c = n.constant(0)) {
    // One row for each axis, one column for each place.
    std::vector<int64_t> places;
    for (int64_t i = 0; i < c->numElements(); ++i)
      if (c->numberAt(i) != 0)
        places.push_back(i);
    std::vector<int64_t> rows;
    int64_t stride = c->numElements();
    for (int64_t length : c->shape) {
      stride /= length;
      for (int64_t place : places)
        rows.push_back(place / stride % length);
    }
    return n.outConstant(
        0, Constant::ofIntegers({n.rank(0), int64_t(places.size())}, rows));
  }
  return n.refuse("values that are computed at run time are not supported",
                  "tensor " + n.tensor(0).name, "a constant");
}

LogicalResult graph::emitReverseSequence(NodeEmitter &n) {
  return n.out(0, n.layer("ReverseSequence", {n.plain(0), n.plain(1)},
                          {{"batch_axis", n.node.integer("batch_axis", 1)},
                           {"time_axis", n.node.integer("time_axis", 0)}}));
}
