//===- OnnxImport.cpp - ONNX models as float IR ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/OnnxImport.h"
#include "parser/onnx/Normalise.h"
#include "parser/onnx/OnnxReader.h"

using namespace yarrow;

mlir::OwningOpRef<mlir::ModuleOp>
onnx::importOnnx(mlir::MLIRContext &context, const std::string &path,
                 const graph::ImportOptions &options, DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  return file ? importOnnx(context, file, options, diags) : nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp>
onnx::importOnnx(mlir::MLIRContext &context,
                 const std::shared_ptr<const MappedFile> &file,
                 const graph::ImportOptions &options, DiagnosticEngine &diags) {
  std::unique_ptr<graph::Graph> graph = readOnnx(file, diags);
  if (!graph)
    return nullptr;
  normalise(*graph);
  graph->roundsExactly = true;
  return graph::importGraph(context, *graph, options, diags);
}
