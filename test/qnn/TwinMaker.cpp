//===- TwinMaker.cpp - An operation of NNAPI as nodes of QNN --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinMaker.h"
#include "parser/graph/ImportGraph.h"
#include "parser/qnn/Encodings.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::qnntwins;
using graph::Constant;
using nnapi::Lifetime;
using nnapi::Operand;
using nnapi::OperandType;
using qnn::DataType;
using qnn::QnnTensor;
using qnn::TensorKind;

namespace {

struct TwinEntry {
  std::string_view operation, op;
  bool (*make)(TwinMaker &);
};

constexpr TwinEntry kTwins[] = {
#define TWIN(OPERATION, OP, FUNCTION) {#OPERATION, #OP, FUNCTION},
#include "test/qnn/Twins.def"
};

DataType typeOf(OperandType type) {
  switch (nnapi::entryOf(type).element) {
  case ElementType::F16:
    return DataType::FLOAT_16;
  case ElementType::I32:
    return DataType::INT_32;
  case ElementType::U32:
    return DataType::UINT_32;
  case ElementType::Bool:
    return DataType::BOOL_8;
  case ElementType::I8:
    return DataType::SFIXED_POINT_8;
  case ElementType::U8:
    return DataType::UFIXED_POINT_8;
  case ElementType::I16:
    return DataType::SFIXED_POINT_16;
  case ElementType::U16:
    return DataType::UFIXED_POINT_16;
  default:
    return DataType::FLOAT_32;
  }
}

template <typename T> std::vector<std::byte> bytesOf(const std::vector<T> &v) {
  auto bytes = std::as_bytes(std::span(v));
  return {bytes.begin(), bytes.end()};
}

} // namespace

//===--- What NNAPI's operation has ---===//

/// An optional operand may also be one without elements.
bool TwinMaker::isLeftOut(std::size_t input) const {
  std::uint32_t index = operation->inputs[input];
  const Dims &dims = lengths[index];
  return model.operands[index].lifetime == Lifetime::None ||
         (match.rows[input]->kind == nnapi::OperandRow::Kind::Optional &&
          std::ranges::find(dims, 0) != dims.end());
}

std::optional<std::size_t> TwinMaker::indexOf(std::string_view input) const {
  for (std::size_t i = 0; i < match.rows.size(); ++i)
    if (match.rows[i]->name == input && !isLeftOut(i))
      return i;
  return std::nullopt;
}

bool TwinMaker::has(std::string_view input) const {
  return indexOf(input).has_value();
}

const Operand &TwinMaker::operand(std::string_view input) const {
  return model.operands[operation->inputs[*indexOf(input)]];
}

const Dims &TwinMaker::dims(std::string_view input) {
  return lengths[operation->inputs[*indexOf(input)]];
}

const Dims &TwinMaker::outputDims(std::size_t i) {
  return lengths[operation->outputs[i]];
}

bool TwinMaker::isQuantized() const {
  return match.type &&
         nnapi::entryOf(*match.type).storage != nnapi::Storage::Plain;
}

bool TwinMaker::isInteger() const {
  return match.type == OperandType::TENSOR_INT32;
}

std::span<const std::byte> TwinMaker::valueOf(std::uint32_t index) const {
  const Operand &operand = model.operands[index];
  if (operand.lifetime == Lifetime::Constant)
    return operand.value;
  auto it = std::ranges::find(model.inputs, index);
  if (it == model.inputs.end())
    return {};
  return recorded.inputs[std::size_t(it - model.inputs.begin())].bytes;
}

double TwinMaker::number(std::string_view input, double fallback) const {
  if (!has(input))
    return fallback;
  auto bytes = valueOf(operation->inputs[*indexOf(input)]);
  if (bytes.empty())
    return fallback;
  return Constant{operand(input).entry().element, {1}, bytes}.numberAt(0);
}

std::int64_t TwinMaker::scalar(std::string_view input,
                               std::int64_t fallback) const {
  return std::int64_t(number(input, double(fallback)));
}

std::optional<Dims> TwinMaker::integersOf(std::string_view input) {
  auto index = operation->inputs[*indexOf(input)];
  auto bytes = valueOf(index);
  Constant value{model.operands[index].entry().element, lengths[index], bytes};
  if (bytes.empty() && value.numElements() != 0) {
    none("is computed from values that another operation computes");
    return std::nullopt;
  }
  return value.integers();
}

std::int64_t TwinMaker::axis(std::string_view input, std::int64_t rank,
                             std::int64_t fallback) const {
  std::int64_t axis = scalar(input, fallback);
  return axis < 0 ? axis + rank : axis;
}

//===--- Tensors of the graph ---===//

std::string TwinMaker::tensorAt(std::uint32_t index, bool isConstant) {
  const Operand &operand = model.operands[index];
  auto input = std::ranges::find(model.inputs, index);
  std::string name = "t" + std::to_string(index);
  if (twin.model.find(name)) {
    if (isConstant && !at(name).hasValue)
      none("weights are another operation's input or result, too");
    return name;
  }
  if (std::ranges::find(lengths[index], 0) != lengths[index].end())
    none("a tensor without elements, or of unknown lengths");
  else if (lengths[index].empty() && operand.lifetime == Lifetime::Temporary)
    none("a tensor of unknown rank");
  else if (lengths[index].size() > graph::kMostAxes)
    none("a tensor of more axes than layers have");
  QnnTensor tensor;
  tensor.name = name;
  tensor.type = typeOf(operand.type);
  tensor.dims = lengths[index];
  if (operand.entry().storage == nnapi::Storage::PerChannel)
    tensor.encoding = qnn::encodingOf(
        {operand.entry().element, operand.channels.scales,
         std::vector<std::int64_t>(operand.channels.scales.size(), 0),
         std::int64_t(operand.channels.axis)});
  else if (tensor.entry().isFixed())
    tensor.encoding = qnn::encodingOf(
        {operand.entry().element, {operand.scale}, {operand.zeroPoint}});
  bool isStatic = operand.lifetime == Lifetime::Constant || isConstant;
  if (isStatic) {
    auto bytes = valueOf(index);
    tensor.kind = TensorKind::Static;
    qnn::setValue(tensor, {bytes.begin(), bytes.end()});
    if (std::int64_t(bytes.size()) != tensor.sizeBytes())
      none("weights are computed");
  } else if (input != model.inputs.end()) {
    tensor.kind = TensorKind::Input;
    twin.inputs.push_back(
        recorded.inputs[std::size_t(input - model.inputs.begin())]);
  } else {
    tensor.kind = operand.lifetime == Lifetime::Output ? TensorKind::Output
                                                       : TensorKind::Native;
  }
  twin.model.add(std::move(tensor));
  return name;
}

std::string TwinMaker::tensor(std::string_view input) {
  auto i = indexOf(input);
  return i ? tensorAt(operation->inputs[*i]) : "";
}

std::vector<std::string> TwinMaker::tensors(std::string_view list) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < match.rows.size(); ++i)
    if (match.rows[i]->name == list)
      names.push_back(tensorAt(operation->inputs[i]));
  return names;
}

std::string TwinMaker::constant(std::string_view input) {
  auto i = indexOf(input);
  return i ? tensorAt(operation->inputs[*i], /*isConstant=*/true) : null();
}

std::vector<std::string>
TwinMaker::constants(std::span<const char *const> inputs) {
  std::vector<std::string> names;
  for (const char *input : inputs)
    names.push_back(constant(input));
  return names;
}

std::string TwinMaker::output(std::size_t i) {
  return tensorAt(operation->outputs[i]);
}

std::string TwinMaker::between(const std::string &other, const Dims &dims,
                               const std::string &what) {
  QnnTensor tensor = at(other);
  tensor.name = what + std::to_string(numMade++);
  tensor.dims = dims;
  tensor.kind = TensorKind::Native;
  tensor.value = {};
  tensor.owner = {};
  tensor.hasValue = false;
  return twin.model.add(std::move(tensor)).name;
}

std::string TwinMaker::permuted(const std::string &name, const Dims &perm) {
  QnnTensor tensor = at(name);
  tensor.name = "permuted" + std::to_string(numMade++);
  Dims from = tensor.dims, strides(from.size(), 1);
  for (std::size_t a = from.size(); a-- > 1;)
    strides[a - 1] = strides[a] * from[a];
  for (std::size_t a = 0; a < perm.size(); ++a)
    tensor.dims[a] = from[std::size_t(perm[a])];
  std::size_t size = elementBytes(tensor.entry().element);
  std::vector<std::byte> bytes;
  for (std::int64_t i = 0; i < tensor.numElements(); ++i) {
    std::int64_t rest = i, place = 0;
    for (std::size_t a = perm.size(); a-- > 0; rest /= tensor.dims[a])
      place += rest % tensor.dims[a] * strides[std::size_t(perm[a])];
    auto element = tensor.value.subspan(std::size_t(place) * size, size);
    bytes.insert(bytes.end(), element.begin(), element.end());
  }
  auto moved = std::ranges::find(perm, tensor.encoding.axis);
  if (moved != perm.end())
    tensor.encoding.axis = moved - perm.begin();
  qnn::setValue(tensor, std::move(bytes));
  return twin.model.add(std::move(tensor)).name;
}

std::string TwinMaker::null() {
  QnnTensor tensor;
  tensor.name = "null" + std::to_string(numMade++);
  tensor.kind = TensorKind::Null;
  tensor.dims = {0};
  return twin.model.add(std::move(tensor)).name;
}

//===--- Parameters of the next node ---===//

void TwinMaker::integer(const char *name, std::int64_t value, DataType type) {
  qnn::QnnParam param;
  param.name = name;
  param.tensor.type = type;
  if (elementBytes(param.tensor.entry().element) == 1)
    qnn::setValue(param.tensor, bytesOf(std::vector{std::uint8_t(value)}));
  else
    qnn::setValue(param.tensor, bytesOf(std::vector{std::int32_t(value)}));
  params.push_back(std::move(param));
}

void TwinMaker::real(const char *name, double value) {
  qnn::QnnParam param;
  param.name = name;
  qnn::setValue(param.tensor, bytesOf(std::vector{float(value)}));
  params.push_back(std::move(param));
}

void TwinMaker::integers(const char *name, const Dims &dims, const Dims &values,
                         DataType type) {
  qnn::QnnParam param;
  param.name = name;
  param.isScalar = false;
  param.tensor.name = op + "_" + name + std::to_string(numMade++);
  param.tensor.kind = TensorKind::Static;
  param.tensor.isInline = true;
  param.tensor.type = type;
  param.tensor.dims = dims;
  qnn::setValue(param.tensor, bytesOf(std::vector<std::int32_t>(values.begin(),
                                                                values.end())));
  params.push_back(std::move(param));
}

void TwinMaker::reals(const char *name, const std::vector<float> &values) {
  integers(name, {std::int64_t(values.size())}, {});
  qnn::QnnTensor &tensor = params.back().tensor;
  tensor.type = DataType::FLOAT_32;
  qnn::setValue(tensor, bytesOf(values));
}

//===--- Nodes ---===//

void TwinMaker::add(const char *type, std::vector<std::string> from,
                    std::vector<std::string> to) {
  while (!from.empty() && from.back().empty())
    from.pop_back();
  qnn::QnnNode node;
  node.name = type + ("_" + std::to_string(twin.model.nodes.size()));
  node.type = type;
  node.inputs = std::move(from);
  node.outputs = std::move(to);
  node.params = std::move(params);
  params.clear();
  twin.model.nodes.push_back(std::move(node));
}

bool TwinMaker::node(std::vector<std::string> from) {
  std::vector<std::string> to;
  for (std::size_t i = 0; i < operation->outputs.size(); ++i)
    to.push_back(output(i));
  constexpr const char *kActivations[] = {nullptr, "Relu", "Relu1", "Relu6"};
  std::int64_t fuse = scalar("fuse");
  std::string result = to[0];
  if (fuse != 0)
    to[0] = between(result, at(result).dims, "before");
  add(op.c_str(), std::move(from), to);
  if (fuse != 0)
    add(kActivations[fuse], {to[0]}, {result});
  return true;
}

/// Lengths of the operands: those of the model, of the recorded values where it
/// leaves them open.
void TwinMaker::findDims() {
  lengths.resize(model.operands.size());
  auto set = [&](std::uint32_t index, const std::vector<std::uint32_t> &dims) {
    lengths[index] = {dims.begin(), dims.end()};
  };
  for (std::uint32_t i = 0; i < model.operands.size(); ++i)
    set(i, model.operands[i].dims);
  for (std::size_t i = 0; i < model.inputs.size(); ++i)
    set(model.inputs[i], recorded.inputs[i].dims);
  for (std::size_t i = 0; i < model.outputs.size(); ++i)
    set(model.outputs[i], recorded.outputs[i].value.dims);
}

bool TwinMaker::makeOne(const nnapi::Operation &next) {
  operation = &next;
  const nnapi::OperationEntry *entry = nnapi::findOperation(next.code);
  auto twinEntry =
      std::ranges::find(kTwins, entry->name, &TwinEntry::operation);
  if (twinEntry == std::end(kTwins))
    return none(std::string("no operator is ") + entry->name);
  auto form = nnapi::matchForm(*entry, model, next);
  if (!form)
    return none("the operands fit no form");
  match = std::move(*form);
  op = twinEntry->op;
  if (scalar("nchw"))
    return none("QNN has channels last");
  twin.op = op;
  return twinEntry->make(*this) && why.empty();
}

bool TwinMaker::finish() {
  for (std::size_t i = 0; i < model.outputs.size(); ++i)
    if (!twin.model.find("t" + std::to_string(model.outputs[i])) &&
        !recorded.outputs[i].isIgnored)
      return none("an output is no result");
  // In the order that the graph has them, as it has its inputs.
  for (const QnnTensor &tensor : twin.model.tensors)
    if (tensor.kind == TensorKind::Output) {
      auto index = std::uint32_t(std::stoul(tensor.name.substr(1)));
      auto it = std::ranges::find(model.outputs, index);
      twin.outputs.push_back(
          recorded.outputs[std::size_t(it - model.outputs.begin())]);
    }
  return true;
}

bool TwinMaker::make() {
  if (recorded.expectsFailure || recorded.multinomialTolerance)
    return none("the case is recorded as a failure, or by chance");
  twin.name = twin.model.file = recorded.name;
  findDims();
  return std::ranges::all_of(
             model.operations,
             [&](const nnapi::Operation &next) { return makeOne(next); }) &&
         finish();
}

std::optional<Twin> qnntwins::qnnTwin(const vts::Case &recorded,
                                      std::string &why) {
  Twin twin;
  why.clear();
  if (!TwinMaker(recorded, twin, why).make())
    return std::nullopt;
  return twin;
}

std::vector<std::string> qnntwins::twinOps() {
  std::vector<std::string> ops;
  for (const TwinEntry &entry : kTwins)
    ops.emplace_back(entry.op);
  return ops;
}
