//===- MatchForm.cpp - Which form an operation has ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationTable.h"
#include <algorithm>
#include <utility>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

/// The rows of \p form for so many inputs, its list as long as it must be; none
/// if they cannot be so many.
std::optional<std::vector<const OperandRow *>>
rowsFor(const OperationForm &form, std::size_t count) {
  std::size_t least = 0, lists = 0;
  for (std::size_t i = 0; i < form.inputs.size(); ++i) {
    lists += form.inputs[i].kind == OperandRow::Kind::List;
    // Optional inputs at the end may be missing, others are left out by value.
    if (form.inputs[i].kind != OperandRow::Kind::Optional)
      least = i + 1;
  }
  least -= lists;
  if (count < least)
    return std::nullopt;
  std::size_t listed = lists ? count - least : 0;
  std::vector<const OperandRow *> rows;
  for (const OperandRow &row : form.inputs) {
    if (row.kind == OperandRow::Kind::List)
      // The first list takes them all (WHILE has several).
      rows.insert(rows.end(), std::exchange(listed, 0), &row);
    else if (rows.size() < count)
      rows.push_back(&row);
  }
  if (rows.size() != count)
    return std::nullopt;
  return rows;
}

/// The operand that says what T is: the first input that has it, or the output
/// of operations that make one of nothing (FILL). Null if none has it.
const Operand *operandOfT(const OperationEntry &entry, const NnModel &model,
                          const Operation &operation, const FormMatch &match) {
  for (std::size_t i = 0; i < match.rows.size(); ++i) {
    const Operand &operand = model.operands[operation.inputs[i]];
    if (match.rows[i]->operandClass == OperandClass::T &&
        operand.lifetime != Lifetime::None)
      return &operand;
  }
  const std::vector<OperandRow> &outputs = outputsOf(entry, match.form);
  for (std::size_t i = 0; i < operation.outputs.size() && i < outputs.size();
       ++i)
    if (outputs[i].operandClass == OperandClass::T)
      return &model.operands[operation.outputs[i]];
  return nullptr;
}

/// Whether \p operand has as many axes as the operation takes; where the rank
/// is not known yet it may.
bool checkAxes(const OperationEntry &entry, const Operand &operand,
               std::string &why) {
  std::size_t axes = operand.dims.size();
  if (axes == 0 ||
      (axes >= entry.minAxes && (entry.maxAxes == 0 || axes <= entry.maxAxes)))
    return true;
  std::string least = std::to_string(entry.minAxes);
  why = "has " + std::to_string(axes) + " axes, not " +
        (entry.maxAxes == 0 ? least + " or more"
         : entry.maxAxes == entry.minAxes
             ? least
             : least + " to " + std::to_string(entry.maxAxes));
  return false;
}

/// Whether the inputs are of the types that \p match.rows say.
bool matchTypes(const OperationEntry &entry, const NnModel &model,
                const Operation &operation, FormMatch &match,
                std::string &why) {
  match.level = match.form->level;
  if (const Operand *of = operandOfT(entry, model, operation, match)) {
    match.type = of->type;
    auto it =
        std::ranges::find(entry.types, of->type, &OperationEntry::Type::type);
    if (it == entry.types.end()) {
      why = std::string("does not support ") + of->entry().name;
      return false;
    }
    match.level = std::max(match.level, it->level);
    if (!checkAxes(entry, *of, why))
      return false;
  }
  for (std::size_t i = 0; i < match.rows.size(); ++i) {
    const OperandRow &row = *match.rows[i];
    const Operand &operand = model.operands[operation.inputs[i]];
    if (operand.lifetime == Lifetime::None &&
        row.kind == OperandRow::Kind::Optional)
      continue;
    if (!fits(row.operandClass, operand.type,
              match.type.value_or(OperandType::TENSOR_FLOAT32))) {
      why = std::string("input ") + row.name + " is " + operand.entry().name +
            ", not " + textOf(row.operandClass);
      return false;
    }
    match.level = std::max({match.level, row.level, operand.entry().level});
  }
  const std::vector<OperandRow> &outputs = outputsOf(entry, match.form);
  for (std::size_t i = 0; i < operation.outputs.size() && i < outputs.size();
       ++i)
    match.level =
        std::max({match.level, outputs[i].level,
                  model.operands[operation.outputs[i]].entry().level});
  return true;
}

} // namespace

std::optional<std::size_t> FormMatch::indexOf(std::string_view input) const {
  auto it = std::ranges::find_if(
      rows, [&](const OperandRow *row) { return row->name == input; });
  if (it == rows.end())
    return std::nullopt;
  return std::size_t(it - rows.begin());
}

std::optional<FormMatch> nnapi::matchForm(const OperationEntry &entry,
                                          const NnModel &model,
                                          const Operation &operation,
                                          std::string *why) {
  std::string problem =
      "has " + std::to_string(operation.inputs.size()) + " inputs";
  for (const OperationForm &form : entry.forms) {
    auto rows = rowsFor(form, operation.inputs.size());
    if (!rows)
      continue;
    FormMatch match{&form, std::move(*rows)};
    if (matchTypes(entry, model, operation, match, problem))
      return match;
  }
  if (why)
    *why = problem;
  return std::nullopt;
}
