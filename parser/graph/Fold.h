//===- Fold.h - Shapes and constants of an import graph ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds the type and shape of every tensor, and the values of tensors that
// depend on constants only. Both come from the layers themselves: each node is
// emitted for trial, its layers infer the shapes of their results, and if all
// of its inputs are constant, the evaluator computes them. So chains of Shape,
// Gather and Concat become constants, and nothing about an operator is written
// down twice. A conditional branch whose condition is constant replaces its If.
//
//   if (fold(graph, state, diags)) ... // every tensor has a shape
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_FOLD_H
#define YARROW_PARSER_GRAPH_FOLD_H

#include "parser/graph/Emitter.h"

namespace yarrow::graph {

/// Also tells which nodes give what they are given (ImportState::unchanged).
/// False after errors; problems of all nodes are reported, but not those of
/// nodes that read what could not be made.
bool fold(Graph &graph, ImportState &state);

/// The same of a sub-graph that reads \p captured of graphs around it.
bool foldBody(Graph &body, llvm::ArrayRef<Tensor *> captured,
              ImportState &state);

/// Checks what the operator's record says of the numbers of tensors, and that
/// all of them have a type and a shape. Tells what is wrong.
bool checkTensors(const Node &node, ImportState &state);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_FOLD_H
