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
//   task.integer = *module; task.npu = runner.get(); task.data = arrays;
//   std::optional<AccuracyResult> result = measureAccuracy(task, driver);
//   driver.say(result->table(driver.tableWidth()));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_ACCURACY_H
#define YARROW_COMPILER_DRIVER_ACCURACY_H

#include "compiler/driver/Driver.h"
#include "compiler/driver/NpuRunner.h"
#include "mlir/IR/BuiltinOps.h"
#include "quantizer/Similarity.h"
#include "support/Npy.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct AccuracyTask {
  mlir::ModuleOp floating, integer; ///< Null if not wanted.
  NpuRunner *npu = nullptr;
  std::vector<NpyView> data; ///< One array per input, samples first.
  std::optional<NpyView> labels;
  std::vector<unsigned> topK; ///< As in top1, top5.
  std::size_t maxSamples = 0; ///< 0: all.
  /// The data are what a float network takes: integers are real numbers.
  bool integersAreReal = false;
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
                                              Driver &driver);

/// "top1", "TopKMetric", "TopKMetric(5)" as k; nullopt for other metrics.
std::optional<unsigned> topKOf(const std::string &name,
                               const std::vector<std::string> &arguments);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_ACCURACY_H
