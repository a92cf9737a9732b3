//===- CheckOperation.cpp - What NNAPI asks of an operation ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"
#include "parser/nnapi/CheckedOperation.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

Diagnostic &CheckedOperation::report(const std::string &what) const {
  std::string name = "nothing";
  if (!operation.outputs.empty()) {
    std::uint32_t index = operation.outputs[0];
    bool isNamed =
        index < model.operands.size() && !model.operands[index].name.empty();
    name = isNamed ? model.operands[index].name : describe(model, index);
  }
  return diags.report(
      DiagId::NnapiModel,
      {model.name + ": operation " + entry.name + " of " + name}, what);
}

const Operand *CheckedOperation::input(std::string_view name) const {
  for (std::size_t i = 0; i < match.rows.size(); ++i)
    if (match.rows[i]->name == name)
      return input(i).lifetime == Lifetime::None ? nullptr : &input(i);
  return nullptr;
}

const Operand *CheckedOperation::output(std::string_view name) const {
  for (std::size_t i = 0;
       i < entry.outputs.size() && i < operation.outputs.size(); ++i)
    if (entry.outputs[i].name == name)
      return &output(i);
  return nullptr;
}

namespace {

using Kind = OperandRow::Kind;

std::string levelText(int level) {
  return "feature level " + std::to_string(level);
}

bool checkIndices(const CheckedOperation &op, const char *what,
                  const std::vector<std::uint32_t> &indices) {
  bool exist = true;
  for (std::uint32_t index : indices)
    if (index >= op.model.operands.size()) {
      op.report(std::string(what) + " do not exist")
          .found(describe(op.model, index))
          .expected("below " + std::to_string(op.model.operands.size()));
      exist = false;
    }
  return exist;
}

/// The row of output \p i: the last one is of all that follow, if it is a list.
const OperandRow &outputRow(const OperationEntry &entry, std::size_t i) {
  return entry.outputs[std::min(i, entry.outputs.size() - 1)];
}

bool checkOutputCount(const CheckedOperation &op) {
  std::size_t least = 0, most = op.entry.outputs.size();
  std::string more;
  for (const OperandRow &row : op.entry.outputs) {
    least += row.kind != Kind::Optional;
    if (row.kind == Kind::List) {
      most = op.operation.outputs.size();
      more = " or more";
    }
  }
  std::size_t count = op.operation.outputs.size();
  if (count >= least && count <= most)
    return true;
  if (more.empty() && most != least)
    more = " to " + std::to_string(most);
  op.report("has another number of outputs")
      .found(std::to_string(count) + " outputs")
      .expected(std::to_string(least) + more);
  return false;
}

void checkInputs(const CheckedOperation &op) {
  for (std::size_t i = 0; i < op.operation.inputs.size(); ++i) {
    const Operand &input = op.input(i);
    const OperandRow &row = *op.match.rows[i];
    if (input.lifetime == Lifetime::None && row.kind != Kind::Optional)
      op.report(row.name, "cannot be left out")
          .found(describe(op.model, op.operation.inputs[i]) + " has no value");
    if (input.type == OperandType::MODEL &&
        row.operandClass != OperandClass::MODEL)
      op.report(row.name, "cannot be a model");
  }
}

void checkOutputs(const CheckedOperation &op) {
  for (std::size_t i = 0; i < op.operation.outputs.size(); ++i) {
    const Operand &output = op.output(i);
    const OperandRow &row = outputRow(op.entry, i);
    if (output.lifetime != Lifetime::Temporary &&
        output.lifetime != Lifetime::Output)
      op.report(row.name, "is an output, but not the operation's to write")
          .found(describe(op.model, op.operation.outputs[i]))
          .expected("a variable, or an output of the model");
    if (!fits(row.operandClass, output.type,
              op.match.type.value_or(OperandType::TENSOR_FLOAT32)))
      op.report(row.name, "has another type than the operation gives")
          .found(output.entry().name)
          .expected(textOf(row.operandClass));
  }
}

void checkAxes(const CheckedOperation &op) {
  if (op.entry.maxAxes == 0 && op.entry.minAxes == 0)
    return;
  for (std::size_t i = 0; i < op.operation.inputs.size(); ++i) {
    const Operand &input = op.input(i);
    if (!input.isTensor())
      continue;
    std::size_t axes = input.dims.size();
    // None: the rank is not known yet.
    if (axes == 0 || (axes >= op.entry.minAxes &&
                      (op.entry.maxAxes == 0 || axes <= op.entry.maxAxes)))
      return;
    std::string least = std::to_string(op.entry.minAxes);
    op.report(op.match.rows[i]->name, "has another number of axes")
        .found(std::to_string(axes))
        .expected(op.entry.maxAxes == 0 ? least + " or more"
                  : op.entry.maxAxes == op.entry.minAxes
                      ? least
                      : least + " to " + std::to_string(op.entry.maxAxes));
    return;
  }
}

void check(CheckedOperation &op, int featureLevel) {
  std::size_t before = op.diags.all().size();
  checkIndices(op, "inputs", op.operation.inputs);
  checkIndices(op, "outputs", op.operation.outputs);
  if (op.entry.level > featureLevel)
    op.report("is an operation of a later feature level")
        .found(levelText(featureLevel))
        .expected(std::to_string(op.entry.level) + " or above");
  checkOutputCount(op);
  if (op.diags.all().size() != before)
    return;
  std::string why;
  auto match = matchForm(op.entry, op.model, op.operation, &why);
  if (!match) {
    op.report("the operands fit no form of the operation")
        .found(why)
        .hint(std::string("yarrow ops --nnapi ") + op.entry.name +
              " shows its forms");
    return;
  }
  op.match = std::move(*match);
  if (op.match.level > featureLevel)
    op.report("its types or inputs are of a later feature level")
        .found(levelText(featureLevel))
        .expected(std::to_string(op.match.level) + " or above");
  checkInputs(op);
  checkOutputs(op);
  checkAxes(op);
  if (op.diags.all().size() == before)
    checkBranches(op);
}

} // namespace

bool nnapi::checkOperation(const NnModel &model, const Operation &operation,
                           int featureLevel, DiagnosticEngine &diags) {
  const OperationEntry *entry = findOperation(operation.code);
  if (!entry) {
    diags
        .report(DiagId::NnapiModel, {model.name},
                "an operation is none of the definition's")
        .found("number " + std::to_string(operation.code));
    return false;
  }
  DiagnosticEngine own;
  CheckedOperation op{model, operation, *entry, own};
  check(op, featureLevel);
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return !own.hasErrors();
}
