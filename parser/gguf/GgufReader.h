//===- GgufReader.h - GGUF models as import graphs --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads a GGUF model of the llama architecture, versions 2 and 3. Its network
// is not in the file: it follows from the metadata (LlamaGraph.h), in the form
// that the shapes of an import ask for. Problems are reported with the file and
// the byte, the key or the tensor.
//
//   GgufShapes shapes{.tokens = {1, 128}};
//   auto graph = gguf::readGguf(file, shapes, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_GGUFREADER_H
#define YARROW_PARSER_GGUF_GGUFREADER_H

#include "parser/gguf/Container.h"
#include "support/MappedFile.h"

#include <memory>

namespace yarrow::gguf {

/// What a user gives of the network's shapes; absent: decode.
struct GgufShapes {
  std::optional<graph::Shape> tokens = {}; ///< [1, N]: 1 is decode.
  std::optional<graph::Shape> cache = {};  ///< [positions], of decode.
};

/// Null after errors; all of them are in \p diags.
std::unique_ptr<graph::Graph>
readGguf(const std::shared_ptr<const MappedFile> &file,
         const GgufShapes &shapes, DiagnosticEngine &diags);

/// The same of bytes that \p owner keeps.
std::unique_ptr<graph::Graph> parseGguf(Bytes bytes,
                                        std::shared_ptr<const void> owner,
                                        const std::string &path,
                                        const GgufShapes &shapes,
                                        DiagnosticEngine &diags);

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_GGUFREADER_H
