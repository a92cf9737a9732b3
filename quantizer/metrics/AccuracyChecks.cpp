//===- AccuracyChecks.cpp - Whether labels and metrics fit networks -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/AccuracyRuns.h"

#include "support/Format.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

/// All have the same outputs, or figures would stand for a part of them.
bool AccuracyRuns::checkOutputs() {
  auto text = [](const Network &network) {
    std::string out = network.name + std::string(":");
    for (const Output &output : network.outputs)
      out += " " + output.tensor + " (" + formatCount(output.numElements) +
             " elements)";
    return out;
  };
  for (const Network &network : networks) {
    if (std::ranges::equal(network.outputs, networks[0].outputs, {},
                           &Output::numElements, &Output::numElements))
      continue;
    diags.report(diag::EvalData, {}, "the networks have different outputs")
        .found(text(network))
        .expected(text(networks[0]));
    return false;
  }
  return true;
}

/// A run may cover several samples, if the network has a batch.
bool AccuracyRuns::checkLabels() {
  if (task.labels.empty())
    return true;
  auto samplesOf = [](const NpyView &array) {
    return array.shape.empty() ? 1 : std::size_t(array.shape[0]);
  };
  bool isBatched = batch && samplesOf(task.labels[0]) == count * batch;
  for (const Output &output : networks[0].outputs)
    isBatched &= output.numElements % std::max<std::size_t>(batch, 1) == 0;
  if (isBatched)
    rowsPerRun = batch;
  for (const NpyView &array : task.labels) {
    if (samplesOf(array) == count * rowsPerRun)
      continue;
    diags
        .report(diag::EvalData, {array.name},
                "the expected results do not match the samples")
        .found(array.str())
        .expected((task.topK.empty() ? "samples along the first axis, "
                                     : "one class number per sample, ") +
                  std::to_string(count));
    return false;
  }
  return task.topK.empty() || checkClasses();
}

bool AccuracyRuns::checkClasses() {
  const NpyView &array = task.labels[0];
  std::size_t scores =
      networks[0].outputs.empty() ? 0 : networks[0].outputs[0].numElements;
  if (array.numElements == count * rowsPerRun && scores)
    return readClasses(scores / rowsPerRun);
  diags
      .report(diag::EvalData, {array.name},
              "the expected results do not match the samples")
      .found(array.str())
      .expected("one class number per sample, " + std::to_string(count));
  return false;
}

bool AccuracyRuns::readClasses(std::size_t numClasses) {
  const NpyView &array = task.labels[0];
  for (float value : array.toFloats()) {
    if (std::isfinite(value) && value == std::trunc(value) && value >= 0 &&
        value < float(numClasses)) {
      classes.push_back(int64_t(value));
      continue;
    }
    std::string where = " at index " + std::to_string(classes.size());
    if (!std::isfinite(value))
      diags
          .report(diag::DataNotFinite, {array.name},
                  "an expected class is not a number")
          .found(nonFiniteText(value) + where)
          .expected("0 to " + std::to_string(numClasses - 1));
    else
      diags
          .report(diag::EvalData, {array.name},
                  "an expected class is not one of the network's")
          .found(formatFixed(value, value == std::trunc(value) ? 0 : 3) + where)
          .expected("0 to " + std::to_string(numClasses - 1));
    return false;
  }
  return true;
}

void AccuracyRuns::limit() {
  if (task.maxSamples > count)
    diags
        .report(diag::SamplesFewer,
                {task.data.empty() ? "" : task.data[0].name},
                "fewer samples than asked for")
        .found(formatCount(count))
        .expected(formatCount(task.maxSamples));
  if (task.maxSamples)
    count = std::min(count, task.maxSamples);
}

/// Without the axis of the batch.
std::vector<int64_t> AccuracyRuns::sampleShape(const Output &output) const {
  std::vector<int64_t> shape = output.shape;
  if (!shape.empty() && shape[0] == int64_t(rowsPerRun))
    shape.erase(shape.begin());
  return shape;
}

ScoreContext AccuracyRuns::contextOf(const Network &network) const {
  ScoreContext context;
  context.network = network.name;
  context.samples = count * rowsPerRun;
  for (const Output &output : network.outputs)
    context.outputs.push_back(sampleShape(output));
  for (const NpyView &array : task.labels)
    context.labels.emplace_back(
        array.shape.begin() + (array.shape.empty() ? 0 : 1), array.shape.end());
  context.labelArrays = task.labels;
  return context;
}

bool AccuracyRuns::checkScores() {
  bool ok = true;
  for (const ScoreRequest &request : task.scores) {
    observers.push_back(request.make());
    ScoreContext context = contextOf(networks[0]);
    bool hasOutputs = !context.outputs.empty() &&
                      context.outputs.size() == networks[0].outputs.size();
    for (const Output &output : networks[0].outputs)
      hasOutputs &= output.numElements > 0;
    std::string expected = hasOutputs ? observers.back()->misfit(context)
                                      : "a network with outputs";
    if (expected.empty())
      continue;
    ok = false;
    std::string found;
    auto add = [&](const char *what, const std::vector<ScoreShape> &shapes) {
      for (const ScoreShape &shape : shapes)
        found +=
            (found.empty() ? "" : ", ") + std::string(what) + shapeText(shape);
    };
    add("output ", context.outputs);
    add("label ", context.labels);
    diags
        .report(diag::EvalData, {},
                "metric " + request.text() +
                    " does not fit the outputs and labels")
        .found(found + " for each of " + formatCount(context.samples) +
               " samples")
        .expected(expected);
  }
  return ok;
}
