//===- OperationReader.cpp - An operation of NNAPI as nodes ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"
#include "parser/nnapi/OperandConstant.h"
#include "support/diagnostics/Import.h"
#include <cassert>
#include <set>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Node;
using graph::Tensor;

graph::Shape nnapi::layerShape(std::span<const std::uint32_t> dims) {
  graph::Shape shape(dims.begin(), dims.end());
  if (shape.size() <= graph::kMostAxes)
    return shape;
  return {graph::numElements(shape)};
}

namespace {
/// Of FuseCode, whose others are graph::FusedActivation.
constexpr std::int64_t kNone = 0, kRelu6 = 3;
constexpr const char *kFuse = "fuse";
} // namespace

std::optional<std::size_t>
OperationReader::indexOf(std::string_view input) const {
  auto i = match.indexOf(input);
  if (i && model.operands[operation.inputs[*i]].lifetime == Lifetime::None)
    return std::nullopt;
  return i;
}

Tensor *OperationReader::input(std::string_view name) const {
  auto i = indexOf(name);
  return i ? inputs[*i] : nullptr;
}

std::vector<Tensor *> OperationReader::list(std::string_view name) const {
  std::vector<Tensor *> all;
  for (std::size_t i = 0; i < match.rows.size(); ++i)
    if (match.rows[i]->name == name)
      all.push_back(inputs[i]);
  return all;
}

const Operand &OperationReader::operand(std::string_view input) const {
  auto i = indexOf(input);
  assert(i && "an input that is there");
  return model.operands[operation.inputs[*i]];
}

std::int64_t OperationReader::scalar(std::string_view input,
                                     std::int64_t fallback) const {
  if (!has(input) || operand(input).value.empty())
    return fallback;
  return constantOf(operand(input)).integerAt(0);
}

double OperationReader::real(std::string_view input, double fallback) const {
  if (!has(input) || operand(input).value.empty())
    return fallback;
  return constantOf(operand(input)).numberAt(0);
}

std::optional<std::vector<std::int64_t>>
OperationReader::integersOf(std::string_view input) {
  if (has(input) && operand(input).lifetime == Lifetime::Constant)
    return constantOf(operand(input)).integers();
  refuse("input " + std::string(input) + " is computed at run time",
         has(input) ? describe(model, operation.inputs[*indexOf(input)])
                    : "no operand",
         "a constant");
  return std::nullopt;
}

std::vector<std::int64_t> OperationReader::dims(std::string_view input) const {
  const Operand &of = operand(input);
  return {of.dims.begin(), of.dims.end()};
}

std::optional<std::int64_t> OperationReader::fromFront(std::int64_t axis,
                                                       std::int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  bad("the axis is out of range", std::to_string(axis),
      std::to_string(-rank) + " to " + std::to_string(rank - 1));
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>>
OperationReader::axesOf(std::string_view input, std::int64_t rank) {
  auto named = integersOf(input);
  if (!named)
    return std::nullopt;
  std::set<std::int64_t> axes;
  for (std::int64_t axis : *named) {
    auto front = fromFront(axis, rank);
    if (!front)
      return std::nullopt;
    axes.insert(*front);
  }
  return std::vector<std::int64_t>(axes.begin(), axes.end());
}

std::optional<std::vector<std::int64_t>>
OperationReader::padsOfAxes(std::string_view input) {
  auto rows = integersOf(input);
  if (!rows || std::int64_t(rows->size()) == 2 * rank("input"))
    return rows;
  bad("pads have a wrong length", std::to_string(rows->size()),
      "two for each of " + std::to_string(rank("input")) + " axes");
  return std::nullopt;
}

bool OperationReader::isQuantized() const {
  return match.type && entryOf(*match.type).storage != Storage::Plain;
}

Tensor *OperationReader::beforeActivation() {
  std::int64_t fuse = scalar(kFuse, kNone);
  if (fuse == kNone || !output(0))
    return output(0);
  if (fuse < kNone || fuse > kRelu6) {
    bad("unknown fused activation", std::to_string(fuse),
        textOf(OperandClass::FUSE));
    return output(0);
  }
  return between("before_activation");
}

void OperationReader::addActivation(Tensor *from) {
  if (from != output(0))
    addFused(graph::FusedActivation(scalar(kFuse)), from, output(0));
}

Node &OperationReader::result(std::string op, std::vector<Tensor *> from) {
  std::vector<Tensor *> to = outputs;
  Tensor *first = beforeActivation();
  if (!to.empty())
    to[0] = first;
  Node &node = add(std::move(op), std::move(from), std::move(to));
  addActivation(first);
  return node;
}

Node &OperationReader::movedResult(std::string op, std::vector<Tensor *> from,
                                   const Tensor *source) {
  return addMoved(std::move(op), std::move(from), *source, outputs);
}

Place OperationReader::place() const {
  return {model.name + ": operation " + entry.name + " of " + name()};
}

bool OperationReader::refuse(const std::string &what, const std::string &found,
                             const std::string &expected) {
  diags.report(diag::ImportForm, place(), entry.name + (": " + what))
      .found(found)
      .expected(expected);
  return false;
}

bool OperationReader::bad(const std::string &what, const std::string &found,
                          const std::string &expected) {
  diags.report(diag::ImportBadNode, place(), entry.name + (": " + what))
      .found(found)
      .expected(expected);
  return false;
}
