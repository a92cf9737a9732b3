//===- TextGenerator.h - Texts of a language model, for Python --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A vocabulary and a network that makes texts with it (compiler/generate), one
// at a time.
//
//   TextGenerator texts("story.gguf", nullptr, executable, {});
//   texts.begin("Once", {}, {.count = 100});
//   while (auto token = texts.next()) ...
//
// All functions are called with the GIL and give it back while they compute.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PYTHON_NATIVE_TEXTGENERATOR_H
#define YARROW_PYTHON_NATIVE_TEXTGENERATOR_H

#include "compiler/generate/Generate.h"
#include "compiler/generate/LanguageModel.h"
#include "python/native/Executable.h"
#include "python/native/Model.h"

#include <mutex>

namespace yarrow::python {

class TextGenerator {
public:
  /// Of the model, else of the executable, else of the file's network in floats
  /// with a cache for \p positions (0: as many as the model has).
  TextGenerator(const std::string &path, const std::shared_ptr<Model> &model,
                const std::shared_ptr<Executable> &executable,
                std::size_t positions, uint64_t budget);

  /// Forgets the text so far and reads a prompt, of tokens if \p isTokens. The
  /// number of its tokens.
  std::size_t begin(const std::string &text,
                    const std::vector<std::int32_t> &tokens, bool isTokens,
                    const GenerateOptions &options);
  /// Nullopt where the text has ended.
  std::optional<std::int32_t> next();
  /// Bytes, which need not be whole letters. Throws Raised if the vocabulary
  /// does not have the token.
  std::string textOf(std::int32_t token) const;
  std::vector<std::int32_t> encode(const std::string &text) const {
    return words.tokenizer.encode(text);
  }
  /// What the steps so far cost a machine; "null" on the host.
  std::string costsJson() const;
  /// Of the text so far.
  std::string diagnosticsJson() const;

private:
  TextVocabulary words;
  std::unique_ptr<TokenModel> model;
  std::optional<Generation> text;
  std::unique_ptr<DiagnosticEngine> textDiags; ///< Never null.
  mutable std::mutex mutex;
};

} // namespace yarrow::python

#endif // YARROW_PYTHON_NATIVE_TEXTGENERATOR_H
