//===- Classes.cpp - Metrics of networks that choose a class --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Makers.h"
#include "quantizer/scores/MeanScore.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

namespace {

class TopK : public MeanScore {
public:
  TopK(std::size_t k, bool withArgmax) : k(k), withArgmax(withArgmax) {}

  std::string misfit(const ScoreContext &context) const override {
    return expectLabel(context, 1);
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    std::span<const float> scores = sample.outputs[0].values;
    float label = sample.labels[0].values[0];
    if (withArgmax)
      return {double(std::ranges::any_of(
          scores, [&](float v) { return std::trunc(v) == label; }))};
    return {
        double(std::ranges::any_of(torchTopK(scores, k), [&](std::size_t i) {
          return float(i) == label;
        }))};
  }

private:
  std::size_t k;
  bool withArgmax;
};

class KeywordSpotting : public MeanScore {
public:
  std::string misfit(const ScoreContext &context) const override {
    return expectLabel(context, countOf(context.outputs[0]));
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    return {double(torchTopK(sample.outputs[0].values, 1) ==
                   torchTopK(sample.labels[0].values, 1))};
  }
};

class Imdb : public MeanScore {
public:
  std::string misfit(const ScoreContext &context) const override {
    return expectLabel(context, 1);
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    std::size_t chosen = argmax(sample.outputs[0].values);
    return {double(chosen < 2 && float(chosen) == sample.labels[0].values[0])};
  }
};

class LmHead : public MeanScore {
public:
  std::string misfit(const ScoreContext &context) const override {
    if (context.outputs[0].empty() || countOf(context.outputs[0]) == 0)
      return "an output of logits, tokens along the last axis";
    return context.labels.empty() || countOf(context.labels[0]) == 0
               ? "the next token of each sample"
               : "";
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    const ScoredTensor &logits = sample.outputs[0];
    auto last = logits.values.last(std::size_t(logits.shape.back()));
    float token = sample.labels[0].values[0];
    if (!(token >= 0 && token < float(last.size())))
      return {std::nan("")};
    double largest = *std::ranges::max_element(last), sum = 0;
    for (float v : last)
      sum += std::exp(double(v) - largest);
    return {std::log(sum) + largest - double(last[std::size_t(token)])};
  }
  std::optional<double> result(DiagnosticEngine &) override {
    return std::exp(mean());
  }
};

} // namespace

std::unique_ptr<Score> scores::makeTopK(ScoreArguments &arguments) {
  int64_t k = arguments.integer("K", 1, 1, 1000000);
  return std::make_unique<TopK>(std::size_t(k),
                                arguments.boolean("with_argmax", false));
}

/// K is read and changes nothing, there as here: the largest one is compared.
std::unique_ptr<Score> scores::makeKeywordSpotting(ScoreArguments &arguments) {
  arguments.integer("K", 1, 1, 1000000);
  return std::make_unique<KeywordSpotting>();
}

std::unique_ptr<Score> scores::makeImdb(ScoreArguments &) {
  return std::make_unique<Imdb>();
}

std::unique_ptr<Score> scores::makeLmHead(ScoreArguments &) {
  return std::make_unique<LmHead>();
}
