//===- CheckShapes.cpp - What NNAPI says of lengths -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A name in the rules' shapes is one length for all operands of an operation:
// the first operand that knows it says what it is, the others are compared.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckedOperation.h"
#include <algorithm>
#include <map>

using namespace yarrow;
using namespace yarrow::nnapi;
using RuleKind = OperationRule::Kind;

namespace {

using Dims = std::vector<std::uint32_t>;

std::string statedText(const Dims &dims) {
  std::string text = "[";
  for (std::uint32_t length : dims)
    text +=
        (text.size() > 1 ? ", " : "") + (length ? std::to_string(length) : "?");
  return text + "]";
}

bool isNumber(const std::string &axis) {
  return std::ranges::all_of(axis, [](char c) { return c >= '0' && c <= '9'; });
}

/// "num_classes * 4" is not compared.
bool isName(const std::string &axis) {
  return axis.find_first_of(" */+-(") == std::string::npos;
}

bool isRest(const std::string &axis) { return axis.ends_with("..."); }

class ShapeChecker {
public:
  ShapeChecker(const CheckedOperation &op) : op(op) {}

  void check(const OperationRule &rule);

private:
  std::optional<std::vector<std::string>>
  orderOf(const OperationRule &rule) const;
  bool mayBeLeftOut(const Operand &operand, const OperationRule &rule) const;
  bool compare(const std::string &axis, std::uint32_t length);
  bool compareRest(const std::string &axis,
                   std::span<const std::uint32_t> rest);
  void report(const OperationRule &rule, const Dims &dims,
              const std::vector<std::string> &axes);

  const CheckedOperation &op;
  std::map<std::string, std::uint32_t> lengths;
  std::map<std::string, Dims> rests;
};

/// An optional input without elements is left out, whatever its rank.
bool ShapeChecker::mayBeLeftOut(const Operand &operand,
                                const OperationRule &rule) const {
  if (operand.isStatic() || rule.operands[0].isOutput)
    return false;
  return std::ranges::any_of(op.match.rows, [&](const OperandRow *row) {
    return row->name == rule.operands[0].name &&
           row->kind == OperandRow::Kind::Optional;
  });
}

/// The axes in the order of the operand; none if the order is not known yet.
std::optional<std::vector<std::string>>
ShapeChecker::orderOf(const OperationRule &rule) const {
  std::vector<std::string> axes = rule.axes;
  if (rule.kind == RuleKind::Shape)
    return axes;
  auto flag =
      flagOf(op.input(rule.kind == RuleKind::Image ? "nchw" : "time_major"));
  if (!flag)
    return std::nullopt;
  if (rule.kind == RuleKind::Image && *flag)
    std::ranges::rotate(axes.begin() + 1, axes.end() - 1, axes.end());
  if (rule.kind == RuleKind::Series && !*flag)
    std::swap(axes[0], axes[1]);
  return axes;
}

bool ShapeChecker::compare(const std::string &axis, std::uint32_t length) {
  // 0: not known yet, or a tensor without elements, which fits where the
  // values are known.
  if (length == 0 || !isName(axis))
    return true;
  if (isNumber(axis))
    return std::to_string(length) == axis;
  return lengths.emplace(axis, length).first->second == length;
}

bool ShapeChecker::compareRest(const std::string &axis,
                               std::span<const std::uint32_t> rest) {
  auto [it, isFirst] = rests.emplace(axis, Dims(rest.begin(), rest.end()));
  if (isFirst)
    return true;
  if (it->second.size() != rest.size())
    return false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    std::uint32_t &known = it->second[i];
    if (known && rest[i] && known != rest[i])
      return false;
    known = std::max(known, rest[i]);
  }
  return true;
}

void ShapeChecker::report(const OperationRule &rule, const Dims &dims,
                          const std::vector<std::string> &axes) {
  std::string expected, where;
  for (const std::string &axis : axes) {
    expected += (expected.empty() ? "[" : ", ") + axis;
    if (auto it = lengths.find(axis); it != lengths.end())
      where += (where.empty() ? ", where " : ", ") + axis + " is " +
               std::to_string(it->second);
    if (auto it = rests.find(axis); it != rests.end())
      where += (where.empty() ? ", where " : ", ") + axis + " is " +
               statedText(it->second);
  }
  op.report(rule.operands[0].name, "its shape does not match the operation")
      .found(statedText(dims))
      .expected(expected + "]" + where);
}

void ShapeChecker::check(const OperationRule &rule) {
  const Operand *operand = op.find(rule.operands[0]);
  if (!operand || operand->dims.empty() || mayBeLeftOut(*operand, rule))
    return;
  auto axes = orderOf(rule);
  if (!axes)
    return;
  const Dims &dims = operand->dims;
  std::size_t fixed = axes->size() - isRest(axes->back());
  if (dims.size() < fixed || (dims.size() > fixed && !isRest(axes->back())))
    return report(rule, dims, *axes);
  bool fits = true;
  for (std::size_t i = 0; i < fixed; ++i)
    fits &= compare((*axes)[i], dims[i]);
  if (isRest(axes->back()))
    fits &= compareRest(axes->back(), std::span(dims).subspan(fixed));
  if (!fits)
    report(rule, dims, *axes);
}

} // namespace

void nnapi::checkShapes(const CheckedOperation &op) {
  ShapeChecker checker(op);
  for (const OperationRule &rule : rulesOf(op.entry.name))
    if (rule.kind == RuleKind::Shape || rule.kind == RuleKind::Image ||
        rule.kind == RuleKind::Series)
      checker.check(rule);
}

void nnapi::checkBroadcast(const CheckedOperation &op,
                           const OperationRule &rule) {
  const Operand *result = op.find(rule.operands[0]),
                *a = op.find(rule.operands[1]), *b = op.find(rule.operands[2]);
  if (!a || !b || a->dims.empty() || b->dims.empty())
    return;
  std::size_t rank = std::max(a->dims.size(), b->dims.size());
  bool hasResult = result && !result->dims.empty();
  bool fits = !hasResult || result->dims.size() == rank;
  auto lengthOf = [](const Operand &operand, std::size_t fromEnd) {
    return fromEnd < operand.dims.size()
               ? operand.dims[operand.dims.size() - 1 - fromEnd]
               : 1;
  };
  for (std::size_t i = 0; i < rank && fits; ++i) {
    std::uint32_t x = lengthOf(*a, i), y = lengthOf(*b, i);
    if (x == 0 || y == 0) // Not known yet.
      continue;
    std::uint32_t z = hasResult ? lengthOf(*result, i) : 0;
    fits = (x == y || x == 1 || y == 1) && (z == 0 || z == std::max(x, y));
  }
  if (!fits)
    op.report(rule.operands[0].name, "the shapes do not broadcast")
        .found(statedText(a->dims) + " and " + statedText(b->dims) +
               (hasResult ? ", the result " + statedText(result->dims) : ""))
        .expected(textOf(rule));
}
