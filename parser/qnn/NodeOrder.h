//===- NodeOrder.h - Nodes of QNN in an order that computes -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writers put nodes in the order of their names. Here each node comes after the
// nodes whose results it reads; otherwise the file's order stays.
//
//   for (const QnnNode *node : nodesInOrder(model, diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_NODEORDER_H
#define YARROW_PARSER_QNN_NODEORDER_H

#include "parser/qnn/QnnModel.h"

namespace yarrow::qnn {

/// Reports tensors that nobody or more than one node writes, and circles
/// (E1008); nodes of a circle are left out.
std::vector<const QnnNode *> nodesInOrder(const QnnModel &model,
                                          DiagnosticEngine &diags);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_NODEORDER_H
