//===- OutputLoss.cpp - What a network's outputs have lost ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/OutputLoss.h"

#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "quantizer/metrics/ScoreRows.h"
#include "support/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;

double OutputLoss::value() const {
  if (hasScores())
    return meanDivergence();
  double most = 0;
  for (const Similarity &s : parts)
    if (s.signalSquares > 0)
      most = std::max(most, s.noiseSquares / s.signalSquares);
    else if (s.noiseSquares > 0)
      most = std::numeric_limits<double>::infinity();
  return most;
}

double OutputLoss::sqnrDb() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Similarity &s : outputs)
    if (s.count)
      least = std::min(least, s.sqnrDb());
  return least;
}

double OutputLoss::leastDb() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Similarity &s : parts)
    if (s.signalSquares > 0)
      least = std::min(least, s.sqnrDb());
  return least;
}

double OutputLoss::overallDb() const {
  double sum = 0;
  std::size_t count = 0;
  for (const Similarity &s : parts)
    if (s.signalSquares > 0) {
      sum += std::min(s.sqnrDb(), kGoodDb);
      ++count;
    }
  return count ? sum / double(count) : kGoodDb;
}

void OutputLoss::merge(const OutputLoss &other) {
  outputs.resize(std::max(outputs.size(), other.outputs.size()));
  for (std::size_t i = 0; i < other.outputs.size(); ++i)
    outputs[i].merge(other.outputs[i]);
  parts.resize(std::max(parts.size(), other.parts.size()));
  for (std::size_t i = 0; i < other.parts.size(); ++i)
    parts[i].merge(other.parts[i]);
  divergence += other.divergence;
  rows += other.rows;
  agreeing += other.agreeing;
}

/// Integers of few bits store most small probabilities as 0: a row that rules
/// an answer out shall not be infinitely wrong.
static constexpr double kLeastProbability = 1e-6;

static bool isDistribution(std::span<const float> row) {
  double sum = 0;
  for (float x : row) {
    if (!(x >= 0))
      return false;
    sum += x;
  }
  return std::fabs(sum - 1) < 1e-3;
}

static std::vector<double> logProbabilities(std::span<const float> row,
                                            bool areProbabilities) {
  std::vector<double> logs(row.size());
  if (areProbabilities) {
    double sum = 0;
    for (float x : row)
      sum += std::max(double(x), kLeastProbability);
    for (std::size_t i = 0; i < row.size(); ++i)
      logs[i] = std::log(std::max(double(row[i]), kLeastProbability) / sum);
    return logs;
  }
  double largest = *std::max_element(row.begin(), row.end()), sum = 0;
  for (float x : row)
    sum += std::exp(double(x) - largest);
  for (std::size_t i = 0; i < row.size(); ++i)
    logs[i] = double(row[i]) - largest - std::log(sum);
  return logs;
}

double yarrow::scoreDivergence(std::span<const float> p,
                               std::span<const float> q) {
  bool areProbabilities = isDistribution(p);
  std::vector<double> a = logProbabilities(p, areProbabilities),
                      b = logProbabilities(q, areProbabilities);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::exp(a[i]) * (a[i] - b[i]);
  return std::max(sum, 0.0); // Never negative but by rounding.
}

/// What \p take is given: the outputs of each run.
template <typename Take>
static bool runAll(const SampledNetwork &network, std::size_t count,
                   std::size_t total, Take take, DiagnosticEngine &diags) {
  std::vector<EvaluationStop> stops(count);
  parallelFor(count, [&](std::size_t i) {
    std::vector<TensorBytes> outputs;
    stops[i] = network.run(i * total / count, outputs);
    if (!stops[i])
      take(i, realTensors(network.evaluator->outputs(), outputs));
  });
  for (const EvaluationStop &stop : stops)
    if (stop) {
      stop.report(diags);
      return false;
    }
  return true;
}

std::unique_ptr<OutputJudge>
OutputJudge::create(mlir::ModuleOp floatModule,
                    const std::vector<NpyView> &arrays, std::size_t maxSamples,
                    DiagnosticEngine &diags) {
  SampledNetwork network;
  if (!network.create(floatModule, arrays, diags))
    return nullptr;
  std::unique_ptr<OutputJudge> judge(new OutputJudge(arrays));
  judge->total = network.samples->count();
  judge->references.resize(std::min(maxSamples, judge->total));
  bool isDone = runAll(
      network, judge->count(), judge->total,
      [&](std::size_t i, RealOutputs outputs) {
        judge->references[i] = std::move(outputs);
      },
      diags);
  if (!isDone)
    return nullptr;
  for (auto [k, output] : llvm::enumerate(network.evaluator->outputs())) {
    std::vector<std::span<const float>> runs;
    ScoreRows rows(rowShapeOf(output));
    for (const RealOutputs &run : judge->references) {
      runs.push_back(run[k]);
      rows.add(run[k], run[k]);
    }
    judge->classes.push_back(rows.areScores() ? rowShapeOf(output).classes : 0);
    for (OutputPart &part : outputParts(describe(output).shape, runs))
      judge->allParts.push_back({k, std::move(part)});
  }
  return judge;
}

std::size_t OutputJudge::sampleOf(std::size_t index) const {
  return index * total / references.size();
}

bool OutputJudge::areClasses() const {
  return !classes.empty() &&
         llvm::all_of(classes, [](std::size_t n) { return n != 0; });
}

OutputLoss OutputJudge::lossOf(std::size_t index,
                               const RealOutputs &outputs) const {
  const RealOutputs &reference = references[index];
  assert(outputs.size() == reference.size() && "of another network");
  OutputLoss loss;
  loss.outputs.resize(outputs.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    loss.outputs[k].add(reference[k], outputs[k]);
    if (!classes[k])
      continue;
    for (std::size_t at = 0; at < outputs[k].size(); at += classes[k]) {
      std::span<const float> p(reference[k].data() + at, classes[k]),
          q(outputs[k].data() + at, classes[k]);
      loss.divergence += scoreDivergence(p, q);
      ++loss.rows;
      loss.agreeing += std::max_element(p.begin(), p.end()) - p.begin() ==
                       std::max_element(q.begin(), q.end()) - q.begin();
    }
  }
  loss.parts.resize(allParts.size());
  for (auto [part, similarity] : llvm::zip_equal(allParts, loss.parts))
    part.part.add(reference[part.output], outputs[part.output], similarity);
  return loss;
}

/// In the samples' order, whatever the number of threads.
static OutputLoss mergedLoss(const std::vector<OutputLoss> &losses) {
  OutputLoss loss;
  for (const OutputLoss &sample : losses)
    loss.merge(sample);
  return loss;
}

std::optional<OutputLoss> OutputJudge::judgeRuns(
    const std::function<RealOutputs(std::size_t)> &outputsOf) const {
  std::vector<OutputLoss> losses(count());
  std::vector<char> isThere(count());
  parallelFor(count(), [&](std::size_t i) {
    RealOutputs outputs = outputsOf(sampleOf(i));
    isThere[i] = !outputs.empty();
    if (isThere[i])
      losses[i] = lossOf(i, outputs);
  });
  if (llvm::is_contained(isThere, char(false)))
    return std::nullopt;
  return mergedLoss(losses);
}

std::optional<OutputLoss> OutputJudge::judge(mlir::ModuleOp network,
                                             DiagnosticEngine &diags) const {
  SampledNetwork run;
  if (!run.create(network, arrays, diags))
    return std::nullopt;
  std::vector<OutputLoss> losses(count());
  if (!runAll(
          run, count(), total,
          [&](std::size_t i, const RealOutputs &outputs) {
            losses[i] = lossOf(i, outputs);
          },
          diags))
    return std::nullopt;
  return mergedLoss(losses);
}
