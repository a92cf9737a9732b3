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

bool Generation::begin(const std::vector<std::int32_t> &prompt,
                       DiagnosticEngine &diags) {
  if (!checkPrompt(model, prompt, diags))
    return false;
  for (std::int32_t token : prompt)
    if (!model.step(token, logits, diags))
      return false;
  numRead = prompt.size();
  return true;
}

bool Generation::readLast(DiagnosticEngine &diags) {
  if (model.numPositions() && numRead == *model.numPositions()) {
    diags
        .report(diag::GenerateCacheFull, {},
                "the text ends where the cache is full")
        .found(formatCount(made) + " tokens")
        .expected(formatCount(options.count));
    return false;
  }
  ++numRead;
  return model.step(*last, logits, diags);
}

std::optional<std::int32_t> Generation::next(DiagnosticEngine &diags) {
  if (isEnded || made == options.count)
    return std::nullopt;
  isEnded = true; // unless a token comes
  if (last && !readLast(diags))
    return std::nullopt;
  std::int32_t token = sampler.choose(logits);
  // Where another text would begin, this one has ended.
  if (token == vocabulary.end || token == vocabulary.begin)
    return std::nullopt;
  ++made;
  isEnded = false;
  return last = token;
}
