//===- Scoring.h - Metrics over samples of a test ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Samples samples;
//   samples.add({{{3, 1, 2}, {3}}}, {{{0}, {}}});
//   EXPECT_EQ(samples.score("TopKMetric"), 1);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SCORES_SCORING_H
#define YARROW_TEST_UNIT_SCORES_SCORING_H

#include "quantizer/scores/Score.h"
#include "gtest/gtest.h"

#include <cmath>
#include <list>

namespace yarrow {

struct TestTensor {
  std::vector<float> values;
  ScoreShape shape;
};

class Samples {
public:
  void add(std::vector<TestTensor> outputs, std::vector<TestTensor> labels) {
    all.push_back({std::move(outputs), std::move(labels)});
  }

  /// NaN after errors, which lie in `problem`.
  double score(const std::string &name,
               const std::vector<std::string> &arguments = {},
               const std::string &folder = "") {
    ScoreProblem wrong;
    auto request = ScoreRequest::read(name, arguments, folder, wrong);
    if (!request) {
      problem = wrong.message + "; " + wrong.expected;
      return std::nan("");
    }
    std::unique_ptr<Score> score = request->make();
    ScoreContext context{"int", all.size(), {}, {}, labelArrays};
    for (const TestTensor &t : all.front().outputs)
      context.outputs.push_back(t.shape);
    for (const TestTensor &t : all.front().labels)
      context.labels.push_back(t.shape);
    problem = score->misfit(context);
    if (!problem.empty())
      return std::nan("");
    score->begin(context);
    for (const Sample &s : all)
      score->add(score->observe({views(s.outputs), views(s.labels)}));
    std::optional<double> value = score->result(diags);
    byOutput = score->resultByOutput();
    return value.value_or(std::nan(""));
  }

  std::string problem;
  std::vector<double> byOutput;
  std::vector<NpyView> labelArrays;
  std::shared_ptr<DiagnosticEngine> engine =
      std::make_shared<DiagnosticEngine>();
  DiagnosticEngine &diags = *engine;

private:
  struct Sample {
    std::vector<TestTensor> outputs, labels;
  };
  static std::vector<ScoredTensor> views(const std::vector<TestTensor> &from) {
    std::vector<ScoredTensor> views;
    for (const TestTensor &t : from)
      views.push_back({t.values, t.shape});
    return views;
  }
  std::list<Sample> all;
};

} // namespace yarrow

#endif // YARROW_TEST_UNIT_SCORES_SCORING_H
