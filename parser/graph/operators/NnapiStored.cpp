//===- NnapiStored.cpp - Stored integers as numbers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OnnxTypes.h"
#include "parser/graph/OperatorTable.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// A constant's elements, as it has them, as numbers of the type \p to: towards
/// zero and within it, as the layer converts them.
static Constant converted(const Constant &from, ElementType to) {
  if (to == ElementType::F32) {
    std::vector<float> values;
    for (double number : from.numbers())
      values.push_back(float(number));
    return Constant::ofFloats(from.shape, values);
  }
  auto [least, most] = compass::dtypeRange(to);
  std::vector<std::byte> bytes;
  for (double number : from.numbers()) {
    double whole = std::isnan(number) ? 0 : std::trunc(number);
    auto value = int64_t(std::clamp(whole, double(least), double(most)));
    auto *first = reinterpret_cast<const std::byte *>(&value); // little-endian
    bytes.insert(bytes.end(), first, first + elementBytes(to));
  }
  return Constant::ofBytes(to, from.shape, std::move(bytes));
}

/// A conversion of what is stored, whatever it means: a tensor that the model
/// stores in integers gives these, and gets them. While tensors are real, its
/// stored operand and result are floats; a constant is what it will be.
LogicalResult graph::emitNnapiStoredCast(NodeEmitter &n) {
  auto to = onnxType(n.node.integer("to", 0));
  assert(to && "only readers make this node");
  const auto &stored = n.node.outputs[0]->quantization;
  if (const auto &constant = n.tensor(0).constant) {
    Constant value = converted(*constant, *to);
    return n.outConstant(0, stored ? realConstant(value, *stored) : value);
  }
  compass::DType element = stored ? compass::DType::F32 : irElement(*to);
  return n.outPlain(
      0, n.build.layerOf("Cast", {n.plain(0)},
                         {{"to_dtype", compass::dtypeName(element).str()},
                          {"ignore_scale_zp", true}},
                         element));
}
