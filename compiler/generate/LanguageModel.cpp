//===- LanguageModel.cpp - A vocabulary and a network ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/generate/LanguageModel.h"
#include "support/Format.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Generate.h"

#include <algorithm>

using namespace yarrow;

std::optional<TextVocabulary>
yarrow::readTextVocabulary(const std::string &path, DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  auto container =
      file ? gguf::parseContainer(file->bytes(), path, diags) : std::nullopt;
  auto vocabulary =
      container ? gguf::readVocabulary(*container, path, diags) : std::nullopt;
  if (!vocabulary)
    return std::nullopt;
  const gguf::Value *length = container->find("llama.context_length");
  bool isLength = length && length->isInteger() && !length->isArray &&
                  length->integerAt(0) > 0;
  return TextVocabulary{path, gguf::Tokenizer(std::move(*vocabulary)),
                        isLength ? std::size_t(length->integerAt(0)) : 1};
}

std::shared_ptr<const session::Network>
yarrow::loadInFloats(const TextVocabulary &words, std::size_t positions,
                     const session::Call &call) {
  session::ModelSource source;
  source.use = session::LoadFor::Execution;
  source.path = words.path;
  source.shapes = {"cache=" +
                   std::to_string(std::min(positions, words.numPositions))};
  return session::load(source, call);
}

bool yarrow::fits(const TextVocabulary &words, const TokenModel &model,
                  DiagnosticEngine &diags) {
  std::size_t numTexts = words.tokenizer.tokens().texts.size();
  if (model.numTokens() == numTexts)
    return true;
  diags
      .report(diag::GenerateForm, {words.path},
              "the network has another vocabulary than the model")
      .found(formatCount(model.numTokens()) + " logits")
      .expected(formatCount(numTexts));
  return false;
}
