//===- Score.h - What a network is worth on labelled samples ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One figure of a network over a data set: a metric, by the names of the
// Compass Optimizer (Scores.def). Samples are observed on several threads and
// in several processes; what was seen of each, a few numbers, is added in the
// order of the samples, so that sums do not depend on threads and processes.
//
//   ScoreProblem problem;
//   auto request = ScoreRequest::read("TopKMetric", {"5"}, folder, problem);
//   std::unique_ptr<Score> top5 = request->make({.network = "int", ...});
//   for (const ScoredSample &sample : samples)
//     top5->add(top5->observe(sample));
//   std::optional<double> share = top5->result(diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_SCORES_SCORE_H
#define YARROW_QUANTIZER_SCORES_SCORE_H

#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

using ScoreShape = std::vector<int64_t>;

/// Of one sample: no axis of the batch.
struct ScoredTensor {
  std::span<const float> values;
  std::span<const int64_t> shape;
};

/// What a network gave for one sample, and what was expected of it.
struct ScoredSample {
  std::vector<ScoredTensor> outputs, labels;
};

/// What is known before the first sample.
struct ScoreContext {
  std::string network; ///< "float", "int", "npu", for files and messages.
  std::size_t samples = 0;
  std::vector<ScoreShape> outputs, labels; ///< Shapes of one sample.
  std::vector<NpyView> labelArrays;
};

class Score {
public:
  virtual ~Score() = default;
  /// What is expected of outputs and labels, if those of \p context are other
  /// ones; else "".
  virtual std::string misfit(const ScoreContext &context) const = 0;
  /// Once, before the first sample is added.
  virtual void begin(const ScoreContext &) {}
  /// May be called from several threads.
  virtual std::vector<double> observe(const ScoredSample &sample) const = 0;
  /// In the order of the samples.
  virtual void add(std::span<const double> observation) = 0;
  /// nullopt after errors; may be no number, for samples that have no figure.
  virtual std::optional<double> result(DiagnosticEngine &diags) = 0;
  /// The same of each output, for metrics that look at them one by one.
  virtual std::vector<double> resultByOutput() const { return {}; }
};

/// Why a metric cannot be had.
struct ScoreProblem {
  std::string message, found, expected, hint;
  bool isUnknown = false; ///< A name that nobody knows.
};

class ScoreArguments;

/// A line of Scores.def.
struct ScoreRecord {
  std::string_view name, arguments, doc;
  bool needsLabels;
  /// Null for metrics of one task, which a program of the user's computes.
  std::unique_ptr<Score> (*make)(ScoreArguments &arguments);
};
std::span<const ScoreRecord> scoreRecords();

/// A metric that a user asked for.
class ScoreRequest {
public:
  /// \p name without regard to case. Paths begin at \p folder. nullopt with
  /// \p problem.
  static std::optional<ScoreRequest>
  read(const std::string &name, const std::vector<std::string> &arguments,
       const std::string &folder, ScoreProblem &problem);

  /// As it was written: "TopKMetric(5)".
  const std::string &text() const { return spelling; }
  bool needsLabels() const { return record->needsLabels; }
  std::unique_ptr<Score> make() const;

private:
  const ScoreRecord *record = nullptr;
  std::vector<std::string> arguments;
  std::string folder, spelling;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_SCORES_SCORE_H
