//===- OnnxReader.h - ONNX models as import graphs --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads an ONNX model: IR versions 3 to 14, operator sets 6 to 26. Weights stay
// in the mapped file, or in files of external data in the model's folder.
// Functions of the model are inlined; nodes are brought into an order that
// computes. Problems are reported with the file and the node.
//
//   std::unique_ptr<graph::Graph> graph = onnx::readOnnx("net.onnx", diags);
//   if (!graph) diags.print(std::cerr);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_ONNXREADER_H
#define YARROW_PARSER_ONNX_ONNXREADER_H

#include "parser/graph/ImportGraph.h"
#include "parser/onnx/Wire.h"
#include "support/Diagnostics.h"
#include "support/MappedFile.h"
#include <memory>
#include <string>

namespace yarrow::onnx {

/// Null after errors; all of them are in \p diags.
std::unique_ptr<graph::Graph> readOnnx(const std::string &path,
                                       DiagnosticEngine &diags);
/// The same of a file that is open, or stands for one.
std::unique_ptr<graph::Graph>
readOnnx(const std::shared_ptr<const MappedFile> &file,
         DiagnosticEngine &diags);

/// The same of bytes that \p owner keeps; external data lie beside \p path.
std::unique_ptr<graph::Graph> parseOnnx(Bytes bytes,
                                        std::shared_ptr<const void> owner,
                                        const std::string &path,
                                        DiagnosticEngine &diags);

/// A file of a single tensor, as ONNX's tests have them (.pb).
std::optional<graph::Constant>
parseTensorFile(Bytes bytes, std::shared_ptr<const void> owner,
                const std::string &path, DiagnosticEngine &diags);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_ONNXREADER_H
