//===- EmitGraph.h - A graph as a function of layers ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   emitGraph(graph, "main", state);   // func.func @main in state.module
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_EMITGRAPH_H
#define YARROW_PARSER_GRAPH_EMITGRAPH_H

#include "parser/graph/Emitter.h"

namespace yarrow::graph {

/// The function with a compass.input for each of the graph's inputs and, behind
/// them, for each of \p captured, tensors of graphs around it. False after
/// errors.
bool emitGraph(const Graph &graph, llvm::StringRef name, ImportState &state,
               llvm::ArrayRef<Tensor *> captured = {});

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_EMITGRAPH_H
