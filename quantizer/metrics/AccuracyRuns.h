//===- AccuracyRuns.h - What one run of each network gave -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The part of measureAccuracy (Accuracy.h) that runs in parallel: all networks
// on one run's samples, and the figures of that run alone. Summing up is left
// to Accuracy.cpp, which does it in the order of the runs.
//
//   AccuracyRuns runs(task, diags);
//   if (runs.create())
//     runs.run(0, result); // from any thread
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_ACCURACYRUNS_H
#define YARROW_QUANTIZER_METRICS_ACCURACYRUNS_H

#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/metrics/Accuracy.h"
#include "quantizer/metrics/ScoreRows.h"

namespace yarrow {

/// What one run gave, for one of the networks.
struct RunScore {
  std::vector<uint64_t> hits;       ///< By topK.
  std::vector<Similarity> outputs;  ///< To the reference's.
  std::vector<DecisionSides> sides; ///< Of these.
  Agreement agreement;
  ScoreRows answers; ///< Whether there are any to compare.
  /// Of each sample of the run, what each metric saw.
  std::vector<std::vector<double>> observations;
  /// The first element that is no number, or that no figure can be made of.
  struct BadElement {
    std::size_t output, index;
    float value;
  };
  std::optional<BadElement> bad;
};

/// What one run gave for all.
struct RunResult {
  std::vector<RunScore> scores; ///< By network.
  uint64_t comparedBytes = 0, differingBytes = 0;
};

/// The members, for processes that exchange them (support/Packing.h).
std::string packed(const std::vector<RunResult> &results);
std::vector<RunResult> unpacked(std::string_view bytes);

class AccuracyRuns {
public:
  AccuracyRuns(const AccuracyTask &task, DiagnosticEngine &diags);
  ~AccuracyRuns();

  /// Opens the networks and checks that data and labels fit them.
  bool create();
  /// May be called from several threads. False after errors.
  bool run(std::size_t i, RunResult &result);
  /// No run before \p i is needed again.
  void releaseBefore(std::size_t i);

  struct Output {
    std::string tensor;
    std::size_t numElements;
    std::vector<int64_t> shape;
    Place place = {}; ///< Of the layer that makes it.
  };
  struct Network {
    const char *name;
    std::vector<Output> outputs;
  };
  std::vector<Network> networks; ///< In the order of the table.
  std::size_t count = 0, rowsPerRun = 1;

  /// Whether the networks are compared with the first of them.
  bool hasReference() const {
    return networks.size() > 1 && (task.floating || task.other);
  }
  /// Whether the first output may have answers to compare.
  bool mayHaveAnswers() const {
    return hasReference() && networks[0].outputs.size() &&
           networks[0].outputs[0].numElements / rowsPerRun > 1 &&
           (hasClasses() || rowShape.evidence != ScoreEvidence::None);
  }
  /// Whether who measures says that it has.
  bool hasClasses() const { return !classes.empty(); }
  /// Of one sample of \p network.
  ScoreContext contextOf(const Network &network) const;

private:
  class Host;
  using FloatOutputs = std::vector<std::vector<float>>;

  bool open(mlir::ModuleOp module, const char *name);
  bool openNpu();
  bool addCount(std::size_t runs, const char *name);
  bool checkOutputs();
  bool checkLabels();
  bool checkClasses();
  bool checkScores();
  bool readClasses(std::size_t classes);
  void limit();
  bool isFirstOfSequence(std::size_t run) const;
  std::vector<int64_t> sampleShape(const Output &output) const;
  RunScore score(std::size_t run, const Network &network,
                 const FloatOutputs &outputs, const FloatOutputs *reference);
  void addDistance(std::size_t output, std::span<const float> reference,
                   std::span<const float> values, RunScore &score) const;
  void addAnswers(std::size_t run, const FloatOutputs &outputs,
                  const FloatOutputs &reference, RunScore &score);
  void observe(std::size_t run, const Network &network,
               const FloatOutputs &outputs, RunScore &score);
  std::optional<RunScore::BadElement> findBad(const FloatOutputs &outputs);

  const AccuracyTask &task;
  DiagnosticEngine &diags;
  std::vector<std::unique_ptr<Host>> hosts; ///< The first networks.
  std::optional<std::size_t> integerHost;
  std::optional<SampleArrays> npuInputs; ///< If no integer network makes them.
  std::size_t batch = 1;                 ///< Samples that a run may have.
  AnswerKind answerKind = AnswerKind::Logits;
  RowShape rowShape; ///< Of the first output.
  /// Of the outputs, where there is one.
  std::vector<std::optional<double>> thresholds;
  std::vector<int64_t> classes; ///< Expected ones; empty without topK.
  std::vector<std::unique_ptr<Score>> observers;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_ACCURACYRUNS_H
