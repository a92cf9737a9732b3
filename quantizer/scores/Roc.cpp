//===- Roc.cpp - Same face or another one ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Samples come as a0 b0 a1 b1 ..., then the same mirrored; the label of pair i
// is at index i. An embedding is the sum of both, of length 1. A pair is the
// same if its squared distance is below a threshold; for each fold of the pairs
// that threshold out of 0, 0.01, ... 3.99 is taken that is best for the others.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Makers.h"
#include "quantizer/scores/MeanScore.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

namespace {

class Roc : public Score {
public:
  explicit Roc(std::size_t folds) : folds(folds) {}

  std::string misfit(const ScoreContext &context) const override {
    if (context.samples < 8 * folds)
      return "two pairs for each of " + std::to_string(folds) +
             " folds, and the same mirrored: " + std::to_string(8 * folds) +
             " samples";
    return expectLabel(context, 1);
  }
  std::vector<double> observe(const ScoredSample &sample) const override {
    std::vector<double> seen = {sample.labels[0].values[0]};
    seen.insert(seen.end(), sample.outputs[0].values.begin(),
                sample.outputs[0].values.end());
    return seen;
  }
  void add(std::span<const double> observation) override {
    labels.push_back(observation[0] != 0);
    embeddings.emplace_back(observation.begin() + 1, observation.end());
  }
  std::optional<double> result(DiagnosticEngine &) override {
    std::size_t pairs = embeddings.size() / 4;
    std::vector<double> distances;
    for (std::size_t i = 0; i < pairs; ++i)
      distances.push_back(distance(joined(2 * i), joined(2 * i + 1)));
    double sum = 0;
    std::size_t begin = 0;
    for (std::size_t f = 0; f < folds; ++f) {
      std::size_t end = begin + pairs / folds + (f < pairs % folds);
      sum += accuracyOfFold(distances, begin, end);
      begin = end;
    }
    return sum / double(folds);
  }

private:
  std::vector<double> joined(std::size_t i) const {
    std::vector<double> sum = embeddings[i];
    const std::vector<double> &mirrored = embeddings[i + embeddings.size() / 2];
    double squares = 0;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k] += mirrored[k];
      squares += sum[k] * sum[k];
    }
    for (double &v : sum)
      v /= std::sqrt(squares);
    return sum;
  }
  static double distance(const std::vector<double> &a,
                         const std::vector<double> &b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
      sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
  }

  double accuracyOfFold(const std::vector<double> &distances, std::size_t begin,
                        std::size_t end) const {
    auto right = [&](double threshold, std::size_t from, std::size_t to) {
      std::size_t count = 0;
      for (std::size_t i = from; i < to; ++i)
        count += (distances[i] < threshold) == labels[i];
      return count;
    };
    double best = 0;
    std::size_t mostRight = 0;
    for (int step = 0; step < 400; ++step) {
      std::size_t count = right(step * 0.01, 0, begin) +
                          right(step * 0.01, end, distances.size());
      if (count > mostRight || step == 0) {
        mostRight = count;
        best = step * 0.01;
      }
    }
    return double(right(best, begin, end)) / double(end - begin);
  }

  std::size_t folds;
  std::vector<bool> labels;
  std::vector<std::vector<double>> embeddings;
};

} // namespace

std::unique_ptr<Score> scores::makeRoc(ScoreArguments &arguments) {
  return std::make_unique<Roc>(
      std::size_t(arguments.integer("folds", 10, 2, 1000)));
}
