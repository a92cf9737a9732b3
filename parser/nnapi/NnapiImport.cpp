//===- NnapiImport.cpp - Models of NNAPI as IR ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/NnapiImport.h"
#include "parser/nnapi/NnGraph.h"

using namespace yarrow;

mlir::OwningOpRef<mlir::ModuleOp>
nnapi::importNnModel(mlir::MLIRContext &context, const NnModel &model,
                     const graph::ImportOptions &options,
                     DiagnosticEngine &diags) {
  std::unique_ptr<graph::Graph> graph = readNnModel(model, diags);
  if (!graph)
    return nullptr;
  return graph::importGraph(context, *graph, options, diags);
}
