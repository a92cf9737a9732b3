//===- QuantizeNodes.cpp - What QuantizeLinear says of integers -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/QuantizeNodes.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::graph;

bool graph::isQuantize(const Node &node) {
  return node.op == "QuantizeLinear" && node.domain.empty();
}

bool graph::isDequantize(const Node &node) {
  return node.op == "DequantizeLinear" && node.domain.empty();
}

//===----------------------------------------------------------------------===//
// Constants that nodes make of constants
//===----------------------------------------------------------------------===//

/// ONNX's number of an integer type that is quantized to. 0: not said.
static std::optional<ElementType> integerType(std::int64_t number) {
  switch (number) {
  case 0:
  case 2:
    return ElementType::U8;
  case 3:
    return ElementType::I8;
  case 4:
    return ElementType::U16;
  case 5:
    return ElementType::I16;
  default:
    return std::nullopt;
  }
}

static std::optional<Constant> knownConstant(const Tensor *tensor,
                                             const Uses &uses, int depth = 8);

/// Scales of biases: those of the input times those of the weights.
static std::optional<Constant> productOf(const Constant &a, const Constant &b) {
  std::int64_t n = a.numElements(), m = b.numElements();
  if (n != m && n != 1 && m != 1)
    return std::nullopt;
  std::vector<float> values;
  for (std::int64_t i = 0, e = std::max(n, m); i < e; ++i)
    values.push_back(float(a.numberAt(n == 1 ? 0 : i)) *
                     float(b.numberAt(m == 1 ? 0 : i)));
  return Constant::ofFloats(n > m ? a.shape : b.shape, values);
}

static std::optional<Constant> castTo(const Constant &c, std::int64_t number) {
  auto type = number == 0 ? std::nullopt : integerType(number);
  if (!type)
    return std::nullopt;
  std::vector<float> values;
  for (double value : c.numbers())
    values.push_back(float(value));
  return storedConstant(Constant::ofFloats(c.shape, values), {*type, {1}, {0}});
}

static std::optional<Constant> made(const Node &node, const Uses &uses,
                                    int depth) {
  static constexpr std::string_view kPassOn[] = {
      "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"};
  if (!node.domain.empty() || node.inputs.empty())
    return std::nullopt;
  auto a = knownConstant(node.input(0), uses, depth - 1);
  if (!a)
    return std::nullopt;
  // Lists keep their order whatever shape they have.
  if (std::ranges::find(kPassOn, node.op) != std::end(kPassOn))
    return a;
  if (node.op == "Cast")
    return castTo(*a, node.integer("to", 0));
  if (node.op != "Mul")
    return std::nullopt;
  auto b = knownConstant(node.input(1), uses, depth - 1);
  return b ? productOf(*a, *b) : std::nullopt;
}

static std::optional<Constant> knownConstant(const Tensor *tensor,
                                             const Uses &uses, int depth) {
  if (!tensor || depth == 0)
    return std::nullopt;
  if (tensor->constant)
    return tensor->constant;
  auto it = uses.writer.find(tensor);
  return it == uses.writer.end() ? std::nullopt
                                 : made(*it->second, uses, depth);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static bool isFloatType(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F16 ||
         type == ElementType::BF16 || type == ElementType::F64;
}

/// The type of integers that a node makes or reads, as far as it says so.
static std::optional<ElementType>
integersOf(const Node &node, const std::optional<Constant> &zeroPoints) {
  if (zeroPoints)
    return zeroPoints->type;
  if (isQuantize(node))
    return integerType(node.integer("output_dtype", 0));
  const Tensor *x = node.input(0);
  return x && x->constant ? x->constant->type : x->type;
}

/// Whether \p tensor is of integers, as far as the model says so before its
/// types are found. (Fold.cpp tells what is found too late.)
static bool isOfIntegers(const Tensor &tensor, const Uses &uses) {
  if (tensor.type)
    return !isFloatType(*tensor.type);
  auto it = uses.writer.find(&tensor);
  return it != uses.writer.end() && it->second->domain.empty() &&
         (it->second->op == "MatMulInteger" || it->second->op == "ConvInteger");
}

static StoredForm no(std::string why) { return {std::nullopt, std::move(why)}; }

StoredForm graph::storedForm(const Node &node, const Uses &uses,
                             std::optional<ElementType> known) {
  if (node.inputs.size() < 2 || !node.input(0))
    return no("a node without a scale");
  if (isQuantize(node) && isOfIntegers(*node.input(0), uses))
    return no("integers that are quantized again");
  if (node.integer("block_size", 0) != 0)
    return no("scales for blocks of " +
              std::to_string(node.integer("block_size", 0)));
  auto scales = knownConstant(node.input(1), uses);
  if (!scales || !isFloatType(scales->type))
    return no("a scale that is computed at run time");
  std::optional<Constant> zeroPoints;
  if (node.input(2)) {
    zeroPoints = knownConstant(node.input(2), uses);
    if (!zeroPoints)
      return no("a zero point that is computed at run time");
  }
  auto type = integersOf(node, zeroPoints);
  if (!type && isDequantize(node))
    type = known;
  const Tensor *x = node.input(0);
  bool isWeight = isDequantize(node) && x->constant;
  // A stored tensor has the whole range of its type.
  bool isNarrow = zeroPoints && zeroPoints->narrowBits && !isWeight;
  if (!type || isFloatType(*type) || *type == ElementType::Bool || isNarrow ||
      (elementBytes(*type) > 2 && !(isWeight && *type == ElementType::I32)))
    return no("integers that do not have 8 or 16 bits");
  Quantization q{*type, {}, {}, 0};
  std::int64_t count = scales->numElements();
  if (count == 0 || (zeroPoints && zeroPoints->numElements() != count))
    return no("different numbers of scales and zero points");
  for (std::int64_t i = 0; i < count; ++i) {
    auto scale = float(scales->numberAt(i));
    if (!(scale > 0) || !std::isfinite(scale))
      return no("a scale that is not above 0");
    q.scales.push_back(scale);
    q.zeroPoints.push_back(zeroPoints ? zeroPoints->integerAt(i) : 0);
  }
  if (q.isPerTensor())
    return {q, {}};
  if (!x->constant)
    return no("a scale for each channel");
  auto rank = std::int64_t(x->constant->shape.size());
  q.axis = node.integer("axis", 1);
  if (q.axis < 0)
    q.axis += rank;
  if (q.axis < 0 || q.axis >= rank ||
      x->constant->shape[std::size_t(q.axis)] != count)
    return no("scales that do not match the axis");
  return {q, {}};
}
