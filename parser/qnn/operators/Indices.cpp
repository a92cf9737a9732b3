//===- Indices.cpp - Gather and scatter -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Indices count from the front alone. Those of static tensors are checked; of
// others -1 is what a layer makes of it, the last one.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/OpReader.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Node;
using graph::Tensor;

/// in[1] as layers take indices; null after reporting one that is not below the
/// length of \p lengths that belongs to its place in a row of them.
static Tensor *indices(OpReader &r, const std::vector<std::int64_t> &lengths) {
  Tensor *given = r.input(1);
  if (given->constant) {
    std::vector<std::int64_t> values = given->constant->integers();
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::int64_t length = lengths[i % lengths.size()];
      if (values[i] >= 0 && values[i] < length)
        continue;
      r.bad("in[1]: an index is out of range", std::to_string(values[i]),
            "0 to " + std::to_string(length - 1));
      return nullptr;
    }
  }
  if (given->type != ElementType::U32)
    return given;
  Tensor *signedOnes = r.between("indices");
  r.addCast(given, ElementType::I32, signedOnes);
  return signedOnes;
}

/// Gather and GatherElements.
bool qnn::readGather(OpReader &r) {
  std::int64_t axis = r.scalar("axis");
  Tensor *at = indices(r, {r.dims(0)[std::size_t(axis)]});
  if (!at)
    return false;
  r.movedResult(r.entry.node, {r.input(0), at}, r.input(0)).attributes["axis"] =
      Attribute::of(axis);
  return true;
}

/// The lengths that the last axis of in[1] indexes, behind \p numBatches
/// others; empty after reporting one that does not fit.
static std::vector<std::int64_t> indexedLengths(OpReader &r,
                                                std::int64_t numBatches) {
  std::int64_t depth = r.dims(1).back(), most = r.rank(0) - numBatches;
  if (depth < 1 || depth > most) {
    r.bad("in[1]: the last axis has a wrong length", std::to_string(depth),
          "1 to " + std::to_string(most));
    return {};
  }
  auto first = r.dims(0).begin() + numBatches;
  return {first, first + depth};
}

bool qnn::readGatherNd(OpReader &r) {
  std::int64_t numBatches = r.scalar("batch_dims");
  if (numBatches >= std::min(r.rank(0), r.rank(1)))
    return r.bad("batch_dims is out of range", std::to_string(numBatches),
                 "below " + std::to_string(std::min(r.rank(0), r.rank(1))));
  std::vector<std::int64_t> lengths = indexedLengths(r, numBatches);
  Tensor *at = lengths.empty() ? nullptr : indices(r, lengths);
  if (!at)
    return false;
  r.movedResult(r.entry.node, {r.input(0), at}, r.input(0))
      .attributes["batch_dims"] = Attribute::of(numBatches);
  return true;
}

/// The definitions' name of a reduction as ONNX has it.
static void setReduction(OpReader &r, Node &node) {
  for (const ParamRow::Value &value : r.entry.param("reduction")->values) {
    if (value.number != r.scalar("reduction"))
      continue;
    std::string name = value.name;
    for (char &c : name)
      c = char(c - 'A' + 'a');
    node.attributes["reduction"] = Attribute::of(name);
  }
}

bool qnn::readScatterNd(OpReader &r) {
  std::vector<std::int64_t> lengths = indexedLengths(r, 0);
  Tensor *at = lengths.empty() ? nullptr : indices(r, lengths);
  if (!at)
    return false;
  setReduction(r, r.result(r.entry.node, {r.input(0), at, r.input(2)}));
  return true;
}

bool qnn::readScatterElements(OpReader &r) {
  std::int64_t axis = r.scalar("axis");
  Tensor *at = indices(r, {r.dims(0)[std::size_t(axis)]});
  if (!at)
    return false;
  Node &node = r.result(r.entry.node, {r.input(0), at, r.input(2)});
  node.attributes["axis"] = Attribute::of(axis);
  setReduction(r, node);
  return true;
}
