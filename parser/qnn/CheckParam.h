//===- CheckParam.h - A parameter against its row ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The half of CheckNode.h that checks values: type, lengths and bounds of one
// parameter, and its relation to another.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_CHECKPARAM_H
#define YARROW_PARSER_QNN_CHECKPARAM_H

#include "parser/qnn/OpTable.h"

namespace yarrow::qnn {

/// A node that is compared with the record of its operator.
struct CheckedNode {
  const QnnModel &model;
  const QnnNode &node;
  const OpEntry &entry;
  DiagnosticEngine &diags;

  Diagnostic &report(const Place &place, const std::string &what) const;
  /// Null if the node has none, or leaves it out.
  const QnnTensor *input(std::size_t i) const { return tensor(node.inputs, i); }
  const QnnTensor *output(std::size_t i) const {
    return tensor(node.outputs, i);
  }

private:
  const QnnTensor *tensor(const std::vector<std::string> &names,
                          std::size_t i) const;
};

/// False after errors.
bool checkParam(const CheckedNode &checked, const QnnParam &param,
                const ParamRow &row);
/// Of the row's relation, where both parameters are right by themselves.
void checkRelation(const CheckedNode &checked, const ParamRow &row);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_CHECKPARAM_H
