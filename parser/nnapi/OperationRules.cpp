//===- OperationRules.cpp - What NNAPI says of operations -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationRules.h"
#include "support/Unoptimized.h"
#include <map>
#include <sstream>

using namespace yarrow;
using namespace yarrow::nnapi;
using RuleKind = OperationRule::Kind;

namespace {

/// The most that a rule without an upper bound has.
constexpr std::int64_t kNoBound = INT32_MAX;

std::vector<std::string> wordsOf(const std::string &text) {
  std::istringstream words(text);
  std::vector<std::string> list;
  for (std::string word; words >> word;)
    list.push_back(word);
  return list;
}

/// "[n, rest...]" as its parts.
std::vector<std::string> axesOf(std::string_view text) {
  std::vector<std::string> axes;
  std::string axis;
  for (char c : text.substr(1)) {
    if (c != ',' && c != ']') {
      if (c != ' ' || !axis.empty())
        axis += c;
      continue;
    }
    axes.push_back(std::move(axis));
    axis.clear();
  }
  return axes;
}

using Table = std::map<std::string, std::vector<OperationRule>, std::less<>>;

/// The rows of OperationRules.def, one after the other.
class RuleBuilder {
public:
  Table table;

  void of(const char *names) { operations = wordsOf(names); }
  void add(OperationRule rule) {
    for (const std::string &name : operations)
      table[name].push_back(rule);
  }
  void shape(RuleKind kind, RuleOperand operand, const char *text) {
    add({.kind = kind, .operands = {operand}, .axes = axesOf(text)});
  }
  void storage(RuleOperand operand, OperandType type, float scale,
               std::int64_t zeroPoint) {
    add({.kind = RuleKind::Storage,
         .operands = {operand},
         .type = type,
         .scale = scale,
         .least = zeroPoint});
  }
  void together(const char *names) {
    OperationRule rule{RuleKind::Together};
    for (std::string &name : wordsOf(names))
      rule.operands.push_back({name});
    add(rule);
  }

private:
  std::vector<std::string> operations;
};

YARROW_UNOPTIMIZED Table buildRules() {
  RuleBuilder b;
#define RULES(NAMES) b.of(NAMES);
#define SHAPE(NAME, TEXT) b.shape(RuleKind::Shape, {#NAME}, TEXT);
#define OUT_SHAPE(NAME, TEXT) b.shape(RuleKind::Shape, {#NAME, true}, TEXT);
#define IMAGE(NAME, TEXT) b.shape(RuleKind::Image, {#NAME}, TEXT);
#define OUT_IMAGE(NAME, TEXT) b.shape(RuleKind::Image, {#NAME, true}, TEXT);
#define SERIES(NAME, TEXT) b.shape(RuleKind::Series, {#NAME}, TEXT);
#define OUT_SERIES(NAME, TEXT) b.shape(RuleKind::Series, {#NAME, true}, TEXT);
#define STORAGE(NAME, TYPE, SCALE, ZERO)                                       \
  b.storage({#NAME}, OperandType::TYPE, SCALE, ZERO);
#define OUT_STORAGE(NAME, TYPE, SCALE, ZERO)                                   \
  b.storage({#NAME, true}, OperandType::TYPE, SCALE, ZERO);
#define SAME_STORAGE(OUT, IN)                                                  \
  b.add({.kind = RuleKind::SameStorage, .operands = {{#OUT, true}, {#IN}}});
#define SAME_STORAGE_BEFORE(LEVEL, OUT, IN)                                    \
  b.add({.kind = RuleKind::SameStorage,                                        \
         .operands = {{#OUT, true}, {#IN}},                                    \
         .before = LEVEL});
#define SCALE_ABOVE(OUT, A, B)                                                 \
  b.add({.kind = RuleKind::ScaleAbove, .operands = {{#OUT, true}, {#A}, {#B}}});
#define SCALE_ABOVE_BEFORE(LEVEL, OUT, A, B)                                   \
  b.add({.kind = RuleKind::ScaleAbove,                                         \
         .operands = {{#OUT, true}, {#A}, {#B}},                               \
         .before = LEVEL});
#define SCALE_OF_PRODUCT(NAME, A, B)                                           \
  b.add({.kind = RuleKind::ScaleOfProduct, .operands = {{#NAME}, {#A}, {#B}}});
#define CHANNELS(NAME, AXIS)                                                   \
  b.add({.kind = RuleKind::Channels, .operands = {{#NAME}}, .least = AXIS});
#define LEAST(NAME, VALUE) RANGE(NAME, VALUE, kNoBound)
#define RANGE(NAME, FIRST, LAST)                                               \
  b.add({.kind = RuleKind::Range,                                              \
         .operands = {{#NAME}},                                                \
         .least = FIRST,                                                       \
         .most = LAST});
#define ONE_OF(NAME, ...)                                                      \
  b.add({.kind = RuleKind::OneOf,                                              \
         .operands = {{#NAME}},                                                \
         .values = {__VA_ARGS__}});
#define AXIS(NAME, OF, MORE)                                                   \
  b.add({.kind = RuleKind::Axis, .operands = {{#NAME}, {#OF}}, .most = MORE});
#define DEFAULT(NAME, VALUE)                                                   \
  b.add({.kind = RuleKind::Default, .operands = {{#NAME}}, .least = VALUE});
#define TOGETHER(NAMES) b.together(NAMES);
#define NOT_BOTH(A, B)                                                         \
  b.add({.kind = RuleKind::NotBoth, .operands = {{#A}, {#B}}});
#define UNFUSED(TYPE)                                                          \
  b.add({.kind = RuleKind::Unfused,                                            \
         .operands = {{"fuse"}},                                               \
         .type = OperandType::TYPE});
#define SOME(NAME) b.add({.kind = RuleKind::Some, .operands = {{#NAME}}});
#define AS_MANY(OUTS, NAME)                                                    \
  b.add({.kind = RuleKind::AsMany, .operands = {{#OUTS, true}, {#NAME}}});
#define BROADCAST(OUT, A, B)                                                   \
  b.add({.kind = RuleKind::Broadcast, .operands = {{#OUT, true}, {#A}, {#B}}});
#define RANK_BEFORE(LEVEL, NAME, ...)                                          \
  b.add({.kind = RuleKind::RankBefore,                                         \
         .operands = {{#NAME}},                                                \
         .values = {__VA_ARGS__},                                              \
         .before = LEVEL});
#define SHRUNK                                                                 \
  b.add({.kind = RuleKind::Shrunk, .operands = {{"shrink_axis_mask"}}});
#include "parser/nnapi/OperationRules.def"
  return std::move(b.table);
}

std::string axesText(const std::vector<std::string> &axes) {
  std::string text = "[";
  for (const std::string &axis : axes)
    text += (text.size() > 1 ? ", " : "") + axis;
  return text + "]";
}

std::string valuesText(const std::vector<std::int64_t> &values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i == 0                   ? ""
             : i + 1 == values.size() ? " or "
                                      : ", ") +
            std::to_string(values[i]);
  return text;
}

/// As people write scales: "1/256", "0.125".
std::string scaleText(float scale) {
  for (int power : {128, 256, 2048})
    if (scale * float(power) == 1)
      return "1/" + std::to_string(power);
  std::ostringstream text;
  text << scale;
  return text.str();
}

std::string ruleText(const OperationRule &rule, const std::string &a,
                     const std::string &b, const std::string &c) {
  switch (rule.kind) {
  case RuleKind::Shape:
    return a + " is " + axesText(rule.axes);
  case RuleKind::Image:
    return a + " is " + axesText(rule.axes) +
           "; with nchw the last axis is second";
  case RuleKind::Series:
    return a + " is " + axesText(rule.axes) +
           "; without time_major the second axis is first";
  case RuleKind::Storage:
    return a + " of " + entryOf(*rule.type).name + " has scale " +
           scaleText(rule.scale) + " and zero point " +
           std::to_string(rule.least);
  case RuleKind::SameStorage:
    return a + " has the scale and the zero point of " + b;
  case RuleKind::ScaleAbove:
    return "the scale of " + a + " is above the product of the scales of " + b +
           " and " + c;
  case RuleKind::ScaleOfProduct:
    return "the scale of " + a + " is the product of the scales of " + b +
           " and " + c + ", or 0 if " + c + " has a scale for each channel";
  case RuleKind::Channels:
    return "channel scales of " + a + " are along axis " +
           std::to_string(rule.least);
  case RuleKind::Range:
  case RuleKind::OneOf:
    return a + " is " + valueText(rule);
  case RuleKind::Axis:
    return a +
           (rule.most ? " is an axis of the result, which has one axis "
                        "more than " +
                            b
                      : " is an axis of " + b) +
           "; negative numbers count from the end";
  case RuleKind::Default:
    return a + " is " + std::to_string(rule.least) + " if it is left out";
  case RuleKind::Together: {
    std::string all = a;
    for (std::size_t i = 1; i < rule.operands.size(); ++i)
      all += (i + 1 == rule.operands.size() ? " and " : ", ") +
             rule.operands[i].name;
    return all + " are all given or all left out";
  }
  case RuleKind::NotBoth:
    return a + " and " + b + " are not both true";
  case RuleKind::Unfused:
    return a + " is 0 (NONE) in " + entryOf(*rule.type).name;
  case RuleKind::Some:
    return a + " has at least one tensor";
  case RuleKind::AsMany:
    return "the number of " + a + " is " + b;
  case RuleKind::Broadcast:
    return b + " and " + c +
           " have equal lengths or 1, counted from the last axis; " + a +
           " has the larger lengths";
  case RuleKind::RankBefore:
    return a + " has " + valuesText(rule.values) + " axes";
  case RuleKind::Shrunk:
    return "axes in " + a + " have one element and a stride above 0";
  }
  return "";
}

} // namespace

static const Table &theTable() {
  static const Table table = buildRules();
  return table;
}

const std::vector<OperationRule> &nnapi::rulesOf(std::string_view operation) {
  static const std::vector<OperationRule> none;
  auto it = theTable().find(operation);
  return it == theTable().end() ? none : it->second;
}

std::vector<std::string_view> nnapi::operationsWithRules() {
  std::vector<std::string_view> names;
  for (const auto &[name, rules] : theTable())
    names.push_back(name);
  return names;
}

std::string nnapi::textOf(const OperationRule &rule) {
  std::vector<std::string> names;
  for (const RuleOperand &operand : rule.operands)
    // Inputs and outputs may have the same names.
    names.push_back(operand.isOutput && !operand.name.starts_with("output")
                        ? "output " + operand.name
                        : operand.name);
  names.resize(std::max<std::size_t>(names.size(), 3));
  std::string text = ruleText(rule, names[0], names[1], names[2]);
  if (rule.before)
    text += " (below feature level " + std::to_string(rule.before) + ")";
  return text;
}

std::string nnapi::shapeText(const OperationRule &rule) {
  return axesText(rule.axes);
}

std::string nnapi::valueText(const OperationRule &rule) {
  switch (rule.kind) {
  case RuleKind::Range:
    return rule.most == kNoBound ? std::to_string(rule.least) + " or more"
                                 : std::to_string(rule.least) + " to " +
                                       std::to_string(rule.most);
  case RuleKind::OneOf:
    return valuesText(rule.values);
  case RuleKind::Default:
    return "default " + std::to_string(rule.least);
  default:
    return "";
  }
}
