//===- MeasureAccuracy.cpp - Float, integer and NPU side by side ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/Accuracy.h"

#include "quantizer/metrics/AccuracyRuns.h"
#include "support/Format.h"
#include "support/OrderedLoop.h"
#include "support/Packing.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;

namespace {

/// One of the networks, summed up over the runs.
struct Total {
  std::vector<uint64_t> hits;
  std::vector<Similarity> outputs;
  std::vector<DecisionSides> sides;
  std::vector<double> cosines; ///< Sums of those of runs, by output.
  Agreement agreement;
  ScoreRows answers;
  std::vector<std::unique_ptr<Score>> scores;

  void add(const RunScore &run) {
    hits.resize(run.hits.size());
    for (std::size_t k = 0; k < hits.size(); ++k)
      hits[k] += run.hits[k];
    outputs.resize(run.outputs.size());
    cosines.resize(run.outputs.size());
    sides.resize(run.outputs.size());
    for (std::size_t k = 0; k < run.outputs.size(); ++k) {
      outputs[k].merge(run.outputs[k]);
      cosines[k] += run.outputs[k].cosine();
      sides[k].merge(run.sides[k]);
    }
    agreement.merge(run.agreement);
    answers.merge(run.answers);
    for (std::size_t i = 0; !scores.empty() && i < run.observations.size(); ++i)
      scores[i % scores.size()]->add(run.observations[i]);
  }
};

class Measurement {
public:
  Measurement(const AccuracyTask &task, DiagnosticEngine &diags)
      : task(task), diags(diags), runs(task, diags) {}

  std::optional<AccuracyResult> measure() {
    if (!runs.create())
      return std::nullopt;
    if (task.ranks && task.npu && task.npu->keepsState()) {
      diags
          .report(diag::EvalData, {},
                  "a network that keeps a state runs its samples in order")
          .found(std::to_string(task.ranks->count()) + " processes")
          .expected("one");
      return std::nullopt;
    }
    for (const AccuracyRuns::Network &network : runs.networks) {
      Total &total = totals.emplace_back();
      if (task.ranks && !task.ranks->isFirst())
        continue; // the first process gives its figures to all
      for (const ScoreRequest &request : task.scores) {
        total.scores.push_back(request.make());
        total.scores.back()->begin(runs.contextOf(network));
      }
    }
    if (!(task.ranks ? runShared() : runAlone()))
      return std::nullopt;
    AccuracyResult result = summarize();
    bool ok = task.ranks ? finishShared(result) : finish(result);
    return ok ? std::optional(std::move(result)) : std::nullopt;
  }

private:
  bool runAlone() {
    // A device that keeps a state gets its samples in their order.
    bool isInOrder = task.npu && task.npu->keepsState();
    std::size_t window = isInOrder ? 1 : defaultWindow();
    std::vector<RunResult> results(window);
    return orderedLoop(
        runs.count, window,
        [&](std::size_t i) { return runs.run(i, results[i % window] = {}); },
        [&](std::size_t i) { return take(i, results[i % window]); });
  }

  /// In rounds, so that a bounded number of results is in memory; each process
  /// has a part of the round's runs, and all take them all, in their order.
  bool runShared() {
    constexpr std::size_t kRunsPerPart = 16;
    Ranks &ranks = *task.ranks;
    std::size_t taken = 0;
    while (taken < runs.count) {
      std::size_t begin =
          std::min(taken + ranks.rank() * kRunsPerPart, runs.count);
      std::size_t end = std::min(begin + kRunsPerPart, runs.count);
      std::vector<std::string> parts;
      if (!ranks.exchange(runPart(begin, end), parts))
        return reportRankStopped(diags);
      for (const std::string &part : parts)
        if (!takePart(part, taken))
          return false;
    }
    return true;
  }

  static constexpr std::size_t kNoRun = std::numeric_limits<std::size_t>::max();

  std::string runPart(std::size_t begin, std::size_t end) {
    std::vector<RunResult> results(end - begin);
    std::vector<char> hasFailed(end - begin);
    bool isDone = orderedLoop(
        end - begin, defaultWindow(),
        [&](std::size_t i) {
          hasFailed[i] = !runs.run(begin + i, results[i]);
          return !hasFailed[i];
        },
        [](std::size_t) { return true; });
    std::size_t failed = kNoRun;
    if (!isDone)
      failed = begin +
               std::size_t(std::ranges::find(hasFailed, 1) - hasFailed.begin());
    Packer out;
    out(task.ranks->rank())(failed);
    out(failed == kNoRun ? packed(results) : std::string());
    return std::move(out.bytes);
  }

  bool takePart(const std::string &part, std::size_t &taken) {
    std::size_t rank = 0, failed = kNoRun;
    std::string results;
    Unpacker(part)(rank)(failed)(results);
    if (failed != kNoRun) {
      // It fails here just so, and is told here.
      RunResult ignored;
      if (rank != task.ranks->rank())
        runs.run(failed, ignored);
      return false;
    }
    for (const RunResult &result : unpacked(results))
      if (!take(taken++, result))
        return false;
    return true;
  }

  /// Sums up in the order of the runs.
  bool take(std::size_t run, const RunResult &result) {
    if (task.progress)
      task.progress(run + 1, runs.count);
    for (std::size_t n = 0; n < totals.size(); ++n) {
      if (result.scores[n].bad)
        return reportBad(run, runs.networks[n], *result.scores[n].bad);
      totals[n].add(result.scores[n]);
    }
    comparedBytes += result.comparedBytes;
    differingBytes += result.differingBytes;
    runs.releaseBefore(run + 1);
    return true;
  }

  bool reportBad(std::size_t run, const AccuracyRuns::Network &network,
                 const RunScore::BadElement &bad) {
    const AccuracyRuns::Output &output = network.outputs[bad.output];
    diags
        .report(diag::EvalData, output.place,
                std::string("the results of ") + network.name +
                    " cannot be measured: output " + output.tensor +
                    " is not finite")
        .found(nonFiniteText(bad.value) + " at index " +
               std::to_string(bad.index) + " of sample " + std::to_string(run))
        .hint("the samples are finite: a layer divides by zero, takes the "
              "logarithm of zero, or exceeds float32");
    return false;
  }

  AccuracyRow rowOf(std::size_t n) const {
    const Total &total = totals[n];
    AccuracyRow row{runs.networks[n].name};
    bool isCompared = runs.hasReference() && n > 0;
    for (std::size_t k = 0; isCompared && k < total.outputs.size(); ++k)
      if (total.outputs[k].count)
        row.outputs.push_back(
            {runs.networks[0].outputs[k].tensor, total.outputs[k],
             total.cosines[k] / double(runs.count), total.sides[k]});
    bool hasAnswers = runs.hasClasses() || total.answers.areScores();
    if (isCompared && runs.mayHaveAnswers() && hasAnswers)
      row.agreement = total.agreement;
    if (task.labels.empty())
      return row;
    for (uint64_t hits : total.hits)
      row.topPercent.push_back(100.0 * double(hits) /
                               double(runs.count * runs.rowsPerRun));
    return row;
  }

  AccuracyResult summarize() const {
    AccuracyResult result;
    result.samples = runs.count * runs.rowsPerRun;
    result.topK = task.topK;
    for (const ScoreRequest &request : task.scores)
      result.scoreNames.push_back(request.text());
    if (runs.hasReference())
      result.reference = runs.networks[0].name;
    result.hasClasses = !task.labels.empty() && !task.topK.empty();
    for (std::size_t n = 0; n < totals.size(); ++n)
      result.rows.push_back(rowOf(n));
    result.comparedBytes = comparedBytes;
    result.differingBytes = differingBytes;
    return result;
  }

  /// The metrics' figures.
  bool finish(AccuracyResult &result) {
    bool ok = true;
    for (std::size_t n = 0; n < totals.size(); ++n)
      for (std::size_t s = 0; s < task.scores.size(); ++s) {
        Score &score = *totals[n].scores[s];
        std::optional<double> value = score.result(diags);
        ok &= value.has_value();
        result.rows[n].scores.push_back(value.value_or(0));
        result.rows[n].scoresByOutput.push_back(score.resultByOutput());
        if (!value || std::isfinite(*value))
          continue;
        ok = false;
        diags
            .report(diag::EvalData, {},
                    "metric " + task.scores[s].text() +
                        " has no value for the results of " +
                        runs.networks[n].name)
            .found(nonFiniteText(*value))
            .hint("it divides by a count that is zero for these samples");
      }
    return ok;
  }

  /// A program of the user's runs once, so the first process does it for all.
  bool finishShared(AccuracyResult &result) {
    Packer own;
    bool ok = !task.ranks->isFirst() || finish(result);
    own(ok);
    for (const AccuracyRow &row : result.rows) {
      own(row.scores);
      for (const std::vector<double> &figures : row.scoresByOutput)
        own(figures);
    }
    std::vector<std::string> parts;
    if (!task.ranks->exchange(own.bytes, parts))
      return reportRankStopped(diags);
    Unpacker first(parts[0]);
    first(ok);
    for (AccuracyRow &row : result.rows) {
      first(row.scores);
      row.scoresByOutput.resize(row.scores.size());
      for (std::vector<double> &figures : row.scoresByOutput)
        first(figures);
    }
    return ok;
  }

  const AccuracyTask &task;
  DiagnosticEngine &diags;
  AccuracyRuns runs;
  std::vector<Total> totals; ///< By network.
  uint64_t comparedBytes = 0, differingBytes = 0;
};

} // namespace

std::optional<AccuracyResult> yarrow::measureAccuracy(const AccuracyTask &task,
                                                      DiagnosticEngine &diags) {
  return Measurement(task, diags).measure();
}
