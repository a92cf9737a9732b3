//===- OperatorTable.h - The operators that are imported --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Operators.def as a table: how many tensors each canonical operator has, in
// which order of axes it computes, and the function that makes its layers.
//
//   const OperatorEntry *entry = findOperator("Conv", "");
//   if (entry->order == AxisOrder::Last) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_OPERATORTABLE_H
#define YARROW_PARSER_GRAPH_OPERATORTABLE_H

#include "parser/graph/Emitter.h"
#include <span>

namespace yarrow::graph {

/// In which order of axes an operator computes.
enum class AxisOrder {
  Plain, ///< As the foreign format has them.
  Last,  ///< Channels last, whatever is around it.
  Any,   ///< In either: Layout.h decides.
};

struct OperatorEntry {
  const char *name, *domain;
  unsigned minInputs, maxInputs, maxOutputs;
  AxisOrder order;
  llvm::LogicalResult (*emit)(NodeEmitter &);
  const char *layers; ///< For the documentation.
};

std::span<const OperatorEntry> allOperatorEntries();
/// Null if the operator is not imported.
const OperatorEntry *findOperator(std::string_view name,
                                  std::string_view domain);

/// The layers of one node, whose operator is in the table. Problems are
/// reported.
llvm::LogicalResult emitNode(Emitter &emitter, Node &node);

#define OPERATOR(NAME, MIN, MAX, OUTPUTS, ORDER, FUNCTION, LAYERS)             \
  llvm::LogicalResult FUNCTION(NodeEmitter &n);
#define CONTRIB(NAME, MIN, MAX, OUTPUTS, ORDER, FUNCTION, LAYERS)              \
  llvm::LogicalResult FUNCTION(NodeEmitter &n);
#define TFLITE(NAME, MIN, MAX, OUTPUTS, FUNCTION, LAYERS)                      \
  llvm::LogicalResult FUNCTION(NodeEmitter &n);
#define NNAPI(NAME, MIN, MAX, OUTPUTS, FUNCTION, LAYERS)                       \
  llvm::LogicalResult FUNCTION(NodeEmitter &n);
#define QNN(NAME, MIN, MAX, OUTPUTS, FUNCTION, LAYERS)                         \
  llvm::LogicalResult FUNCTION(NodeEmitter &n);
#include "parser/graph/Operators.def"
/// Of an operator that came with a plugin.
llvm::LogicalResult emitCustom(NodeEmitter &n);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_OPERATORTABLE_H
