//===- LlamaWeights.h - The tensors of a llama ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds the tensors that a llama of given sizes has, and checks their types and
// shapes. Values of 32 bits stay in the file; others become floats. All that
// are missing, wrong or too many are reported.
//
//   LlamaWeights weights(container, path, owner);
//   if (!weights.check(params, diags)) return nullptr;
//   graph::Constant query = weights.constant("blk.0.attn_q.weight");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_LLAMAWEIGHTS_H
#define YARROW_PARSER_GGUF_LLAMAWEIGHTS_H

#include "parser/gguf/LlamaParams.h"

namespace yarrow::gguf {

class LlamaWeights {
public:
  /// \p owner keeps the bytes of the container.
  LlamaWeights(const Container &container, const std::string &path,
               std::shared_ptr<const void> owner);

  /// Gives \p params the number of tokens if the file does not state it. False
  /// after errors.
  bool check(LlamaParams &params, DiagnosticEngine &diags);

  bool has(const std::string &name) const { return entries.contains(name); }
  /// Of a tensor that is there and was checked.
  graph::Constant constant(const std::string &name) const;

private:
  class Checker;

  const std::string &path;
  std::shared_ptr<const void> owner;
  std::map<std::string_view, const TensorEntry *> entries;
};

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_LLAMAWEIGHTS_H
