//===- CheckRules.cpp - What NNAPI says of operations ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckedOperation.h"
#include "parser/nnapi/OperandConstant.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::nnapi;
using RuleKind = OperationRule::Kind;

namespace {

bool isQuantized(const Operand &operand) {
  return operand.entry().storage == Storage::Asymmetric ||
         operand.entry().storage == Storage::Symmetric;
}

bool hasChannels(const Operand &operand) {
  return operand.entry().storage == Storage::PerChannel;
}

std::string storageText(const Operand &operand) {
  return "scale " + std::to_string(operand.scale) + ", zero point " +
         std::to_string(operand.zeroPoint);
}

/// The integers of a constant; none of what is known at run time alone.
std::optional<std::vector<std::int64_t>> valuesOf(const Operand *operand) {
  if (!operand || operand->lifetime != Lifetime::Constant ||
      !operand->isStatic() || operand->value.size() != operand->sizeBytes())
    return std::nullopt;
  return constantOf(*operand).integers();
}

class RuleChecker {
public:
  RuleChecker(const CheckedOperation &op, const OperationRule &rule)
      : op(op), rule(rule) {}

  void check() const;

private:
  const Operand *at(std::size_t i) const {
    return i < rule.operands.size() ? op.find(rule.operands[i]) : nullptr;
  }
  void report(const std::string &what, const std::string &found) const {
    op.report(rule.operands[0].name, what).found(found).expected(textOf(rule));
  }
  void checkStorage() const;
  void checkSameStorage() const;
  void checkScale() const;
  void checkValues() const;
  void checkAxis() const;
  void checkTogether() const;
  void checkNotBoth() const;
  void checkCount() const;
  void checkRank() const;
  void checkShrunk() const;

  const CheckedOperation &op;
  const OperationRule &rule;
};

} // namespace

void RuleChecker::checkStorage() const {
  const Operand *a = at(0);
  if (a && a->type == *rule.type &&
      (a->scale != rule.scale || a->zeroPoint != rule.least))
    report("does not have the scale and zero point that the operation requires",
           storageText(*a));
}

void RuleChecker::checkSameStorage() const {
  const Operand *source = at(1);
  if (!source || !isQuantized(*source))
    return;
  // Of lists all.
  for (std::size_t i = 0; i < op.operation.outputs.size(); ++i) {
    const Operand &output = op.output(i);
    if (op.outputRow(i).name != rule.operands[0].name ||
        output.type != source->type)
      continue;
    for (std::size_t j = 0; j < op.operation.inputs.size(); ++j)
      if (op.match.rows[j]->name == rule.operands[1].name &&
          (op.input(j).scale != output.scale ||
           op.input(j).zeroPoint != output.zeroPoint))
        return report(
            "differs in scale or zero point from " + rule.operands[1].name,
            storageText(output) + ", and " + storageText(op.input(j)));
  }
}

void RuleChecker::checkScale() const {
  const Operand *a = at(0), *b = at(1), *c = at(2);
  if (!a || !b || !c || b->scale == 0)
    return;
  if (rule.kind == RuleKind::ScaleOfProduct && hasChannels(*c) && a->scale != 0)
    return report("must have scale 0 with per-channel weights",
                  storageText(*a));
  if (c->scale == 0)
    return;
  double product = double(b->scale) * c->scale;
  std::string found = std::to_string(a->scale) + ", and " +
                      std::to_string(b->scale) + " times " +
                      std::to_string(c->scale);
  if (rule.kind == RuleKind::ScaleAbove) {
    if (isQuantized(*a) && a->scale <= product)
      report("its scale is too small for the operation", found);
    return;
  }
  // Clients compute the product in float32, or from decimal digits.
  constexpr double kTolerance = 1e-5;
  if (a->type == OperandType::TENSOR_INT32 &&
      std::abs(a->scale - product) > kTolerance * product)
    report("its scale is not the product of the operands' scales", found);
}

void RuleChecker::checkValues() const {
  auto values = valuesOf(at(0));
  if (!values)
    return;
  for (std::int64_t value : *values) {
    bool fits = rule.kind == RuleKind::OneOf
                    ? std::ranges::find(rule.values, value) != rule.values.end()
                    : value >= rule.least && value <= rule.most;
    if (!fits)
      return report("has an invalid value", std::to_string(value));
  }
}

void RuleChecker::checkAxis() const {
  const Operand *of = at(1);
  auto values = valuesOf(at(0));
  if (!values || !of || of->dims.empty())
    return;
  std::int64_t rank = std::int64_t(of->dims.size()) + rule.most;
  for (std::int64_t value : *values)
    if (value < -rank || value >= rank)
      return report("the axis does not exist",
                    std::to_string(value) + " of " + std::to_string(rank));
}

void RuleChecker::checkTogether() const {
  std::size_t there = 0;
  std::string missing;
  for (std::size_t i = 0; i < rule.operands.size(); ++i) {
    const Operand *operand = at(i);
    // An input may turn out to have no elements, which leaves it out.
    if (operand && operand->isTensor() && !operand->isStatic())
      return;
    if (operand)
      ++there;
    else
      missing = rule.operands[i].name;
  }
  if (there != 0 && there != rule.operands.size())
    report("only some of these inputs are given", "no " + missing);
}

void RuleChecker::checkNotBoth() const {
  auto a = flagOf(at(0)), b = flagOf(at(1));
  if (a && b && *a && *b)
    report("excludes " + rule.operands[1].name, "both are true");
}

void RuleChecker::checkCount() const {
  auto count = valuesOf(at(1));
  if (count && count->at(0) != std::int64_t(op.operation.outputs.size()))
    report("their number is not " + rule.operands[1].name,
           std::to_string(op.operation.outputs.size()) + ", and " +
               std::to_string(count->at(0)));
}

void RuleChecker::checkRank() const {
  const Operand *a = at(0);
  if (a && !a->dims.empty() &&
      std::ranges::find(rule.values, std::int64_t(a->dims.size())) ==
          rule.values.end())
    report("has a wrong number of axes", std::to_string(a->dims.size()));
}

void RuleChecker::checkShrunk() const {
  auto mask = valuesOf(op.input("shrink_axis_mask")),
       endMask = valuesOf(op.input("end_mask")),
       begin = valuesOf(op.input("begin")), end = valuesOf(op.input("end")),
       strides = valuesOf(op.input("strides"));
  if (!mask || !strides)
    return;
  // As many bits as the masks have: more axes are refused elsewhere.
  for (std::size_t i = 0; i < std::min<std::size_t>(strides->size(), 31); ++i) {
    if (strides->at(i) == 0)
      return report("a stride is 0", "axis " + std::to_string(i));
    if (!(mask->at(0) >> i & 1))
      continue;
    bool isOne = strides->at(i) > 0;
    if (begin && end && endMask && i < begin->size() && i < end->size() &&
        !(endMask->at(0) >> i & 1))
      isOne &= end->at(i) == begin->at(i) + 1;
    if (!isOne)
      return report("a removed axis does not have exactly one element",
                    "axis " + std::to_string(i));
  }
}

void RuleChecker::check() const {
  switch (rule.kind) {
  case RuleKind::Shape:
  case RuleKind::Image:
  case RuleKind::Series:
    return; // checkShapes() compares them with one another.
  case RuleKind::Default:
    return; // It asks nothing.
  case RuleKind::Storage:
    return checkStorage();
  case RuleKind::SameStorage:
    return checkSameStorage();
  case RuleKind::ScaleAbove:
  case RuleKind::ScaleOfProduct:
    return checkScale();
  case RuleKind::Channels:
    if (at(0) && hasChannels(*at(0)) && at(0)->channels.axis != rule.least)
      report("its channels are along a wrong axis",
             "axis " + std::to_string(at(0)->channels.axis));
    return;
  case RuleKind::Range:
  case RuleKind::OneOf:
    return checkValues();
  case RuleKind::Axis:
    return checkAxis();
  case RuleKind::Together:
    return checkTogether();
  case RuleKind::NotBoth:
    return checkNotBoth();
  case RuleKind::Unfused:
    if (auto fuse = valuesOf(at(0));
        op.match.type == rule.type && fuse && fuse->at(0) != 0)
      report("no activation can be fused", std::to_string(fuse->at(0)));
    return;
  case RuleKind::Some:
    if (!at(0))
      report("must have at least one tensor", "an empty list");
    return;
  case RuleKind::AsMany:
    return checkCount();
  case RuleKind::Broadcast:
    return checkBroadcast(op, rule);
  case RuleKind::RankBefore:
    return checkRank();
  case RuleKind::Shrunk:
    return checkShrunk();
  }
}

/// Inputs whose class has only some numbers.
static void checkCodes(const CheckedOperation &op) {
  for (std::size_t i = 0; i < op.operation.inputs.size(); ++i) {
    const OperandRow &row = *op.match.rows[i];
    bool isFuse = row.operandClass == OperandClass::FUSE;
    if (!isFuse && row.operandClass != OperandClass::PADDING)
      continue;
    auto code = valuesOf(&op.input(i));
    std::int64_t least = isFuse ? 0 : 1, most = isFuse ? 3 : 2;
    if (code && (code->at(0) < least || code->at(0) > most))
      op.report(row.name, "has an invalid value")
          .found(std::to_string(code->at(0)))
          .expected(textOf(row.operandClass));
  }
}

std::optional<bool> nnapi::flagOf(const Operand *operand) {
  if (!operand)
    return false;
  auto value = valuesOf(operand);
  if (!value)
    return std::nullopt;
  return value->at(0) != 0;
}

void nnapi::checkRules(const CheckedOperation &op, int featureLevel) {
  for (const OperationRule &rule : rulesOf(op.entry.name))
    if (!rule.before || featureLevel < rule.before)
      RuleChecker(op, rule).check();
  checkCodes(op);
  checkShapes(op);
}
