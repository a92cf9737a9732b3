//===- CheckedOperation.h - An operation that is checked --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The input of the checks of one operation, and how they report:
//
//   op.report("does not support this type").found(type.name);
//
// Operands of the operation exist; those of a match have the types of its rows.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_CHECKEDOPERATION_H
#define YARROW_PARSER_NNAPI_CHECKEDOPERATION_H

#include "parser/nnapi/OperationRules.h"
#include "parser/nnapi/OperationTable.h"
#include "support/Diagnostics.h"
#include "support/diagnostics/Import.h"

namespace yarrow::nnapi {

struct CheckedOperation {
  const NnModel &model;
  const Operation &operation;
  const OperationEntry &entry;
  DiagnosticEngine &diags;
  FormMatch match = {};
  /// NnapiRun where the values are those of a run.
  DiagId id = diag::NnapiModel;

  /// "model: operation RELU of y".
  Diagnostic &report(const std::string &what) const;
  /// "filter: " and what.
  Diagnostic &report(std::string_view operand, const std::string &what) const {
    return report(std::string(operand) + ": " + what);
  }
  const Operand &input(std::size_t i) const {
    return model.operands[operation.inputs[i]];
  }
  const Operand &output(std::size_t i) const {
    return model.operands[operation.outputs[i]];
  }
  /// Null if the form has none of the name, or it is left out.
  const Operand *input(std::string_view name) const;
  /// Null if the operation has no such output.
  const Operand *output(std::string_view name) const;
  const Operand *find(const RuleOperand &operand) const {
    return operand.isOutput ? output(operand.name) : input(operand.name);
  }
  /// What output \p i is: the last row is of all that follow, if it is a list.
  const OperandRow &outputRow(std::size_t i) const {
    const std::vector<OperandRow> &rows = outputsOf(entry, match.form);
    return rows[i < rows.size() ? i : rows.size() - 1];
  }
};

/// A flag that is a constant, or false if it is left out; none of one that is
/// known at run time alone.
std::optional<bool> flagOf(const Operand *operand);

/// OperationRules.def, as far as lengths and constants are known.
void checkRules(const CheckedOperation &op, int featureLevel);
/// Those of lengths, which are compared with one another.
void checkShapes(const CheckedOperation &op);
void checkBroadcast(const CheckedOperation &op, const OperationRule &rule);

/// Sub-graphs of IF and WHILE take and give what the operation has.
void checkBranches(const CheckedOperation &op);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_CHECKEDOPERATION_H
