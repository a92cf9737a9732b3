//===- TokenSamples.cpp - Texts as samples of one token -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/TokenSamples.h"
#include "support/diagnostics/Files.h"

using namespace yarrow;

/// Tokens \p first to \p first + \p count of each text, a sample each.
static NpyView tokensOf(const std::string &name,
                        const std::vector<int64_t> &tokens, int64_t numTexts,
                        int64_t first, int64_t count) {
  auto length = int64_t(tokens.size()) / numTexts;
  auto samples = std::make_shared<std::vector<int64_t>>();
  samples->reserve(std::size_t(numTexts * count));
  for (int64_t text = 0; text < numTexts; ++text) {
    auto from = tokens.begin() + text * length + first;
    samples->insert(samples->end(), from, from + count);
  }
  NpyView view;
  view.type = NpyType::Int64;
  view.shape = {int64_t(samples->size()), 1};
  view.numElements = samples->size();
  view.data = samples->data();
  view.name = name;
  view.owner = std::move(samples);
  return view;
}

std::optional<TokenSamples> yarrow::tokenSamples(const NpyView &texts,
                                                 DiagnosticEngine &diags) {
  std::size_t rank = texts.shape.size();
  if (texts.isFloat() || (rank != 1 && rank != 2) || texts.shape.back() < 2 ||
      texts.shape.front() < 1) {
    diags
        .report(diag::TensorMismatch, {texts.name},
                "the array does not hold texts")
        .found(texts.str())
        .expected("integers [texts,length] or [length], with a length of 2 or "
                  "more");
    return std::nullopt;
  }
  int64_t numTexts = rank == 2 ? texts.shape[0] : 1;
  int64_t runs = texts.shape.back() - 1;
  std::vector<int64_t> tokens = texts.toIntegers();
  TokenSamples samples{tokensOf(texts.name, tokens, numTexts, 0, runs),
                       tokensOf(texts.name, tokens, numTexts, 1, runs)};
  samples.tokens.sequenceRuns = std::size_t(runs);
  return samples;
}
