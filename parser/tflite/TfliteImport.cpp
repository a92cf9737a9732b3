//===- TfliteImport.cpp - TFLite models as IR -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/TfliteImport.h"
#include "parser/tflite/TfliteReader.h"

using namespace yarrow;

mlir::OwningOpRef<mlir::ModuleOp>
tflite::importTflite(mlir::MLIRContext &context, const std::string &path,
                     const graph::ImportOptions &options,
                     DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  return file ? importTflite(context, file, options, diags) : nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp> tflite::importTflite(
    mlir::MLIRContext &context, const std::shared_ptr<const MappedFile> &file,
    const graph::ImportOptions &options, DiagnosticEngine &diags) {
  // A word that only variable tensors have a use for.
  graph::ImportOptions others = options;
  bool keepsVariables = std::erase(others.states, "variables") != 0;
  std::unique_ptr<graph::Graph> graph =
      readTflite(file, diags, options.inFloats, keepsVariables);
  if (!graph)
    return nullptr;
  return graph::importGraph(context, *graph, others, diags);
}
