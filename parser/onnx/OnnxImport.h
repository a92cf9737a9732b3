//===- OnnxImport.h - ONNX models as float IR -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   graph::ImportOptions options;
//   options.shapes["x"] = {1, 3, 224, 224};
//   auto module = onnx::importOnnx(context, "net.onnx", options, diags);
//   compass::writeCompassIr(*module, "net.txt", "net.bin", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_ONNXIMPORT_H
#define YARROW_PARSER_ONNX_ONNXIMPORT_H

#include "parser/graph/Import.h"
#include "support/MappedFile.h"

namespace yarrow::onnx {

/// Reads, normalises and imports. Null after errors; all of them are in
/// \p diags.
mlir::OwningOpRef<mlir::ModuleOp>
importOnnx(mlir::MLIRContext &context, const std::string &path,
           const graph::ImportOptions &options, DiagnosticEngine &diags);
/// The same of a file that is open, or stands for one. External data are looked
/// for in the folder of its path.
mlir::OwningOpRef<mlir::ModuleOp>
importOnnx(mlir::MLIRContext &context,
           const std::shared_ptr<const MappedFile> &file,
           const graph::ImportOptions &options, DiagnosticEngine &diags);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_ONNXIMPORT_H
