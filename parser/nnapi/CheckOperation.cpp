//===- CheckOperation.cpp - What NNAPI asks of an operation ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"
#include "parser/nnapi/CheckedOperation.h"
#include "support/diagnostics/Import.h"
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
      id, {model.name + ": operation " + entry.name + " of " + name}, what);
}

const Operand *CheckedOperation::input(std::string_view name) const {
  auto i = match.indexOf(name);
  return i && input(*i).lifetime != Lifetime::None ? &input(*i) : nullptr;
}

const Operand *CheckedOperation::output(std::string_view name) const {
  const std::vector<OperandRow> &rows = outputsOf(entry, match.form);
  for (std::size_t i = 0; i < rows.size() && i < operation.outputs.size(); ++i)
    if (rows[i].name == name)
      return &output(i);
  return nullptr;
}

namespace {

using RowKind = OperandRow::Kind;

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

bool checkOutputCount(const CheckedOperation &op) {
  const std::vector<OperandRow> &rows = outputsOf(op.entry, op.match.form);
  std::size_t least = 0, most = rows.size();
  std::string more;
  for (const OperandRow &row : rows) {
    least += row.kind != RowKind::Optional;
    if (row.kind == RowKind::List) {
      most = op.operation.outputs.size();
      more = " or more";
    }
  }
  std::size_t count = op.operation.outputs.size();
  if (count >= least && count <= most)
    return true;
  if (more.empty() && most != least)
    more = " to " + std::to_string(most);
  op.report("has a wrong number of outputs")
      .found(std::to_string(count) + " outputs")
      .expected(std::to_string(least) + more);
  return false;
}

void checkInputs(const CheckedOperation &op) {
  for (std::size_t i = 0; i < op.operation.inputs.size(); ++i) {
    const Operand &input = op.input(i);
    const OperandRow &row = *op.match.rows[i];
    if (input.lifetime == Lifetime::None && row.kind != RowKind::Optional)
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
    const OperandRow &row = op.outputRow(i);
    if (output.lifetime != Lifetime::Temporary &&
        output.lifetime != Lifetime::Output)
      op.report(row.name, "is an output that the operation cannot write")
          .found(describe(op.model, op.operation.outputs[i]))
          .expected("a variable, or an output of the model");
    if (!fits(row.operandClass, output.type,
              op.match.type.value_or(OperandType::TENSOR_FLOAT32)))
      op.report(row.name, "does not have the type of the operation's result")
          .found(output.entry().name)
          .expected(textOf(row.operandClass));
  }
}

/// \p isFinished: constants have their values.
void check(CheckedOperation &op, int featureLevel, bool isFinished) {
  std::size_t before = op.diags.all().size();
  checkIndices(op, "inputs", op.operation.inputs);
  checkIndices(op, "outputs", op.operation.outputs);
  if (op.entry.level > featureLevel)
    op.report("needs a later feature level")
        .found(levelText(featureLevel))
        .expected(std::to_string(op.entry.level) + " or above");
  if (op.diags.all().size() != before)
    return;
  std::string why;
  auto match = matchForm(op.entry, op.model, op.operation, &why);
  if (!match) {
    op.report("the operands do not match any form of the operation")
        .found(why)
        .hint(std::string("list its forms with `yarrow ops --nnapi ") +
              op.entry.name + "`");
    return;
  }
  op.match = std::move(*match);
  if (!checkOutputCount(op))
    return;
  if (op.match.level > featureLevel)
    op.report("its types or inputs need a later feature level")
        .found(levelText(featureLevel))
        .expected(std::to_string(op.match.level) + " or above");
  checkInputs(op);
  checkOutputs(op);
  if (op.diags.all().size() != before)
    return;
  if (isFinished)
    checkRules(op, featureLevel);
  checkBranches(op);
}

bool check(const NnModel &model, const Operation &operation, int featureLevel,
           bool isFinished, DiagnosticEngine &diags) {
  const OperationEntry *entry = findOperation(operation.code);
  if (!entry) {
    diags
        .report(diag::NnapiModel, {model.name},
                "an operation is not in NNAPI's definition")
        .found("number " + std::to_string(operation.code));
    return false;
  }
  DiagnosticEngine own;
  CheckedOperation op{model, operation, *entry, own};
  check(op, featureLevel, isFinished);
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return !own.hasErrors();
}

} // namespace

bool nnapi::checkOperation(const NnModel &model, const Operation &operation,
                           int featureLevel, DiagnosticEngine &diags) {
  return check(model, operation, featureLevel, false, diags);
}

bool nnapi::checkFinishedOperation(const NnModel &model,
                                   const Operation &operation, int featureLevel,
                                   DiagnosticEngine &diags) {
  return check(model, operation, featureLevel, true, diags);
}

static bool hasShortList(const NnModel &part, const Operation &operation,
                         const FormMatch &match) {
  for (std::size_t i = 0; i < match.rows.size(); ++i)
    if (match.rows[i]->kind == OperandRow::Kind::List &&
        part.operands[operation.inputs[i]].lifetime == Lifetime::None)
      return true;
  return false;
}

bool nnapi::checkBoundPart(const NnModel &part, DiagnosticEngine &diags) {
  DiagnosticEngine own;
  for (const Operation &operation : part.operations) {
    const OperationEntry *entry = findOperation(operation.code);
    auto match = entry ? matchForm(*entry, part, operation) : std::nullopt;
    // Who makes layers of it says what is wrong with one that fits no form.
    if (match && !hasShortList(part, operation, *match))
      checkRules(
          {part, operation, *entry, own, std::move(*match), diag::NnapiRun},
          kRuntimeFeatureLevel);
  }
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return !own.hasErrors();
}
