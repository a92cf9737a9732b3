//===- Generate.h - A text, token by token ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Gives a model the tokens of a prompt, and then those that it makes likely.
//
//   auto done = generate(*model, tokenizer, prompt, {.count = 200},
//                        [&](std::string_view text) { os << text; }, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_GENERATE_GENERATE_H
#define YARROW_COMPILER_GENERATE_GENERATE_H

#include "compiler/generate/Sampler.h"
#include "compiler/generate/TokenModel.h"
#include "parser/gguf/Tokenizer.h"

#include <functional>

namespace yarrow {

struct GenerateOptions {
  std::size_t count = 200; ///< Of tokens, at most.
  SamplerOptions sampler = {};
};

/// The tokens that were made, without the one that ends the text. Nullopt
/// after errors: a prompt that is empty, too long, or has a token that the
/// vocabulary does not have. \p say gets the text of each token when it comes.
std::optional<std::vector<std::int32_t>> generate(
    TokenModel &model, const gguf::Tokenizer &tokenizer,
    const std::vector<std::int32_t> &prompt, const GenerateOptions &options,
    const std::function<void(std::string_view)> &say, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_GENERATE_GENERATE_H
