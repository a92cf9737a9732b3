//===- JsonReader.h - QNN graphs as JSON ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads the JSON that the QNN converters write beside their C++. Members
// without a meaning here are kept as they are, so that writing the graph again
// (JsonWriter.h) gives the same file. Bytes of static tensors come from an
// archive (Weights.h), or are in the file.
//
//   auto model = qnn::readJson("net.json", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_JSONREADER_H
#define YARROW_PARSER_QNN_JSONREADER_H

#include "parser/qnn/QnnModel.h"
#include <optional>

namespace yarrow::qnn {

/// nullopt after errors, which are reported, all at once (E1040).
std::optional<QnnModel> readJson(const std::string &path,
                                 DiagnosticEngine &diags);
/// The same of a text in memory; \p name stands for the path.
std::optional<QnnModel> parseJson(std::string_view text,
                                  const std::string &name,
                                  DiagnosticEngine &diags);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_JSONREADER_H
