//===- CheckParam.cpp - A parameter against its row -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/CheckParam.h"
#include "parser/qnn/OpReader.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

/// "0.5", "-1", "4294967295".
std::string textOf(double value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(value == std::floor(value) ? 15 : 9);
  text << value;
  return text.str();
}

std::string textOf(const std::vector<double> &values) {
  if (values.size() == 1)
    return textOf(values[0]);
  std::string text;
  for (double value : values)
    text += (text.empty() ? "" : ",") + textOf(value);
  return "[" + text + "]";
}

bool isInteger(const DataTypeEntry &type) {
  return type.storage == Storage::Plain && !type.isFloat() &&
         type.element != ElementType::Bool;
}

struct Limits {
  double low, high;
};

Limits limitsOf(const DataTypeEntry &type) {
  bool isSigned =
      type.element == ElementType::I8 || type.element == ElementType::I16 ||
      type.element == ElementType::I32 || type.element == ElementType::I64;
  double half = std::ldexp(1.0, int(type.numBits()) - 1);
  return isSigned ? Limits{-half, half - 1} : Limits{0, 2 * half - 1};
}

class ParamChecker {
public:
  ParamChecker(const CheckedNode &checked, const QnnParam &param,
               const ParamRow &row)
      : checked(checked), param(param), row(row) {}

  bool check() {
    if (!hasType() || !hasLengths() || !hasBytes())
      return false;
    if (param.tensor.type == DataType::STRING)
      return true;
    values = constantOf(param.tensor).numbers();
    return fitsType() && isInBounds() && isInOrder();
  }

private:
  bool hasType() const;
  bool hasLengths() const;
  bool hasBytes() const;
  bool fitsType() const;
  bool isInBounds() const;
  bool isInOrder() const;

  Diagnostic &report(const std::string &what) const {
    return checked.report(param.place, param.name + ": " + what);
  }
  bool outOfBounds(double value, const std::string &expected) const {
    report("is out of range")
        .found(textOf(value))
        .expected(values.size() == 1 ? expected : "each " + expected);
    return false;
  }
  /// Reports the first value that is not from \p low to \p high.
  bool isFrom(double low, double high, const std::string &why) const;
  bool isOneOf() const;
  /// The same with the axes of a tensor, \p more of them.
  bool isAxis(const QnnTensor *of, const char *name, int more) const;

  const CheckedNode &checked;
  const QnnParam &param;
  const ParamRow &row;
  std::vector<double> values = {};
};

} // namespace

bool ParamChecker::hasType() const {
  const DataTypeEntry &found = param.tensor.entry();
  bool isText = found.storage == Storage::Text, fits = !isText;
  if (row.type) {
    const DataTypeEntry &expected = entryOf(*row.type);
    // Writers differ in the width of integers, and in what a flag is.
    if (expected.storage == Storage::Text)
      fits = isText;
    else if (expected.isFloat())
      fits = found.isFloat();
    else
      fits = isInteger(found) || (expected.element == ElementType::Bool &&
                                  found.element == ElementType::Bool);
  }
  if (!fits)
    report("has a wrong type")
        .found(found.name)
        .expected(row.type ? entryOf(*row.type).name : "a number");
  return fits;
}

bool ParamChecker::hasLengths() const {
  if (row.isScalar()) {
    if (!param.isScalar)
      report("is not a scalar")
          .found("a tensor " + dimsText(param.tensor.dims))
          .expected("a scalar");
    return param.isScalar;
  }
  const std::vector<std::int64_t> &dims = param.tensor.dims;
  const QnnTensor *input = checked.input(0);
  bool fits = !param.isScalar && dims.size() == row.dims.size();
  for (std::size_t i = 0; fits && i < dims.size(); ++i) {
    std::int64_t expected = row.dims[i];
    if (expected == kAnyLength) // A tensor without axes has none to name.
      fits = dims[i] > 0 || (input && input->dims.empty());
    else if (expected == kRank)
      fits = !input || dims[i] == std::int64_t(input->dims.size());
    else
      fits = dims[i] == expected;
  }
  if (!fits)
    report("has a wrong shape")
        .found(param.isScalar ? "a scalar" : dimsText(dims))
        .expected(row.shape);
  return fits;
}

bool ParamChecker::hasBytes() const {
  if (param.tensor.type == DataType::STRING)
    return true;
  bool fits =
      param.tensor.hasValue &&
      std::int64_t(param.tensor.value.size()) == param.tensor.sizeBytes();
  if (!fits)
    report("has no value")
        .found(std::to_string(param.tensor.value.size()) + " bytes")
        .expected(std::to_string(param.tensor.sizeBytes()) + " bytes");
  return fits;
}

bool ParamChecker::fitsType() const {
  if (!row.type || !isInteger(entryOf(*row.type)))
    return true;
  Limits limits = limitsOf(entryOf(*row.type));
  return isFrom(limits.low, limits.high, entryOf(*row.type).name);
}

bool ParamChecker::isFrom(double low, double high,
                          const std::string &why) const {
  for (double value : values)
    if (!(value >= low && value <= high)) // Also one that is no number.
      return outOfBounds(value, textOf(low) + " to " + textOf(high) +
                                    (why.empty() ? "" : " (" + why + ")"));
  return true;
}

bool ParamChecker::isOneOf() const {
  for (double value : values) {
    if (std::ranges::any_of(row.values, [&](const ParamRow::Value &known) {
          return double(known.number) == value;
        }))
      continue;
    std::string known;
    for (const ParamRow::Value &v : row.values)
      known +=
          (known.empty() ? "" : ", ") + std::to_string(v.number) + " " + v.name;
    return outOfBounds(value, known);
  }
  return true;
}

bool ParamChecker::isAxis(const QnnTensor *of, const char *name,
                          int more) const {
  // A tensor without axes has none to reduce: the list is ignored.
  if (!of || (!row.isScalar() && of->dims.empty()))
    return true;
  return isFrom(0, double(of->dims.size()) - 1 + more,
                std::string(name) + " has " + std::to_string(of->dims.size()) +
                    " axes");
}

bool ParamChecker::isInBounds() const {
  const Bound &bound = row.bound;
  switch (bound.kind) {
  case Bound::Kind::Any:
    return true;
  case Bound::Kind::AtLeast:
  case Bound::Kind::Above:
    for (double value : values)
      if (!(value > bound.low ||
            (value == bound.low && bound.kind == Bound::Kind::AtLeast)))
        return outOfBounds(
            value,
            (bound.kind == Bound::Kind::AtLeast ? "at least " : "above ") +
                textOf(bound.low));
    return true;
  case Bound::Kind::Range:
    return isFrom(bound.low, bound.high, "");
  case Bound::Kind::Axis:
    return isAxis(checked.input(0), "in[0]", 0);
  case Bound::Kind::EndAxis:
    return isAxis(checked.input(0), "in[0]", 1);
  case Bound::Kind::OutAxis:
    return isAxis(checked.output(0), "out[0]", 0);
  case Bound::Kind::OneOf:
    return isOneOf();
  }
  return true;
}

bool ParamChecker::isInOrder() const {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  auto twice = std::ranges::adjacent_find(sorted);
  if ((row.bound.isUnique || row.bound.isAscending) && twice != sorted.end()) {
    report("has the same value twice")
        .found(textOf(values))
        .expected("each value once");
    return false;
  }
  if (row.bound.isAscending && sorted != values) {
    report("does not ascend")
        .found(textOf(values))
        .expected("each value above the previous value");
    return false;
  }
  return true;
}

Diagnostic &CheckedNode::report(const Place &place,
                                const std::string &what) const {
  bool isKnown = place.line || place.column;
  return diags.report(diag::QnnNode, isKnown ? place : node.place,
                      "node " + node.name + " (" + entry.name + "): " + what);
}

const QnnTensor *CheckedNode::tensor(const std::vector<std::string> &names,
                                     std::size_t i) const {
  const QnnTensor *found = i < names.size() ? model.find(names[i]) : nullptr;
  return found && found->kind != TensorKind::Null ? found : nullptr;
}

bool qnn::checkParam(const CheckedNode &checked, const QnnParam &param,
                     const ParamRow &row) {
  return ParamChecker(checked, param, row).check();
}

void qnn::checkRelation(const CheckedNode &checked, const ParamRow &row) {
  const ParamRow &otherRow = *checked.entry.param(row.relation->other);
  auto valuesOf = [&](const ParamRow &of) {
    const QnnParam *param = checked.node.param(of.name);
    return param ? constantOf(param->tensor).numbers() : of.defaults;
  };
  std::vector<double> values = valuesOf(row), others = valuesOf(otherRow);
  using Kind = Relation::Kind;
  Kind kind = row.relation->kind;
  for (std::size_t i = 0; i < std::min(values.size(), others.size()); ++i) {
    bool holds = kind == Kind::Below    ? values[i] < others[i]
                 : kind == Kind::AtMost ? values[i] <= others[i]
                                        : values[i] == 0 || others[i] == 0;
    if (holds)
      continue;
    // One of the two is there: defaults fit one another.
    const QnnParam *param = checked.node.param(row.name);
    if (!param)
      param = checked.node.param(otherRow.name);
    const char *is = kind == Kind::Below    ? " is not below "
                     : kind == Kind::AtMost ? " is above "
                                            : " cannot be combined with ";
    checked.report(param->place, std::string(row.name) + is + otherRow.name)
        .found(textOf(values) + " and " + textOf(others));
    return;
  }
}
