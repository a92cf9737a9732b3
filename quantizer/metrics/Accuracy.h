//===- Accuracy.h - Float, integer and NPU side by side -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs the same samples through any of the float network, the integer network
// (host evaluator) and an executable (simulated NPU). What is known of each:
// top-k accuracy if there are labels, similarity to the float network if there
// is one, and whether the NPU gave the evaluator's bytes. Samples are streamed:
// a bounded number of them is in memory. A figure that would be no number is an
// error (EvalData) that names output and sample.
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
#include "support/Diagnostics.h"
#include "support/Npy.h"
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
  };

  virtual ~AccuracyDevice() = default;
  /// \p data as its inputs; nullopt after errors.
  virtual std::optional<SampleArrays>
  inputsOf(const std::vector<NpyView> &data, bool integersAreReal,
           DiagnosticEngine &diags) const = 0;
  virtual std::vector<Output> outputs() const = 0;
  /// May be called from several threads. False after errors.
  virtual bool run(const Bytes &inputs, Bytes &outputs,
                   DiagnosticEngine &diags) = 0;
  /// What \p output stores as real numbers.
  virtual std::vector<float>
  realNumbers(std::size_t output, const std::vector<char> &bytes) const = 0;
};

struct AccuracyTask {
  mlir::ModuleOp floating, integer; ///< Null if not wanted.
  AccuracyDevice *npu = nullptr;
  std::vector<NpyView> data; ///< One array per input, samples first.
  std::optional<NpyView> labels;
  std::vector<unsigned> topK; ///< As in top1, top5.
  std::size_t maxSamples = 0; ///< 0: all.
  /// The data are what a float network takes: integers are real numbers.
  bool integersAreReal = false;
  /// Called with the number of runs done and their total.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// One of the three.
struct AccuracyRow {
  std::string name;               ///< "float", "int" or "npu".
  std::vector<double> topPercent; ///< By the task's topK; empty without labels.
  std::optional<Similarity> similarity; ///< To float, all outputs and samples.
  double meanCosine = 0;
};

struct AccuracyResult {
  std::size_t samples = 0;
  std::vector<unsigned> topK;
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
