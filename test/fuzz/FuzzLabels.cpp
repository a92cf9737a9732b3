//===- FuzzLabels.cpp - Samples and expected classes of any kind ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An input is two arrays, one after the other: labels and samples. The accuracy
// of a small network is measured with them. Whatever the bytes: no crash and no
// hang, figures exactly if there is no error, and every figure a number in its
// range.
//
//===----------------------------------------------------------------------===//
#include "compiler/report/ReportJson.h"
#include "quantizer/metrics/Accuracy.h"
#include "support/ThreadPool.h"
#include "test/fuzz/Arrays.h"
#include "test/fuzz/Networks.h"

using namespace yarrow;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  setDefaultThreadCount(1);
  std::string_view input(reinterpret_cast<const char *>(data), size);
  std::optional<NpyView> labels = fuzz::takeArray(input, "label.npy");
  std::optional<NpyView> samples = fuzz::takeArray(input, "x.npy");
  if (!labels || !samples)
    return 0;

  DiagnosticEngine diags;
  AccuracyTask task;
  task.floating = fuzz::smallNetwork();
  task.integersAreReal = true;
  task.data = {*samples};
  task.labels = {*labels};
  task.topK = {1, 2};
  task.maxSamples = size % 3 ? 0 : 2;
  std::optional<AccuracyResult> result = measureAccuracy(task, diags);
  require(result.has_value() == !diags.hasErrors(),
          "figures exactly if there is no error", &diags);
  if (!result)
    return 0;
  ++fuzz::numAccepted;
  require(result->rows.size() == 1 && result->samples > 0, "of one network");
  const std::vector<double> &top = result->rows[0].topPercent;
  require(top.size() == 2 && top[0] >= 0 && top[0] <= top[1] && top[1] <= 100,
          "a percentage is one");
  require(nlohmann::json::accept(accuracyJson(*result).dump()), "JSON is JSON");
  result->table(80);
  return 0;
}
