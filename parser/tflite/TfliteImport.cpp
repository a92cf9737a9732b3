//===- TfliteImport.cpp - TFLite models as IR -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/TfliteImport.h"
#include "parser/tflite/TfliteReader.h"

using namespace yarrow;

/// Whether a node gives what the model stores in integers.
static bool storesResults(const graph::Graph &graph) {
  for (const auto &node : graph.nodes)
    for (const graph::Tensor *output : node->outputs)
      if (output && output->quantization)
        return true;
  return false;
}

mlir::OwningOpRef<mlir::ModuleOp>
tflite::importTflite(mlir::MLIRContext &context, graph::Graph &graph,
                     const graph::ImportOptions &options,
                     DiagnosticEngine &diags) {
  graph::ImportOptions own = options;
  // A formula's inner tensors are stored, too: one layer would skip their
  // rounding.
  if (!own.inFloats && storesResults(graph))
    own.fuses = false;
  return graph::importGraph(context, graph, own, diags);
}

mlir::OwningOpRef<mlir::ModuleOp>
tflite::importTflite(mlir::MLIRContext &context, const std::string &path,
                     const graph::ImportOptions &options,
                     DiagnosticEngine &diags) {
  std::unique_ptr<graph::Graph> graph = readTflite(path, diags);
  if (!graph)
    return nullptr;
  return importTflite(context, *graph, options, diags);
}
