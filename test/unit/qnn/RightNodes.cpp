//===- RightNodes.cpp - A node for each operator --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/RightNodes.h"
#include "parser/qnn/CheckNode.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

template <typename T> void append(std::vector<std::byte> &bytes, double value) {
  T element = static_cast<T>(value);
  auto *first = reinterpret_cast<const std::byte *>(&element);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

void appendOf(DataType type, std::vector<std::byte> &bytes, double value) {
  switch (type) {
  case DataType::BOOL_8:
  case DataType::UINT_8:
    return append<std::uint8_t>(bytes, value);
  case DataType::INT_32:
    return append<std::int32_t>(bytes, value);
  case DataType::UINT_32:
    return append<std::uint32_t>(bytes, value);
  case DataType::INT_64:
    return append<std::int64_t>(bytes, value);
  case DataType::FLOAT_32:
    return append<float>(bytes, value);
  case DataType::FLOAT_64:
    return append<double>(bytes, value);
  default:
    std::abort(); // No test has parameters of others.
  }
}

bool isRelatedTo(const OpEntry &entry, const ParamRow &row) {
  return std::ranges::any_of(entry.params, [&](const ParamRow &other) {
    return other.relation &&
           std::string_view(other.relation->other) == row.name;
  });
}

std::size_t countOf(const ParamRow &row) {
  std::size_t count = 1;
  for (std::int64_t length : row.dims)
    count *= length == kAnyLength ? 2
             : length == kRank    ? kNumAxes
                                  : std::size_t(length);
  return count;
}

} // namespace

QnnParam qnn::scalar(const std::string &name, DataType type, double value) {
  QnnParam param = tensor(name, type, {}, {value});
  param.isScalar = true;
  return param;
}

QnnParam qnn::tensor(const std::string &name, DataType type,
                     std::vector<std::int64_t> dims,
                     const std::vector<double> &values) {
  QnnParam param{.name = name, .isScalar = false};
  param.tensor.type = type;
  param.tensor.dims = std::move(dims);
  param.tensor.kind = TensorKind::Static;
  std::vector<std::byte> bytes;
  for (double value : values)
    appendOf(type, bytes, value);
  setValue(param.tensor, std::move(bytes));
  return param;
}

QnnParam qnn::text(const std::string &name, std::string value) {
  QnnParam param{.name = name};
  param.tensor.type = DataType::STRING;
  param.text = std::move(value);
  return param;
}

std::vector<double> qnn::rightValues(const OpEntry &entry,
                                     const ParamRow &row) {
  std::size_t count = countOf(row);
  double first = 0;
  switch (row.bound.kind) {
  case Bound::Kind::AtLeast:
  case Bound::Kind::Range:
    first = row.bound.low;
    break;
  case Bound::Kind::Above:
    first = row.bound.low + 1;
    break;
  case Bound::Kind::OneOf:
    first = double(row.values.front().number);
    break;
  default:
    break;
  }
  // The other of a relation is above: it is at least 1, or the most there is.
  bool isFlag = row.type == DataType::BOOL_8;
  if (!isFlag && isRelatedTo(entry, row))
    first = row.bound.kind == Bound::Kind::Range ? row.bound.high : first + 1;
  std::vector<double> values(count, first);
  if (row.bound.isUnique || row.bound.isAscending)
    for (std::size_t i = 0; i < count; ++i)
      values[i] += double(i);
  return values;
}

QnnParam qnn::paramOf(const ParamRow &row, const std::vector<double> &values,
                      std::optional<DataType> type) {
  DataType is = type ? *type : row.type.value_or(DataType::FLOAT_32);
  if (is == DataType::STRING)
    return text(row.name, "branch");
  if (row.isScalar())
    return scalar(row.name, is, values[0]);
  std::vector<std::int64_t> dims = row.dims;
  for (std::int64_t &length : dims)
    length = length == kAnyLength ? 2 : length == kRank ? kNumAxes : length;
  return tensor(row.name, is, std::move(dims), values);
}

RightNode::RightNode(const OpEntry &entry) : entry(entry) {
  node = {.name = "node", .type = entry.name};
  addSide(true);
  addSide(false);
  for (const ParamRow &row : entry.params)
    node.params.push_back(paramOf(row, rightValues(entry, row)));
}

/// The mandatory tensors, with null ones before them for what is optional.
void RightNode::addSide(bool isInput) {
  const std::vector<TensorRow> &rows = isInput ? entry.inputs : entry.outputs;
  std::vector<std::string> &names = isInput ? node.inputs : node.outputs;
  auto last = std::ranges::find(rows.rbegin(), rows.rend(), true,
                                &TensorRow::isMandatory);
  for (auto row = rows.begin(); row != last.base(); ++row)
    for (std::size_t i = 0; i < row->count; ++i) {
      std::string name =
          (isInput ? "in" : "out") + std::to_string(names.size());
      model.add(
          {.name = name,
           .type = row->types.empty() ? DataType::FLOAT_32 : row->types.front(),
           .dims = {2, 3, 4, 5},
           .kind = !row->isMandatory ? TensorKind::Null
                   : isInput         ? TensorKind::Input
                                     : TensorKind::Output});
      names.push_back(name);
    }
}

QnnParam &RightNode::param(const std::string &name) {
  return *std::ranges::find(node.params, name, &QnnParam::name);
}

void RightNode::erase(const std::string &name) {
  std::erase_if(node.params,
                [&](const QnnParam &param) { return param.name == name; });
}

std::vector<Diagnostic> RightNode::check() const {
  DiagnosticEngine diags;
  bool isRight = checkNode(model, node, entry, diags);
  std::vector<Diagnostic> problems(diags.all().begin(), diags.all().end());
  if (isRight != problems.empty()) // The tests count problems alone.
    std::abort();
  return problems;
}
