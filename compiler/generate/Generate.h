//===- Generate.h - A text, token by token ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Gives a model the tokens of a prompt, and then those that it makes likely.
//
//   Generation text(*model, tokenizer, {.count = 200});
//   if (!text.begin(prompt, diags)) return false;
//   while (auto token = text.next(diags))
//     os << tokenizer.textOf(*token);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_GENERATE_GENERATE_H
#define YARROW_COMPILER_GENERATE_GENERATE_H

#include "compiler/generate/Sampler.h"
#include "compiler/generate/TokenModel.h"
#include "parser/gguf/Tokenizer.h"

namespace yarrow {

struct GenerateOptions {
  std::size_t count = 200; ///< Of tokens, at most.
  SamplerOptions sampler = {};
};

/// One text. The model, which must live longer, has none other meanwhile.
class Generation {
public:
  Generation(TokenModel &model, const gguf::Tokenizer &tokenizer,
             const GenerateOptions &options)
      : model(model), vocabulary(tokenizer.tokens()), options(options),
        sampler(options.sampler) {}

  /// Reads the prompt. False after errors: one that is empty, too long, or has
  /// a token that the vocabulary does not have.
  bool begin(const std::vector<std::int32_t> &prompt, DiagnosticEngine &diags);
  /// The next token. Nullopt where the text ends, by the model, by the options
  /// or by the cache (GenerateCacheFull), and after errors.
  std::optional<std::int32_t> next(DiagnosticEngine &diags);

  std::size_t numMade() const { return made; }

private:
  /// False where the cache is full, and after errors.
  bool readLast(DiagnosticEngine &diags);

  TokenModel &model;
  const gguf::Vocabulary &vocabulary;
  GenerateOptions options;
  Sampler sampler;
  std::vector<float> logits;        ///< Of the token behind what was read.
  std::size_t numRead = 0;          ///< Tokens that the cache holds.
  std::optional<std::int32_t> last; ///< Made, and not read yet.
  std::size_t made = 0;
  bool isEnded = false;
};

} // namespace yarrow

#endif // YARROW_COMPILER_GENERATE_GENERATE_H
