//===- MeanScore.h - Metrics that are means over samples --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Most metrics are: of one number per sample, or of one for each output.
//
//   class Hits : public MeanScore {
//     std::vector<double> observe(const ScoredSample &s) const override {
//       return {isRight(s) ? 1.0 : 0.0};
//     }
//   };
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_SCORES_MEANSCORE_H
#define YARROW_QUANTIZER_SCORES_MEANSCORE_H

#include "quantizer/scores/Score.h"

namespace yarrow {

class MeanScore : public Score {
public:
  void add(std::span<const double> observation) override {
    sums.resize(observation.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += observation[i];
    ++count;
  }
  std::optional<double> result(DiagnosticEngine &) override { return mean(); }

protected:
  /// Of all numbers: every output counts alike.
  double mean() const {
    double sum = 0;
    for (double s : sums)
      sum += s / double(count);
    return sum / double(sums.size());
  }
  std::vector<double> meanOfEach() const {
    std::vector<double> means;
    for (double s : sums)
      means.push_back(s / double(count));
    return means;
  }

private:
  std::vector<double> sums;
  std::size_t count = 0;
};

/// Elements of a tensor of \p shape.
std::size_t countOf(std::span<const int64_t> shape);
/// The first of the largest values.
std::size_t argmax(std::span<const float> values);
/// The \p k largest values' indices as torch.topk gives them on a CPU: those
/// with equal values are the ones that C++'s selection leaves in front.
std::vector<std::size_t> torchTopK(std::span<const float> values,
                                   std::size_t k);

// What metrics expect, "" if it is so.
/// A label of \p count elements for each sample.
std::string expectLabel(const ScoreContext &context, std::size_t count);
/// As many labels as outputs, each with as many elements.
std::string expectLabelsLikeOutputs(const ScoreContext &context);
/// Two labels: values, and how many of them count.
std::string expectLengths(const ScoreContext &context);

} // namespace yarrow

#endif // YARROW_QUANTIZER_SCORES_MEANSCORE_H
