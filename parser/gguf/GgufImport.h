//===- GgufImport.h - GGUF models as IR -------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The shapes `tokens` and `cache` of an import choose the network's form: see
// GgufReader.h.
//
//   auto module = gguf::importGguf(context, "story.gguf", options, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_GGUFIMPORT_H
#define YARROW_PARSER_GGUF_GGUFIMPORT_H

#include "parser/graph/Import.h"
#include "support/MappedFile.h"

namespace yarrow::gguf {

/// Null after errors; all of them are in \p diags.
mlir::OwningOpRef<mlir::ModuleOp>
importGguf(mlir::MLIRContext &context, const std::string &path,
           const graph::ImportOptions &options, DiagnosticEngine &diags);
mlir::OwningOpRef<mlir::ModuleOp>
importGguf(mlir::MLIRContext &context,
           const std::shared_ptr<const MappedFile> &file,
           const graph::ImportOptions &options, DiagnosticEngine &diags);

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_GGUFIMPORT_H
