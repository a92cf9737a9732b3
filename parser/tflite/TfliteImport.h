//===- TfliteImport.h - TFLite models as IR ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model that stores integers becomes a module with these integers and the
// header compat_quantized_model (graph/Stored.h); other models become float
// modules.
//
//   auto module = tflite::importTflite(context, "net.tflite", options, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_TFLITEIMPORT_H
#define YARROW_PARSER_TFLITE_TFLITEIMPORT_H

#include "parser/graph/Import.h"
#include "support/MappedFile.h"

namespace yarrow::tflite {

/// Null after errors; all of them are in \p diags.
mlir::OwningOpRef<mlir::ModuleOp>
importTflite(mlir::MLIRContext &context, const std::string &path,
             const graph::ImportOptions &options, DiagnosticEngine &diags);
/// The same of a file that is open, or stands for one.
mlir::OwningOpRef<mlir::ModuleOp>
importTflite(mlir::MLIRContext &context,
             const std::shared_ptr<const MappedFile> &file,
             const graph::ImportOptions &options, DiagnosticEngine &diags);

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_TFLITEIMPORT_H
