//===- TfliteReader.h - TFLite models as import graphs ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads a TFLite model of schema version 3: the main sub-graph, and those that
// it calls. Weights stay in the mapped file. A quantized tensor is a tensor of
// real numbers that records how it is stored (graph/Quantization.h). Problems
// are reported with the file and the operator, or the byte.
//
//   std::unique_ptr<graph::Graph> graph = tflite::readTflite("net.tflite", d);
//   if (!graph) d.print(std::cerr);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_TFLITEREADER_H
#define YARROW_PARSER_TFLITE_TFLITEREADER_H

#include "parser/graph/ImportGraph.h"
#include "parser/tflite/Flat.h"
#include "support/Diagnostics.h"
#include "support/MappedFile.h"
#include <memory>
#include <string>

namespace yarrow::tflite {

/// Null after errors; all of them are in \p diags. \p keepsVariables: variable
/// tensors of LSTM and SVDF are state, and do not start anew at every run.
std::unique_ptr<graph::Graph> readTflite(const std::string &path,
                                         DiagnosticEngine &diags,
                                         bool inFloats = false,
                                         bool keepsVariables = false);
/// The same of a file that is open, or stands for one.
std::unique_ptr<graph::Graph>
readTflite(const std::shared_ptr<const MappedFile> &file,
           DiagnosticEngine &diags, bool inFloats = false,
           bool keepsVariables = false);

/// The same of bytes that \p owner keeps.
std::unique_ptr<graph::Graph>
parseTflite(Bytes bytes, std::shared_ptr<const void> owner,
            const std::string &path, DiagnosticEngine &diags,
            bool inFloats = false, bool keepsVariables = false);

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_TFLITEREADER_H
