//===- LlamaParams.h - Sizes of a llama, from a file's values ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The values of a GGUF file that describe a network of the llama architecture,
// checked against one another. All that are wrong are reported.
//
//   auto params = readLlamaParams(container, path, diags);
//   params->headSize; // 64
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_LLAMAPARAMS_H
#define YARROW_PARSER_GGUF_LLAMAPARAMS_H

#include "parser/gguf/Container.h"

namespace yarrow::gguf {

struct LlamaParams {
  std::int64_t context = 0; ///< Positions that it was made for.
  std::int64_t width = 0;   ///< Of the embedding.
  std::int64_t hidden = 0;  ///< Of the feed-forward part.
  std::int64_t layers = 0;
  std::int64_t heads = 0, keyHeads = 0; ///< A key serves several heads.
  std::int64_t headSize = 0;
  std::int64_t rotated = 0; ///< Values of a head that the position turns.
  std::int64_t tokens = 0;  ///< 0: as many as the embedding has rows.
  float epsilon = 0;        ///< Of the norms.
  float ropeBase = 10000;
  float ropeScale = 1; ///< Positions are divided by it.
};

/// Nullopt after errors.
std::optional<LlamaParams> readLlamaParams(const Container &container,
                                           const std::string &path,
                                           DiagnosticEngine &diags);

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_LLAMAPARAMS_H
