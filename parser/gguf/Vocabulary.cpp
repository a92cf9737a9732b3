//===- Vocabulary.cpp - The tokens of a GGUF model ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/Vocabulary.h"
#include "support/Format.h"
#include "support/diagnostics/Generate.h"

using namespace yarrow;
using namespace yarrow::gguf;

namespace {

class VocabularyReader {
public:
  VocabularyReader(const Container &container, const std::string &path,
                   DiagnosticEngine &diags)
      : container(container), path(path), diags(diags) {}

  std::optional<Vocabulary> read() {
    const Value *model = find("model");
    bool isText = model && model->type == ValueType::String && !model->isArray;
    if (!isText || model->texts[0] != "llama") {
      problem("the tokenizer of the model is not supported")
          .found(model ? model->describe() : "no tokenizer.ggml.model")
          .expected("tokenizer.ggml.model 'llama': pieces with scores, as of "
                    "SentencePiece");
      return std::nullopt;
    }
    const Value *texts = list("tokens", /*isText=*/true),
                *scores = list("scores", false),
                *kinds = list("token_type", false);
    if (!texts || !scores || !kinds)
      return std::nullopt;
    take(*texts, *scores, *kinds);
    readIds();
    vocabulary.addsBegin = flag("add_bos_token");
    vocabulary.addsSpace = flag("add_space_prefix");
    if (!ok)
      return std::nullopt;
    return std::move(vocabulary);
  }

private:
  Diagnostic &problem(const std::string &message) {
    ok = false;
    return diags.report(diag::GenerateVocabulary, {path}, message);
  }

  const Value *find(const std::string &key) const {
    return container.find("tokenizer.ggml." + key);
  }

  /// One element for each token; null after an error.
  const Value *list(const std::string &key, bool isText) {
    constexpr std::uint64_t kMost = 1 << 24;
    const Value *value = find(key);
    bool isOfType = value && value->isArray &&
                    (isText ? value->type == ValueType::String
                            : value->isInteger() || value->isFloat());
    std::uint64_t count = value ? value->count : 0;
    if (isText && isOfType)
      numTokens = count;
    if (isOfType && count > 0 && count <= kMost && count == numTokens)
      return value;
    problem("the value tokenizer.ggml." + key + " is not valid")
        .found(value ? value->describe() : "no such key")
        .expected(isText || numTokens == 0
                      ? "an array with an element for each token"
                      : "an array of " + formatCount(numTokens) + " numbers");
    return nullptr;
  }

  void take(const Value &texts, const Value &scores, const Value &kinds) {
    for (std::size_t i = 0; i < numTokens; ++i) {
      vocabulary.texts.emplace_back(texts.texts[i]);
      vocabulary.scores.push_back(float(scores.numberAt(i)));
      vocabulary.kinds.push_back(TokenKind(kinds.integerAt(i)));
    }
  }

  void readIds() {
    vocabulary.begin = id("bos_token_id", vocabulary.begin);
    vocabulary.end = id("eos_token_id", vocabulary.end);
    vocabulary.unknown = id("unknown_token_id", vocabulary.unknown);
  }

  std::int32_t id(const std::string &key, std::int32_t fallback) {
    const Value *value = find(key);
    bool isNumber = value && value->isInteger() && !value->isArray;
    std::int64_t given = isNumber ? value->integerAt(0) : value ? -1 : fallback;
    if (given >= 0 && std::uint64_t(given) < numTokens)
      return std::int32_t(given);
    problem("the value tokenizer.ggml." + key + " is outside of the vocabulary")
        .found(value ? value->describe() : std::to_string(given))
        .expected("a number from 0 to " + formatCount(numTokens - 1));
    return 0;
  }

  bool flag(const std::string &key) const {
    const Value *value = find(key);
    return !value || value->type != ValueType::Bool || value->isArray ||
           value->integerAt(0) != 0;
  }

  const Container &container;
  const std::string &path;
  DiagnosticEngine &diags;
  Vocabulary vocabulary;
  std::uint64_t numTokens = 0;
  bool ok = true;
};

} // namespace

std::optional<Vocabulary> gguf::readVocabulary(const Container &container,
                                               const std::string &path,
                                               DiagnosticEngine &diags) {
  return VocabularyReader(container, path, diags).read();
}
