//===- Branches.h - The graphs that If names --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An If has no outputs, and reads only its condition: its graphs read and write
// tensors of the outer graph with the same names as their inputs and outputs.
// Here these become the inputs and outputs of the node.
//
//   for (const std::string &name : namesReadBy(model, node)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_BRANCHES_H
#define YARROW_PARSER_QNN_BRANCHES_H

#include "parser/qnn/QnnModel.h"

namespace yarrow::qnn {

/// The graph that parameter \p param names; null if there is none.
const QnnModel *branchOf(const QnnModel &model, const QnnNode &node,
                         std::string_view param);

/// The node's inputs, then those of its graphs, each once.
std::vector<std::string> namesReadBy(const QnnModel &model,
                                     const QnnNode &node);
/// The node's outputs, then those of its first graph.
std::vector<std::string> namesWrittenBy(const QnnModel &model,
                                        const QnnNode &node);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_BRANCHES_H
