//===- CheckNode.h - A node against the QNN definitions ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares a node with the record of its operator: its inputs and outputs,
// their types where the record has any, its parameters with types, lengths and
// bounds. All problems are reported, each with the names of the node and the
// parameter (E1041).
//
//   if (checkNode(model, node, *entry, diags))
//     entry->read(reader);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_CHECKNODE_H
#define YARROW_PARSER_QNN_CHECKNODE_H

#include "parser/qnn/OpTable.h"

namespace yarrow::qnn {

/// The tensors that \p node names must be in \p model.
bool checkNode(const QnnModel &model, const QnnNode &node, const OpEntry &entry,
               DiagnosticEngine &diags);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_CHECKNODE_H
