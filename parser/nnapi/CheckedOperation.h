//===- CheckedOperation.h - An operation that is checked --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the checks of one operation are given, and how they report:
//
//   op.report("is computed in no such type").found(type.name);
//
// Operands of the operation exist; those of a match have the types of its rows.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_CHECKEDOPERATION_H
#define YARROW_PARSER_NNAPI_CHECKEDOPERATION_H

#include "parser/nnapi/OperationTable.h"
#include "support/Diagnostics.h"

namespace yarrow::nnapi {

struct CheckedOperation {
  const NnModel &model;
  const Operation &operation;
  const OperationEntry &entry;
  DiagnosticEngine &diags;
  FormMatch match = {};

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
  /// The input or output of the name.
  const Operand *find(std::string_view name) const {
    const Operand *operand = input(name);
    return operand ? operand : output(name);
  }
};

/// Sub-graphs of IF and WHILE take and give what the operation has.
void checkBranches(const CheckedOperation &op);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_CHECKEDOPERATION_H
