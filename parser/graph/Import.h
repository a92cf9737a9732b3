//===- Import.h - Import graphs as modules of layers ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From the graph of a foreign format to float IR, by stages: bind lengths, drop
// unused nodes, turn the integers of a quantized model into stored tensors
// (AbsorbQuantization.h), find shapes and constants (Fold.h), recognise one
// layer in several nodes (Fuse.h), choose the order of axes (Layout.h), and
// make layers (Emitter.h).
//
//   ImportOptions options;
//   options.shapes["x"] = {1, 3, 224, 224};
//   auto module = importGraph(context, *graph, options, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_IMPORT_H
#define YARROW_PARSER_GRAPH_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "parser/graph/ImportOptions.h"
#include "support/Diagnostics.h"

namespace yarrow::graph {

/// Null after errors; all of them are in \p diags. Changes \p graph.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(mlir::MLIRContext &context,
                                              Graph &graph,
                                              const ImportOptions &options,
                                              DiagnosticEngine &diags);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_IMPORT_H
