//===- ImportGraph.cpp - A network of a foreign format --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/ImportGraph.h"
#include "support/Half.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace yarrow;
using namespace yarrow::graph;

std::int64_t graph::numElements(const Shape &shape) {
  std::int64_t count = 1;
  for (std::int64_t length : shape)
    count *= length;
  return count;
}

bool graph::isPossible(const Shape &shape) {
  constexpr std::int64_t kMostElements = std::int64_t(1) << 40;
  std::int64_t count = 1;
  for (std::int64_t length : shape) {
    if (length < 0 || (length > 0 && count > kMostElements / length))
      return false;
    count *= length;
  }
  return shape.size() <= kMostAxes;
}

std::int64_t Constant::numElements() const { return graph::numElements(shape); }

template <typename T>
static T elementAt(std::span<const std::byte> bytes, std::int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + std::size_t(i) * sizeof(T), sizeof(T));
  return value;
}

std::int64_t Constant::integerAt(std::int64_t i) const {
  switch (type) {
  case ElementType::I8:
    return elementAt<std::int8_t>(bytes, i);
  case ElementType::U8:
  case ElementType::Bool:
    return elementAt<std::uint8_t>(bytes, i);
  case ElementType::I16:
    return elementAt<std::int16_t>(bytes, i);
  case ElementType::U16:
    return elementAt<std::uint16_t>(bytes, i);
  case ElementType::I32:
    return elementAt<std::int32_t>(bytes, i);
  case ElementType::U32:
    return elementAt<std::uint32_t>(bytes, i);
  case ElementType::I64:
  case ElementType::U64:
    return elementAt<std::int64_t>(bytes, i);
  default: {
    double value = numberAt(i);
    // Not a number has no integer; bounds keep the conversion defined.
    if (std::isnan(value))
      return 0;
    return std::int64_t(std::clamp(value, -9.2e18, 9.2e18));
  }
  }
}

double Constant::numberAt(std::int64_t i) const {
  switch (type) {
  case ElementType::F32:
    return elementAt<float>(bytes, i);
  case ElementType::F64:
    return elementAt<double>(bytes, i);
  case ElementType::F16:
    return halfToFloat(elementAt<std::uint16_t>(bytes, i));
  case ElementType::BF16: {
    std::uint32_t bits = std::uint32_t(elementAt<std::uint16_t>(bytes, i))
                         << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  case ElementType::U64:
    return double(elementAt<std::uint64_t>(bytes, i));
  default:
    return double(integerAt(i));
  }
}

std::vector<std::int64_t> Constant::integers() const {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0, e = numElements(); i < e; ++i)
    values.push_back(integerAt(i));
  return values;
}

std::string graph::quantizationText(const Quantization &q) {
  std::string text =
      "q" + std::to_string(unsigned(q.stored)) + "," + std::to_string(q.axis);
  for (std::size_t i = 0; i < q.scales.size(); ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, &q.scales[i], sizeof(bits));
    text += "," + std::to_string(bits) + ":" + std::to_string(q.zeroPoints[i]);
  }
  return text;
}

namespace {

/// Which scale an element has.
class ScaleIndex {
public:
  ScaleIndex(const Shape &shape, const Quantization &q)
      : count(q.scales.size()) {
    for (std::size_t i = std::size_t(q.axis) + 1; i < shape.size(); ++i)
      inner *= std::size_t(shape[i]);
  }
  std::size_t of(std::size_t element) const {
    return count == 1 ? 0 : element / inner % count;
  }

private:
  std::size_t count, inner = 1; ///< inner: elements in a row of one scale
};

} // namespace

/// Integers that are \p stepsOf(number, scale) steps from the zero point. What
/// is no number is stored as zero.
template <typename F>
static Constant storeSteps(const Constant &real, const Quantization &q,
                           F stepsOf) {
  ScaleIndex index(real.shape, q);
  std::size_t width = elementBytes(q.stored);
  int bits = int(8 * width);
  bool isSigned = q.stored != ElementType::U8 && q.stored != ElementType::U16;
  double least = isSigned ? -std::ldexp(1.0, bits - 1) : 0;
  double most = std::ldexp(1.0, isSigned ? bits - 1 : bits) - 1;
  std::vector<std::byte> bytes(std::size_t(real.numElements()) * width);
  for (std::size_t i = 0; i < bytes.size() / width; ++i) {
    std::size_t at = index.of(i);
    double steps = stepsOf(real.numberAt(std::int64_t(i)), q.scales[at]);
    if (std::isnan(steps))
      steps = 0;
    auto value =
        std::int64_t(std::clamp(steps + double(q.zeroPoints[at]), least, most));
    std::memcpy(&bytes[i * width], &value, width); // little-endian
  }
  return Constant::ofBytes(q.stored, real.shape, std::move(bytes));
}

Constant graph::storedConstant(const Constant &real, const Quantization &q) {
  return storeSteps(real, q, [](double number, float scale) {
    return std::nearbyint(number / double(scale));
  });
}

Constant graph::quantizedConstant(const Constant &real, const Quantization &q) {
  return storeSteps(real, q, [](double number, float scale) {
    return double(std::nearbyint(float(number) / scale));
  });
}

Constant graph::realConstant(const Constant &stored, const Quantization &q) {
  ScaleIndex index(stored.shape, q);
  std::vector<float> values(std::size_t(stored.numElements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t at = index.of(i);
    // Of up to 32 bits the difference is exact: the product is rounded once.
    double steps =
        double(stored.integerAt(std::int64_t(i))) - double(q.zeroPoints[at]);
    values[i] = float(steps * double(q.scales[at]));
  }
  return Constant::ofFloats(stored.shape, values);
}

std::vector<double> Constant::numbers() const {
  std::vector<double> values;
  for (std::int64_t i = 0, e = numElements(); i < e; ++i)
    values.push_back(numberAt(i));
  return values;
}

Constant Constant::ofBytes(ElementType type, Shape shape,
                           std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {type, std::move(shape), *owner, owner};
}

template <typename T>
static Constant ofValues(ElementType type, Shape shape,
                         const std::vector<T> &values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return Constant::ofBytes(type, std::move(shape), std::move(bytes));
}

Constant Constant::ofIntegers(Shape shape,
                              const std::vector<std::int64_t> &values) {
  return ofValues(ElementType::I64, std::move(shape), values);
}

Constant Constant::ofFloats(Shape shape, const std::vector<float> &values) {
  return ofValues(ElementType::F32, std::move(shape), values);
}

Attribute Attribute::of(std::int64_t value) {
  Attribute a;
  a.kind = Kind::Int;
  a.integer = value;
  return a;
}
Attribute Attribute::of(float value) {
  Attribute a;
  a.kind = Kind::Float;
  a.number = value;
  return a;
}
Attribute Attribute::of(std::string value) {
  Attribute a;
  a.kind = Kind::String;
  a.text = std::move(value);
  return a;
}
Attribute Attribute::of(std::vector<std::int64_t> values) {
  Attribute a;
  a.kind = Kind::Ints;
  a.integers = std::move(values);
  return a;
}

bool Tensor::isStatic() const {
  return shape && std::ranges::all_of(
                      *shape, [](std::int64_t length) { return length >= 0; });
}

const Attribute *Node::attribute(std::string_view key) const {
  auto it = attributes.find(key);
  return it == attributes.end() ? nullptr : &it->second;
}

std::int64_t Node::integer(std::string_view key, std::int64_t fallback) const {
  const Attribute *a = attribute(key);
  return a && a->kind == Attribute::Kind::Int ? a->integer : fallback;
}
float Node::number(std::string_view key, float fallback) const {
  const Attribute *a = attribute(key);
  return a && a->kind == Attribute::Kind::Float ? a->number : fallback;
}
std::string Node::text(std::string_view key, std::string_view fallback) const {
  const Attribute *a = attribute(key);
  return a && a->kind == Attribute::Kind::String ? a->text
                                                 : std::string(fallback);
}
std::vector<std::int64_t> Node::integers(std::string_view key) const {
  const Attribute *a = attribute(key);
  return a && a->kind == Attribute::Kind::Ints ? a->integers
                                               : std::vector<std::int64_t>();
}

std::string Node::describe() const {
  if (!name.empty())
    return "node " + name;
  for (const Tensor *output : outputs)
    if (output)
      return "node of tensor " + output->name;
  return "node " + op;
}

Tensor *Graph::addTensor(std::string tensorName) {
  tensors.push_back(std::make_unique<Tensor>());
  tensors.back()->name = std::move(tensorName);
  return tensors.back().get();
}

Node &Graph::addNode(std::string op, std::vector<Tensor *> nodeInputs,
                     std::vector<Tensor *> nodeOutputs) {
  nodes.push_back(std::make_unique<Node>());
  Node &node = *nodes.back();
  node.op = std::move(op);
  node.inputs = std::move(nodeInputs);
  node.outputs = std::move(nodeOutputs);
  return node;
}

const Tensor *Graph::find(std::string_view tensorName) const {
  for (auto &tensor : tensors)
    if (tensor->name == tensorName)
      return tensor.get();
  return nullptr;
}

bool Graph::isOutput(const Tensor *tensor) const {
  return std::ranges::find(outputs, tensor) != outputs.end();
}

/// What the nodes of \p graph read and neither write nor are given.
static void readFromOutside(const Graph &graph, std::vector<Tensor *> &out) {
  std::set<const Tensor *> own(graph.inputs.begin(), graph.inputs.end());
  auto read = [&](Tensor *tensor) {
    if (tensor && !own.contains(tensor) && !tensor->constant &&
        std::ranges::find(out, tensor) == out.end())
      out.push_back(tensor);
  };
  for (const auto &node : graph.nodes) {
    for (Tensor *tensor : readBy(*node))
      read(tensor);
    own.insert(node->outputs.begin(), node->outputs.end());
  }
  for (Tensor *tensor : graph.outputs)
    read(tensor);
}

std::vector<Tensor *> graph::readBy(const Node &node) {
  std::vector<Tensor *> tensors;
  for (Tensor *tensor : node.inputs)
    if (tensor)
      tensors.push_back(tensor);
  for (auto &[key, attribute] : node.attributes)
    if (attribute.graph)
      readFromOutside(*attribute.graph, tensors);
  return tensors;
}

Uses::Uses(const Graph &graph) : graph(graph) {
  for (const auto &node : graph.nodes) {
    for (Tensor *tensor : readBy(*node))
      readers[tensor].push_back(node.get());
    for (Tensor *tensor : node->outputs)
      if (tensor)
        writer[tensor] = node.get();
  }
}

Node *Uses::onlyReader(const Tensor *tensor) const {
  auto it = readers.find(tensor);
  return it != readers.end() && it->second.size() == 1 &&
                 !graph.isOutput(tensor)
             ? it->second.front()
             : nullptr;
}
