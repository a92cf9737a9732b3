//===- Import.h - Import graphs as modules of layers ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From the graph of a foreign format to float IR, by stages: lengths are bound,
// unused nodes dropped, integers of a quantized model made stored tensors
// (AbsorbQuantization.h), shapes and constants found (Fold.h), spellings of one
// layer by several nodes recognised (Fuse.h), the order of axes chosen
// (Layout.h), and layers made (Emitter.h).
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
