//===- GgufImport.cpp - GGUF models as IR ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/GgufImport.h"
#include "parser/gguf/GgufReader.h"

using namespace yarrow;

mlir::OwningOpRef<mlir::ModuleOp>
gguf::importGguf(mlir::MLIRContext &context, const std::string &path,
                 const graph::ImportOptions &options, DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  return file ? importGguf(context, file, options, diags) : nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp>
gguf::importGguf(mlir::MLIRContext &context,
                 const std::shared_ptr<const MappedFile> &file,
                 const graph::ImportOptions &options, DiagnosticEngine &diags) {
  graph::ImportOptions others = options;
  GgufShapes shapes;
  if (!options.shapesInOrder.empty())
    shapes.tokens = options.shapesInOrder.front();
  if (auto it = options.shapes.find("tokens"); it != options.shapes.end())
    shapes.tokens = it->second;
  // A length of the network, not one of its inputs.
  if (auto cache = others.shapes.extract("cache"))
    shapes.cache = cache.mapped();
  std::unique_ptr<graph::Graph> graph = readGguf(file, shapes, diags);
  if (!graph)
    return nullptr;
  return graph::importGraph(context, *graph, others, diags);
}
