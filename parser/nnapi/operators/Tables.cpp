//===- Tables.cpp - Tables, hashes and chance -----------------------------===//
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

namespace {
/// Of TensorProto, as the attribute `to` of Cast has them.
constexpr std::int64_t kOnnxFloat = 1, kOnnxInt32 = 6;

/// LSHProjectionType.
enum Projection : std::int64_t { kSparseDeprecated = 1, kDense, kSparse };

/// Which keys each lookup is: [lookups, keys], 0 or 1.
Tensor *matches(OperationReader &r) {
  auto number = std::int64_t(r.dims("lookups")[0]);
  Tensor *column = r.between("column"), *equal = r.between("equal"),
         *matches = r.between("matches");
  r.add("Reshape", {r.input("lookups"), r.integers("as_column", {number, 1})},
        {column});
  r.add("Equal", {column, r.input("keys")}, {equal});
  r.add("Cast", {equal}, {matches}).attributes["to"] =
      Attribute::of(kOnnxInt32);
  return matches;
}

/// \p op along the keys of \p x.
Tensor *alongKeys(OperationReader &r, const char *op, Tensor *x, bool byInput,
                  const char *what) {
  Tensor *y = r.between(what);
  std::vector<Tensor *> from = {x};
  if (byInput)
    from.push_back(r.integers(std::string(what) + "_axes", {1}));
  Node &node = r.add(op, std::move(from), {y});
  if (!byInput)
    node.attributes["axis"] = Attribute::of(std::int64_t(1));
  node.attributes["keepdims"] = Attribute::of(std::int64_t(0));
  return y;
}

/// A number of an operand's elements, for all of them.
Tensor *zeroOf(OperationReader &r, const Operand &operand) {
  if (operand.entry().element == ElementType::I32)
    return r.constant("zero", Constant::ofBytes(ElementType::I32, {},
                                                std::vector<std::byte>(4)));
  return r.number("zero", 0);
}
} // namespace

/// Every key is compared with every lookup: keys are in order, but tables are
/// small.
bool nnapi::readHashtable(OperationReader &r) {
  if (r.rank("lookups") != 1 || r.rank("keys") != 1 || r.rank("values") < 1 ||
      r.dims("keys")[0] != r.dims("values")[0])
    return r.bad("keys and values do not match",
                 std::to_string(r.rank("keys")) + " axes of keys",
                 "a key for each slice of the values");
  Tensor *matched = matches(r);
  Tensor *place = alongKeys(r, "ArgMax", matched, false, "place");
  Tensor *hits = alongKeys(r, "ReduceMax", matched, true, "hit");
  Tensor *values = r.input("values");
  Tensor *found = r.storedLike(*values, "found");
  r.add("Gather", {values, place}, {found}).attributes["axis"] =
      Attribute::of(std::int64_t(0));
  // One truth value for each slice.
  std::vector<std::int64_t> shape(std::size_t(r.rank("values")), 1);
  shape[0] = r.dims("lookups")[0];
  Tensor *slices = r.between("slices"), *isHit = r.between("is_hit");
  r.add("Reshape", {hits, r.integers("as_slices", shape)}, {slices});
  Tensor *none =
      r.constant("none", Constant::ofBytes(ElementType::I32, {},
                                           std::vector<std::byte>(4)));
  r.add("Greater", {slices, none}, {isHit});
  r.add("Where", {isHit, found, zeroOf(r, r.operand("values"))}, {r.output(0)});
  Tensor *real = r.between("real_hits");
  r.add("Cast", {hits}, {real}).attributes["to"] = Attribute::of(kOnnxFloat);
  r.add("Identity", {real}, {r.output(1)});
  return true;
}

bool nnapi::readLshProjection(OperationReader &r) {
  std::int64_t type = r.scalar("type");
  if (type < kSparseDeprecated || type > kSparse)
    return r.bad("unknown projection type", std::to_string(type),
                 "1 sparse (deprecated), 2 dense or 3 sparse");
  std::vector<Tensor *> from = {r.input("hash"), r.input("input")};
  if (r.has("weight"))
    from.push_back(r.input("weight"));
  Node &node = r.add(r.entry.node, std::move(from), r.outputs);
  node.domain = kDomain;
  node.attributes["method"] =
      Attribute::of(std::string(type == kDense    ? "DENSE"
                                : type == kSparse ? "APART_SIGNATURES"
                                                  : "SIGNATURES"));
  // What is hashed is what the model stores.
  if (r.operand("input").entry().element == ElementType::F16)
    node.attributes["item_type"] = Attribute::of(std::string("float16"));
  return true;
}

bool nnapi::readRandomMultinomial(OperationReader &r) {
  std::int64_t samples = r.scalar("samples");
  if (samples < 1)
    return r.bad("the number of samples is not positive",
                 std::to_string(samples), "1 sample or more");
  Tensor *weights = r.between("weights");
  r.add("Softmax", {r.input("logits")}, {weights}).attributes["axis"] =
      Attribute::of(std::int64_t(1));
  Node &node = r.add(r.entry.node, {weights, r.input("seeds")}, r.outputs);
  node.domain = kDomain;
  node.attributes["samples"] = Attribute::of(samples);
  return true;
}
