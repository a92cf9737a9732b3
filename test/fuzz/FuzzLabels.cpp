//===- FuzzLabels.cpp - Samples and expected classes of any kind ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An input is two .npy files, one after the other: labels and samples, the
// first one's size in the first 4 bytes. The accuracy of a small network is
// measured with them. Whatever the bytes: no crash and no hang, figures exactly
// if there is no error, and every figure a number in its range.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Accuracy.h"
#include "compiler/driver/ReportJson.h"
#include "support/ThreadPool.h"
#include "test/fuzz/Networks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace yarrow;
using fuzz::require;

namespace {

std::optional<NpyView> parse(std::span<const std::byte> bytes,
                             const char *name) {
  std::shared_ptr<std::byte[]> block(new std::byte[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), block.get());
  DiagnosticEngine diags;
  return parseNpy({block.get(), bytes.size()}, block, name, diags);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  constexpr std::size_t mostElements = 1 << 14;
  setDefaultThreadCount(1);
  std::uint32_t labelBytes = 0;
  if (size < sizeof labelBytes)
    return 0;
  std::memcpy(&labelBytes, data, sizeof labelBytes);
  auto rest = std::as_bytes(std::span(data, size)).subspan(sizeof labelBytes);
  if (labelBytes > rest.size())
    return 0;
  std::optional<NpyView> labels = parse(rest.first(labelBytes), "label.npy");
  std::optional<NpyView> samples = parse(rest.subspan(labelBytes), "x.npy");
  if (!labels || !samples || samples->numElements > mostElements)
    return 0;

  Driver driver;
  driver.isQuiet = true;
  AccuracyTask task;
  task.floating = fuzz::smallNetwork();
  task.integersAreReal = true;
  task.data = {*samples};
  task.labels = *labels;
  task.topK = {1, 2};
  task.maxSamples = labelBytes % 3 ? 0 : 2;
  std::optional<AccuracyResult> result = measureAccuracy(task, driver);
  require(result.has_value() == !driver.diags.hasErrors(),
          "figures exactly if there is no error", &driver.diags);
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
