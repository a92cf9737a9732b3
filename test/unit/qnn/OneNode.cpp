//===- OneNode.cpp - Networks of one node of QNN --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/OneNode.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::test;
using qnn::Encoding;
using qnn::QnnTensor;
using qnn::TensorKind;

std::size_t Values::channelOf(std::size_t i) const {
  if (encoding.scales.size() == 1)
    return 0;
  std::size_t after = 1;
  for (std::size_t a = std::size_t(encoding.axis) + 1; a < dims.size(); ++a)
    after *= std::size_t(dims[a]);
  return i / after % encoding.scales.size();
}

std::vector<double> Values::reals() const {
  std::vector<double> result;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    result.push_back(real(i));
  return result;
}

std::pair<double, double> Values::range() const {
  const qnn::DataTypeEntry &entry = qnn::entryOf(type);
  unsigned bits = encoding.bitWidth ? encoding.bitWidth : entry.numBits();
  bool isSigned =
      entry.element == ElementType::I8 || entry.element == ElementType::I16 ||
      entry.element == ElementType::I32 || entry.element == ElementType::I64;
  double count = std::ldexp(1.0, int(bits));
  return isSigned ? std::pair(-count / 2, count / 2 - 1)
                  : std::pair(0.0, count - 1);
}

double Values::stored(double real, std::size_t i) const {
  auto [low, high] = range();
  return std::clamp(std::nearbyint(real / scaleAt(i)) - offsetAt(i), low, high);
}

Values test::floats(std::vector<std::int64_t> dims,
                    std::vector<double> numbers) {
  return {DataType::FLOAT_32, std::move(dims), {}, std::move(numbers)};
}

Values test::integers(std::vector<std::int64_t> dims,
                      std::vector<double> numbers, DataType type) {
  return {type, std::move(dims), {}, std::move(numbers)};
}

Encoding test::scaleOffset(float scale, std::int32_t offset) {
  return {Encoding::Form::ScaleOffset, {scale}, {offset}};
}

Encoding test::axisScaleOffset(std::int64_t axis, std::vector<float> scales,
                               std::vector<std::int32_t> offsets) {
  return {Encoding::Form::AxisScaleOffset, std::move(scales),
          std::move(offsets), axis};
}

std::uint64_t Random::next() { // xorshift64*
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545F4914F6CDD1Du;
}

std::int64_t Random::below(std::int64_t count) {
  return std::int64_t((next() >> 32) * std::uint64_t(count) >> 32);
}

double Random::between(double low, double high) {
  return low + (high - low) * std::ldexp(double(next() >> 11), -53);
}

Values Random::values(DataType type, std::vector<std::int64_t> dims,
                      Encoding encoding, double low, double high) {
  Values result{type, std::move(dims), std::move(encoding), {}};
  auto [least, most] = result.range();
  for (std::size_t i = 0, n = result.count(); i < n; ++i) {
    double number = between(low, high);
    if (result.isFixed())
      number = least + double(below(std::int64_t(most - least) + 1));
    else if (qnn::entryOf(type).isFloat())
      number = double(float(number));
    else
      number = std::floor(number);
    result.numbers.push_back(number);
  }
  return result;
}

namespace {

template <typename T>
void append(std::vector<std::byte> &bytes, double number) {
  auto value = T(number);
  auto *from = reinterpret_cast<const std::byte *>(&value);
  bytes.insert(bytes.end(), from, from + sizeof(T));
}

std::vector<std::byte> bytesOf(ElementType element,
                               const std::vector<double> &numbers) {
  std::vector<std::byte> bytes;
  for (double number : numbers)
    switch (element) {
    case ElementType::F32:
      append<float>(bytes, number);
      break;
    case ElementType::F64:
      append<double>(bytes, number);
      break;
    case ElementType::I64:
      append<std::int64_t>(bytes, number);
      break;
    case ElementType::I32:
      append<std::int32_t>(bytes, number);
      break;
    case ElementType::U32:
      append<std::uint32_t>(bytes, number);
      break;
    case ElementType::I16:
      append<std::int16_t>(bytes, number);
      break;
    case ElementType::U16:
      append<std::uint16_t>(bytes, number);
      break;
    case ElementType::I8:
      append<std::int8_t>(bytes, number);
      break;
    default:
      append<std::uint8_t>(bytes, number);
      break;
    }
  return bytes;
}

template <typename T>
std::vector<double> numbersOf(const compass::TensorBytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return {values.begin(), values.end()};
}

std::vector<double> numbersOf(ElementType element,
                              const compass::TensorBytes &bytes) {
  switch (element) {
  case ElementType::F32:
    return numbersOf<float>(bytes);
  case ElementType::I32:
    return numbersOf<std::int32_t>(bytes);
  case ElementType::U32:
    return numbersOf<std::uint32_t>(bytes);
  case ElementType::I16:
    return numbersOf<std::int16_t>(bytes);
  case ElementType::U16:
    return numbersOf<std::uint16_t>(bytes);
  case ElementType::I8:
    return numbersOf<std::int8_t>(bytes);
  default:
    return numbersOf<std::uint8_t>(bytes);
  }
}

/// How the layers have elements of the file: integers of 64 bits as 32.
ElementType layerElement(DataType type) {
  switch (ElementType element = qnn::entryOf(type).element) {
  case ElementType::F16:
  case ElementType::F64:
    return ElementType::F32;
  case ElementType::I64:
    return ElementType::I32;
  case ElementType::U64:
    return ElementType::U32;
  default:
    return element;
  }
}

} // namespace

OneNode::OneNode(std::string type) {
  model.nodes.push_back({.name = "node", .type = std::move(type)});
}

void OneNode::add(const Values &values, TensorKind kind) {
  qnn::QnnNode &node = model.nodes[0];
  bool isResult = kind == TensorKind::Output;
  std::string name = isResult ? "y" + std::to_string(node.outputs.size())
                              : "x" + std::to_string(node.inputs.size());
  (isResult ? node.outputs : node.inputs).push_back(name);
  QnnTensor tensor{.name = name,
                   .type = values.type,
                   .dims = values.dims,
                   .kind = kind,
                   .encoding = values.encoding};
  if (kind == TensorKind::Static)
    setValue(tensor,
             bytesOf(qnn::entryOf(values.type).element, values.numbers));
  model.add(std::move(tensor));
}

OneNode &OneNode::input(const Values &values) {
  add(values, TensorKind::Input);
  given.push_back(values);
  return *this;
}

OneNode &OneNode::constant(const Values &values) {
  add(values, TensorKind::Static);
  return *this;
}

OneNode &OneNode::noInput() {
  add({}, TensorKind::Null);
  return *this;
}

OneNode &OneNode::output(DataType type, std::vector<std::int64_t> dims,
                         Encoding encoding) {
  wanted.push_back({type, std::move(dims), std::move(encoding), {}});
  add(wanted.back(), TensorKind::Output);
  return *this;
}

OneNode &OneNode::param(std::string name, double value, DataType type) {
  list(std::move(name), {}, {value}, type);
  return *this;
}

OneNode &OneNode::list(std::string name, std::vector<std::int64_t> dims,
                       std::vector<double> values, DataType type) {
  qnn::QnnParam param{.name = name, .isScalar = dims.empty()};
  param.tensor.name = std::move(name);
  param.tensor.type = type;
  param.tensor.dims = std::move(dims);
  param.tensor.kind = TensorKind::Static;
  setValue(param.tensor, bytesOf(qnn::entryOf(type).element, values));
  model.nodes[0].params.push_back(std::move(param));
  return *this;
}

bool OneNode::import() {
  if (isImported)
    return bool(module);
  isImported = true;
  module = qnn::importQnnModel(context, model, {}, diags);
  if (module && compass::isCompat(*module) &&
      !convertPrequantized(*module, {}, diags))
    module = nullptr;
  return bool(module);
}

Values OneNode::run(std::size_t i) {
  Values result = wanted[i];
  auto evaluator =
      import() ? compass::Evaluator::create(*module, diags) : nullptr;
  if (!evaluator) {
    for (const Diagnostic &d : diags.all())
      ADD_FAILURE() << d.str();
    return result;
  }
  std::vector<std::vector<std::byte>> bytes;
  std::vector<compass::TensorBytesRef> refs;
  for (const Values &values : given)
    bytes.push_back(bytesOf(layerElement(values.type), values.numbers));
  for (const auto &input : bytes)
    refs.emplace_back(reinterpret_cast<const char *>(input.data()),
                      input.size());
  std::vector<compass::TensorBytes> outputs;
  evaluator->run(refs, outputs);
  result.numbers = numbersOf(layerElement(result.type), outputs[i]);
  EXPECT_EQ(result.numbers.size(), result.count());
  return result;
}

bool OneNode::reports(const std::string &id) const {
  for (const Diagnostic &d : diags.all())
    if (d.id->code == id)
      return true;
  return false;
}

void Agreement::add(double found, double expected) {
  double distance = std::abs(found - expected);
  farthest = std::max(farthest, distance);
  ++(distance == 0 ? equal : distance <= 1 ? near : far);
}

std::string Agreement::text() const {
  return std::to_string(equal) + " equal, " + std::to_string(near) +
         " one step beside, " + std::to_string(far) + " farther off (" +
         std::to_string(farthest) + ")";
}
