//===- LanguageModel.h - A vocabulary and a network -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The two parts that a text needs: the vocabulary, which a GGUF file has, and a
// network that decodes: that of the file in floats, another one, or an
// executable.
//
//   auto words = readTextVocabulary("story.gguf", diags);
//   auto network = loadInFloats(*words, 256, call);
//   auto model = network ? openNetwork(network, diags) : nullptr;
//   if (!model || !fits(*words, *model, diags)) return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_GENERATE_LANGUAGEMODEL_H
#define YARROW_COMPILER_GENERATE_LANGUAGEMODEL_H

#include "compiler/generate/TokenModel.h"
#include "parser/gguf/Tokenizer.h"

namespace yarrow {

struct TextVocabulary {
  std::string path; ///< Of the GGUF file.
  gguf::Tokenizer tokenizer;
  std::size_t numPositions; ///< The model's longest text, 1 or more.
};

/// Nullopt after errors.
std::optional<TextVocabulary> readTextVocabulary(const std::string &path,
                                                 DiagnosticEngine &diags);

/// The network of the file, with a cache for \p positions, at most the model's.
/// Null after errors.
std::shared_ptr<const session::Network>
loadInFloats(const TextVocabulary &words, std::size_t positions,
             const session::Call &call);

/// Whether the network has a logit for each token; else GenerateForm.
bool fits(const TextVocabulary &words, const TokenModel &model,
          DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_GENERATE_LANGUAGEMODEL_H
