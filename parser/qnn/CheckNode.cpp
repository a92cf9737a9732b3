//===- CheckNode.cpp - A node against the QNN definitions -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/CheckNode.h"
#include "parser/qnn/CheckParam.h"
#include <algorithm>
#include <set>

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

/// The inputs of a node, or its outputs.
class SideChecker {
public:
  SideChecker(const CheckedNode &checked, bool isInput)
      : checked(checked), isInput(isInput),
        names(isInput ? checked.node.inputs : checked.node.outputs),
        rows(isInput ? checked.entry.inputs : checked.entry.outputs) {}

  void check() {
    if (!hasCount())
      return;
    for (std::size_t i = 0; i < names.size(); ++i)
      checkTensor(i);
  }

private:
  bool hasCount() const;
  void checkTensor(std::size_t i) const;
  void checkSameType(std::size_t i, const QnnTensor &tensor) const;
  /// Of a position that hasCount() has found.
  const TensorRow &rowOf(std::size_t i) const;
  Diagnostic &report(const std::string &what) const {
    return checked.report({}, what);
  }
  /// "in[1] (filters)".
  std::string describe(std::size_t i) const {
    std::string role = rowOf(i).role;
    return (isInput ? "in[" : "out[") + std::to_string(i) + "]" +
           (role.empty() || rowOf(i).isList ? "" : " (" + role + ")");
  }

  const CheckedNode &checked;
  bool isInput;
  const std::vector<std::string> &names;
  const std::vector<TensorRow> &rows;
};

std::string typesText(const TensorRow &row) {
  std::string text;
  for (DataType type : row.types)
    text += (text.empty() ? "" : " or ") + std::string(entryOf(type).name);
  return text;
}

/// Fixed point stands for real numbers: it is right wherever they are.
bool fits(const TensorRow &row, const DataTypeEntry &found) {
  if (row.hasOtherTypes)
    return true;
  return std::ranges::any_of(row.types, [&](DataType type) {
    return type == found.type || (found.isFixed() && entryOf(type).isFloat());
  });
}

} // namespace

bool SideChecker::hasCount() const {
  std::size_t least = 0, most = 0;
  bool isOpen = false;
  for (const TensorRow &row : rows) {
    most += row.count;
    isOpen |= row.isList;
    if (row.isMandatory)
      least = most;
  }
  if (names.size() >= least && (isOpen || names.size() <= most))
    return true;
  std::string expected = std::to_string(least);
  if (isOpen)
    expected += " or more";
  else if (most > least)
    expected += " to " + std::to_string(most);
  report(std::string("has a wrong number of ") +
         (isInput ? "inputs" : "outputs"))
      .found(std::to_string(names.size()))
      .expected(expected);
  return false;
}

const TensorRow &SideChecker::rowOf(std::size_t i) const {
  for (const TensorRow &row : rows) {
    if (i < row.count || row.isList)
      return row;
    i -= row.count;
  }
  return rows.back();
}

void SideChecker::checkTensor(std::size_t i) const {
  const QnnTensor *tensor = checked.model.find(names[i]);
  if (!tensor) // The order of nodes tells.
    return;
  const TensorRow &row = rowOf(i);
  if (tensor->kind == TensorKind::Null) {
    if (row.isMandatory)
      report(describe(i) + " is left out")
          .found("tensor " + tensor->name + " of type 5 (null)")
          .expected("a tensor");
    return;
  }
  if (!fits(row, tensor->entry()))
    report(describe(i) + " has a wrong type")
        .found("tensor " + tensor->name + " of " + tensor->entry().name)
        .expected(typesText(row));
  else
    checkSameType(i, *tensor);
}

/// "Same datatype as in[0]". Encodings of fixed point differ anyway, and any of
/// them stands for real numbers.
void SideChecker::checkSameType(std::size_t i, const QnnTensor &tensor) const {
  auto other = rowOf(i).sameTypeAs;
  const QnnTensor *input = other && *other < checked.node.inputs.size()
                               ? checked.model.find(checked.node.inputs[*other])
                               : nullptr;
  if (!input || input->kind == TensorKind::Null ||
      input->entry().type == tensor.entry().type ||
      (input->entry().isFixed() && tensor.entry().isFixed()))
    return;
  report(describe(i) + " does not have the type of in[" +
         std::to_string(*other) + "]")
      .found("tensor " + tensor.name + " of " + tensor.entry().name)
      .expected(std::string(input->entry().name) + ", as tensor " +
                input->name);
}

/// Whether all parameters are known, and right by themselves.
static bool checkParams(const CheckedNode &checked) {
  bool isRight = true;
  std::set<std::string_view> seen;
  for (const QnnParam &param : checked.node.params) {
    const ParamRow *row = checked.entry.param(param.name);
    if (!row) {
      std::vector<std::string> known;
      for (const ParamRow &other : checked.entry.params)
        known.push_back(other.name);
      checked.report(param.place, "the operator has no parameter " + param.name)
          .suggest(param.name, known);
      isRight = false;
    } else if (!seen.insert(param.name).second) {
      checked.report(param.place, param.name + ": is given twice");
      isRight = false;
    } else if (!checkParam(checked, param, *row)) {
      isRight = false;
    }
  }
  for (const ParamRow &row : checked.entry.params)
    if (row.isMandatory && !seen.contains(row.name)) {
      checked.report({}, std::string(row.name) + ": is missing")
          .expected(
              std::string(row.type ? entryOf(*row.type).name : "a number") +
              ", " + row.shape);
      isRight = false;
    }
  return isRight;
}

bool qnn::checkNode(const QnnModel &model, const QnnNode &node,
                    const OpEntry &entry, DiagnosticEngine &diags) {
  std::size_t before = diags.numErrors();
  CheckedNode checked{model, node, entry, diags};
  SideChecker(checked, true).check();
  SideChecker(checked, false).check();
  if (checkParams(checked))
    for (const ParamRow &row : entry.params)
      if (row.relation)
        checkRelation(checked, row);
  return diags.numErrors() == before;
}
