//===- Texts.cpp - Metrics of networks that read speech and writing -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Makers.h"
#include "quantizer/scores/MeanScore.h"

#include <algorithm>
#include <numeric>

using namespace yarrow;

namespace {

using Values = std::span<const float>;

/// Insertions, deletions and substitutions that turn one into the other.
std::size_t editDistance(const std::vector<float> &a, Values b) {
  std::vector<std::size_t> line(b.size() + 1);
  std::iota(line.begin(), line.end(), std::size_t(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = line[0];
    line[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = line[j + 1];
      line[j + 1] = std::min({line[j] + 1, diagonal + 1, substituted});
    }
  }
  return line.back();
}

class WordErrors : public MeanScore {
public:
  explicit WordErrors(std::optional<int64_t> end) : end(end) {}

  std::string misfit(const ScoreContext &context) const override {
    return expectLengths(context);
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    Values output = sample.outputs[0].values, label = sample.labels[0].values;
    float left = end ? float(*end) : output.empty() ? 0 : output.back();
    std::vector<float> words;
    for (float v : output)
      if (v != left)
        words.push_back(v);
    double length = std::clamp(double(sample.labels[1].values[0]), 0.0,
                               double(label.size()));
    Values wanted = label.first(std::size_t(length));
    return {double(editDistance(words, wanted)) / double(wanted.size())};
  }

private:
  std::optional<int64_t> end;
};

class Ocr : public MeanScore {
public:
  std::string misfit(const ScoreContext &context) const override {
    if (context.outputs[0].size() != 2)
      return "an output [steps,characters]";
    return context.labels.empty() ? "the characters' numbers of each sample"
                                  : "";
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    const ScoredTensor &output = sample.outputs[0];
    std::vector<float> read, wanted;
    std::size_t characters = std::size_t(output.shape[1]), before = 0;
    for (std::size_t step = 0; step < std::size_t(output.shape[0]); ++step) {
      std::size_t best =
          argmax(output.values.subspan(step * characters, characters));
      if (best != 0 && (step == 0 || best != before))
        read.push_back(float(best));
      before = best;
    }
    for (float v : sample.labels[0].values)
      if (v != 0)
        wanted.push_back(v);
    return {double(read == wanted)};
  }
};

} // namespace

std::unique_ptr<Score> scores::makeWordErrors(ScoreArguments &arguments) {
  return std::make_unique<WordErrors>(arguments.optionalInteger("EOF"));
}

std::unique_ptr<Score> scores::makeOcr(ScoreArguments &) {
  return std::make_unique<Ocr>();
}
