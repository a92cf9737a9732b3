//===- Generate.cpp - A text, token by token ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/generate/Generate.h"
#include "support/Format.h"
#include "support/diagnostics/Generate.h"

using namespace yarrow;

static bool checkPrompt(const TokenModel &model,
                        const std::vector<std::int32_t> &prompt,
                        DiagnosticEngine &diags) {
  auto positions = model.numPositions();
  if (prompt.empty() || (positions && prompt.size() > *positions)) {
    diags
        .report(diag::GeneratePrompt, {"--prompt"},
                prompt.empty() ? "the prompt has no tokens"
                               : "the prompt is longer than the cache")
        .found(formatCount(prompt.size()) + " tokens")
        .expected("1 token or more" +
                  (positions ? ", at most " + formatCount(*positions) : ""));
    return false;
  }
  for (std::int32_t token : prompt)
    if (token < 0 || std::size_t(token) >= model.numTokens()) {
      diags
          .report(diag::GeneratePrompt, {"--prompt-tokens"},
                  "the vocabulary does not have a token of the prompt")
          .found(std::to_string(token))
          .expected("numbers from 0 to " + formatCount(model.numTokens() - 1));
      return false;
    }
  return true;
}

std::optional<std::vector<std::int32_t>> yarrow::generate(
    TokenModel &model, const gguf::Tokenizer &tokenizer,
    const std::vector<std::int32_t> &prompt, const GenerateOptions &options,
    const std::function<void(std::string_view)> &say, DiagnosticEngine &diags) {
  if (!checkPrompt(model, prompt, diags))
    return std::nullopt;
  std::vector<float> logits;
  for (std::int32_t token : prompt)
    if (!model.step(token, logits, diags))
      return std::nullopt;
  Sampler sampler(options.sampler);
  const gguf::Vocabulary &vocabulary = tokenizer.tokens();
  std::vector<std::int32_t> made;
  while (made.size() < options.count) {
    std::int32_t token = sampler.choose(logits);
    // Where another text would begin, this one has ended.
    if (token == vocabulary.end || token == vocabulary.begin)
      break;
    made.push_back(token);
    say(tokenizer.textOf(token));
    if (made.size() == options.count)
      break;
    std::size_t used = prompt.size() + made.size() - 1;
    if (model.numPositions() && used == *model.numPositions()) {
      diags
          .report(diag::GenerateCacheFull, {},
                  "the text ends where the cache is full")
          .found(formatCount(made.size()) + " tokens")
          .expected(formatCount(options.count));
      break;
    }
    if (!model.step(token, logits, diags))
      return std::nullopt;
  }
  return made;
}
