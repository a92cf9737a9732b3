//===- Vocabulary.h - The tokens of a GGUF model ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The texts of a model's tokens with their scores and kinds, from the values
// tokenizer.ggml.* of its file. They are copied: the file can be closed.
//
//   auto vocabulary = readVocabulary(container, path, diags);
//   vocabulary->texts[vocabulary->end]; // "</s>"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_VOCABULARY_H
#define YARROW_PARSER_GGUF_VOCABULARY_H

#include "parser/gguf/Container.h"

namespace yarrow::gguf {

/// As the files number them.
enum class TokenKind : std::int32_t {
  Normal = 1,
  Unknown,
  Control, ///< Begin and end of a text: without a text of its own.
  UserDefined,
  Unused,
  Byte ///< "<0x0A>": one byte of a letter that is not a token.
};

struct Vocabulary {
  std::vector<std::string> texts;
  std::vector<float> scores;
  std::vector<TokenKind> kinds;
  std::int32_t begin = 1, end = 2, unknown = 0;
  bool addsBegin = true; ///< A text begins with the token `begin`.
  bool addsSpace = true; ///< And with a space.
};

/// Nullopt after errors: no vocabulary, or one of another kind of tokenizer.
std::optional<Vocabulary> readVocabulary(const Container &container,
                                         const std::string &path,
                                         DiagnosticEngine &diags);

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_VOCABULARY_H
