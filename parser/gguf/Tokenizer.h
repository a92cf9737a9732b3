//===- Tokenizer.h - Texts as tokens, and back ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Pieces with scores, as SentencePiece's byte-pair encoding has them: a text
// starts as its letters, with a space as U+2581. Neighbours whose letters
// together are a token are joined, the pair of the highest score first and the
// first of equal ones, until no pair is a token. A letter that is not a token
// then becomes the tokens of its bytes.
//
//   Tokenizer tokenizer(vocabulary);
//   std::vector<std::int32_t> ids = tokenizer.encode("Once upon a time");
//   tokenizer.textOf(ids[1]); // " Once"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_TOKENIZER_H
#define YARROW_PARSER_GGUF_TOKENIZER_H

#include "parser/gguf/Vocabulary.h"

#include <array>
#include <unordered_map>

namespace yarrow::gguf {

class Tokenizer {
public:
  explicit Tokenizer(Vocabulary vocabulary);

  const Vocabulary &tokens() const { return vocabulary; }
  /// With the token that begins a text, if the model wants it. Any bytes can be
  /// encoded.
  std::vector<std::int32_t> encode(std::string_view text) const;
  /// Bytes, which need not be whole letters; none of a control token.
  std::string textOf(std::int32_t token) const;

private:
  struct Merger;
  /// -1 of what is not a token.
  std::int32_t find(const std::string &text) const;
  void addPiece(std::string_view piece, std::vector<std::int32_t> &to) const;

  Vocabulary vocabulary;
  std::unordered_map<std::string, std::int32_t> idOf;
  std::array<std::int32_t, 256> byteTokens; ///< -1: not in the vocabulary.
};

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_TOKENIZER_H
