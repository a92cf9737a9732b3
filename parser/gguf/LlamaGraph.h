//===- LlamaGraph.h - The network of a llama --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From tokens to logits: embedding; for each layer a norm, attention of which a
// key serves several heads, a second norm and a gated feed-forward part; a last
// norm and the output. It has two forms:
//
// * a sequence: tokens [1, N] give logits [1, N, vocabulary]; a token sees
//   itself and those before it.
// * decode: a token [1, 1] gives logits [1, 1, vocabulary]. Keys and values of
//   the tokens before it are state, and so is its position, a number that
//   counts. The caches are windows: the last position is the newest token's.
//
//   LlamaForm form{.cache = 256};
//   auto graph = buildLlama(params, weights, form, "story.gguf");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_LLAMAGRAPH_H
#define YARROW_PARSER_GGUF_LLAMAGRAPH_H

#include "parser/gguf/LlamaWeights.h"

namespace yarrow::gguf {

struct LlamaForm {
  /// Of a sequence; 0: decode.
  std::int64_t steps = 0;
  /// Positions that keys and values are kept for; of decode.
  std::int64_t cache = 0;
};

/// Of sizes and weights that were checked.
std::unique_ptr<graph::Graph> buildLlama(const LlamaParams &params,
                                         const LlamaWeights &weights,
                                         const LlamaForm &form,
                                         const std::string &path);

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_LLAMAGRAPH_H
