//===- Indices.cpp - Gather, shapes and constants -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Tensor;

bool nnapi::readGather(OperationReader &r) {
  auto axis = r.axis("axis", r.rank("input"));
  if (!axis)
    return false;
  Tensor *x = r.input("input");
  r.movedResult(r.entry.node, {x, r.input("indices")}, x).attributes["axis"] =
      Attribute::of(*axis);
  return true;
}

bool nnapi::readEmbedding(OperationReader &r) {
  Tensor *values = r.input("values");
  Node &node =
      r.movedResult(r.entry.node, {values, r.input("lookups")}, values);
  node.attributes["axis"] = Attribute::of(std::int64_t(0));
  node.attributes["negative_indices"] = Attribute::of(std::string("REFUSED"));
  return true;
}

bool nnapi::readFill(OperationReader &r) {
  auto shape = r.integersOf("shape");
  if (!shape)
    return false;
  r.add(r.entry.node, {r.input("value"), r.integers("shape", *shape)},
        r.outputs);
  return true;
}

/// A number that the model says already.
bool nnapi::readRank(OperationReader &r) {
  Tensor *rank = r.output(0);
  rank->constant = Constant::ofIntegers({}, {r.rank("input")});
  rank->setType(rank->constant->type, rank->constant->shape);
  return true;
}

/// Of equal values that with the larger index is first.
bool nnapi::readTopK(OperationReader &r) {
  Tensor *x = r.input("input");
  Node &node =
      r.add(r.entry.node, {x, r.integers("k", {r.scalar("k")})}, r.outputs);
  node.attributes["axis"] = Attribute::of(std::int64_t(-1));
  node.attributes["select_last_index"] = Attribute::of(std::int64_t(1));
  return true;
}
