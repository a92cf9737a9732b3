//===- Scalars.cpp - Small constants beside a tensor ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/operators/Scalars.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

Value graph::scalarLike(NodeEmitter &n, Value x, double value) {
  if (!x)
    return x;
  DType type = elementOf(x);
  std::vector<char> bytes(elementBytes(type));
  if (type == DType::F32) {
    float v = float(value);
    std::memcpy(bytes.data(), &v, sizeof v);
  } else {
    auto v = int64_t(value);
    std::memcpy(bytes.data(), &v, bytes.size()); // little-endian
  }
  SmallVector<int64_t> ones(shapeOf(x).size(), 1);
  return n.build.constant(compass::makeConstant(
      n.build.builder.getContext(), n.node.op, ones, type, std::move(bytes)));
}

Value graph::eltwise(NodeEmitter &n, StringRef method, Value a, Value b) {
  return n.layer("Eltwise", {a, b}, {{"method", method.str()}});
}

std::optional<ElementType> graph::castTarget(int64_t number) {
  // As TensorProto numbers them.
  static const std::map<int64_t, ElementType> types = {
      {1, ElementType::F32},  {2, ElementType::U8},   {3, ElementType::I8},
      {4, ElementType::U16},  {5, ElementType::I16},  {6, ElementType::I32},
      {7, ElementType::I64},  {9, ElementType::Bool}, {10, ElementType::F16},
      {11, ElementType::F64}, {12, ElementType::U32}, {13, ElementType::U64},
      {16, ElementType::BF16}};
  auto it = types.find(number);
  return it == types.end() ? std::nullopt : std::optional(it->second);
}

SmallVector<Value> graph::broadcastInputs(NodeEmitter &n, size_t first) {
  Shape result;
  size_t count = n.node.inputs.size();
  for (size_t i = first; i < count; ++i)
    if (n.shape(i).size() > result.size())
      result.insert(result.begin(), n.shape(i).size() - result.size(), 1);
  for (size_t i = first; i < count; ++i)
    for (size_t k = 0; k < n.shape(i).size(); ++k) {
      int64_t &length = result[result.size() - 1 - k];
      int64_t own = n.shape(i)[n.shape(i).size() - 1 - k];
      if (length != own && length != 1 && own != 1) {
        (void)n.bad("shapes do not broadcast", shapeText(n.shape(i)),
                    "lengths that are equal or 1, counted from the end: " +
                        shapeText(result));
        return {};
      }
      length = std::max(length, own);
    }
  SmallVector<Value> values;
  for (size_t i = first; i < count; ++i)
    values.push_back(n.ranked(i, int64_t(result.size())));
  if (llvm::is_contained(values, Value()))
    values.clear();
  return values;
}
