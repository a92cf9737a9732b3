//===- Accuracy.h - Float, integer and NPU side by side -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs the same samples through any of the float network, the integer network
// (host evaluator), another network and an executable (simulated NPU). It
// measures for each: top-k accuracy and other metrics if there are labels,
// similarity to the first network and agreement with its answers, and whether
// the NPU computed the evaluator's bytes. Samples are streamed: a bounded
// number is in memory; over several processes (support/Ranks.h) the figures are
// those of one. A figure that is not a number is an error (EvalData) that names
// output and sample.
//
//   AccuracyTask task;
//   task.integer = *module; task.npu = &device; task.data = arrays;
//   std::optional<AccuracyResult> result = measureAccuracy(task, diags);
//   driver.say(result->table(driver.tableWidth()));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_ACCURACY_H
#define YARROW_QUANTIZER_METRICS_ACCURACY_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/math/Similarity.h"
#include "quantizer/metrics/Agreement.h"
#include "quantizer/metrics/DecisionSides.h"
#include "quantizer/scores/Score.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"
#include "support/Ranks.h"
#include "support/SampleArrays.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// An executable on its machine, as far as it is measured.
class AccuracyDevice {
public:
  /// Bytes of each input or output.
  using Bytes = std::vector<std::vector<char>>;
  struct Output {
    std::string tensor;
    std::size_t numElements;
    std::vector<int64_t> shape;
  };

  virtual ~AccuracyDevice() = default;
  /// \p data as its inputs; nullopt after errors.
  virtual std::optional<SampleArrays>
  inputsOf(const std::vector<NpyView> &data, bool integersAreReal,
           DiagnosticEngine &diags) const = 0;
  virtual std::vector<Output> outputs() const = 0;
  /// Whether it keeps a state: then runs are in order, one after the other.
  virtual bool keepsState() const { return false; }
  /// The next run begins a sequence.
  virtual void resetState() {}
  /// May be called from several threads. False after errors.
  virtual bool run(const Bytes &inputs, Bytes &outputs,
                   DiagnosticEngine &diags) = 0;
  /// What \p output stores as real numbers.
  virtual std::vector<float>
  realNumbers(std::size_t output, const std::vector<char> &bytes) const = 0;
};

struct AccuracyTask {
  /// Null if not wanted. The other one may be of either kind.
  mlir::ModuleOp floating, integer, other;
  AccuracyDevice *npu = nullptr;
  std::vector<NpyView> data; ///< One array per input, samples first.
  /// Expected results, samples first; the first array's are classes if topK
  /// asks for any.
  std::vector<NpyView> labels;
  std::vector<unsigned> topK; ///< As in top1, top5.
  std::vector<ScoreRequest> scores;
  DecisionThresholds thresholds = {};
  std::size_t maxSamples = 0; ///< 0: all.
  /// The data are what a float network takes: integers are real numbers.
  bool integersAreReal = false;
  /// Processes that share the samples; null for one.
  Ranks *ranks = nullptr;
  /// Called with the number of runs done and their total.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// How far an output is from the reference's, over all samples.
struct OutputDistance {
  std::string tensor;
  Similarity similarity;
  double meanCosine = 0; ///< Of samples.
  DecisionSides sides = {};
};

/// One of the networks.
struct AccuracyRow {
  std::string name;               ///< "float", "int", "other" or "npu".
  std::vector<double> topPercent; ///< By the task's topK; empty without labels.
  /// By output; none of the reference. Never one sum of all: where boxes are
  /// large and scores small, it would be that of boxes.
  std::vector<OutputDistance> outputs;
  /// With the reference, if the first output is scores of classes.
  std::optional<Agreement> agreement;
  std::vector<double> scores; ///< By the task's scores.
  /// Of metrics that are a mean of one figure per output, those.
  std::vector<std::vector<double>> scoresByOutput;

  /// The output that loses most; null if there is none.
  const OutputDistance *worst() const;
};

struct AccuracyResult {
  std::size_t samples = 0;
  std::vector<unsigned> topK;
  std::vector<std::string> scoreNames;
  /// What the others are compared with: "float" or "int"; empty if nothing is.
  std::string reference;
  bool hasClasses = false; ///< Lost and won are known.
  std::vector<AccuracyRow> rows;
  /// Outputs' bytes compared and different between the evaluator and the NPU.
  uint64_t comparedBytes = 0, differingBytes = 0;

  const AccuracyRow *row(const std::string &name) const;
  /// No wider than \p width.
  std::string table(std::size_t width) const;
};

std::optional<AccuracyResult> measureAccuracy(const AccuracyTask &task,
                                              DiagnosticEngine &diags);

/// "top1", "TopKMetric", "TopKMetric(5)" as k; nullopt for other metrics.
std::optional<unsigned> topKOf(const std::string &name,
                               const std::vector<std::string> &arguments);

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_ACCURACY_H
