//===- Accuracy.cpp - Float, integer and NPU side by side -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/Accuracy.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/calibrate/TensorValues.h"
#include "support/Format.h"
#include "support/OrderedLoop.h"
#include "support/TextTable.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using compass::Evaluator;

namespace {

using Bytes = AccuracyDevice::Bytes;

/// Outputs of one run as real numbers.
using FloatOutputs = std::vector<std::vector<float>>;

/// An output of one of the three, as far as they can be compared.
struct OutputName {
  std::string tensor;
  std::size_t numElements;
  Place place = {}; ///< Of the layer that makes it.
};

/// A network on the host with the samples in the form it wants.
class HostRunner {
public:
  static std::unique_ptr<HostRunner> create(mlir::ModuleOp module,
                                            const std::vector<NpyView> &data,
                                            const SampleOptions &options,
                                            DiagnosticEngine &diags) {
    auto runner = std::make_unique<HostRunner>();
    runner->samples = SampleSet::create(module, data, diags, options);
    runner->evaluator = Evaluator::create(module, diags);
    return runner->samples && runner->evaluator ? std::move(runner) : nullptr;
  }
  SampleSet &data() const { return *samples; }
  bool run(const Bytes &inputs, Bytes &outputs, DiagnosticEngine &diags) const {
    std::vector<compass::TensorBytesRef> refs(inputs.begin(), inputs.end());
    mlir::Operation *endless = evaluator->run(refs, outputs);
    if (endless)
      compass::reportEndless(endless, diags);
    return !endless;
  }
  std::vector<OutputName> outputs() const {
    std::vector<OutputName> names;
    for (mlir::Value value : evaluator->outputs())
      names.push_back({compass::tensorNameOf(value),
                       std::size_t(compass::describe(value).numElements()),
                       compass::placeOf(value.getLoc())});
    return names;
  }
  FloatOutputs floatsOf(const Bytes &outputs) const {
    FloatOutputs floats;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      FloatValues values(evaluator->outputs()[k], outputs[k]);
      floats.emplace_back(values.get().begin(), values.get().end());
    }
    return floats;
  }

private:
  std::unique_ptr<SampleSet> samples;
  std::unique_ptr<Evaluator> evaluator;
};

/// What one run gave, for one of the three.
struct RunScore {
  std::vector<uint64_t> hits; ///< By topK.
  Similarity similarity;
  /// The first element that is no number, or that no figure can be made of.
  struct BadElement {
    std::size_t output, index;
    float value;
  };
  std::optional<BadElement> bad;
};

/// What one run gave for all.
struct RunResult {
  RunScore floating, integer, npu;
  uint64_t comparedBytes = 0, differingBytes = 0;
};

/// One of the three, summed up over the runs.
struct Total {
  const char *name;
  RunScore RunResult::*score;
  std::vector<OutputName> outputs;
  std::vector<uint64_t> hits;
  Similarity similarity;
  double cosines = 0;

  void add(const RunScore &run) {
    hits.resize(run.hits.size());
    for (std::size_t k = 0; k < hits.size(); ++k)
      hits[k] += run.hits[k];
    similarity.merge(run.similarity);
    cosines += run.similarity.cosine();
  }
};

/// Where the expected class stands among the scores; equal scores rank by
/// index, as a stable sort would leave them.
std::size_t rankOf(std::span<const float> scores, int64_t label) {
  std::size_t rank = 0;
  float own = scores[std::size_t(label)];
  for (std::size_t i = 0; i < scores.size(); ++i)
    rank += scores[i] > own || (scores[i] == own && int64_t(i) < label);
  return rank;
}

class Measurement {
public:
  Measurement(const AccuracyTask &task, DiagnosticEngine &diags)
      : task(task), diags(diags) {}

  std::optional<AccuracyResult> measure() {
    if (!createRunners() || !checkOutputs() || !checkLabels())
      return std::nullopt;
    limitRuns();
    std::size_t window = defaultWindow();
    std::vector<RunResult> results(window);
    bool isDone = orderedLoop(
        runs, window,
        [&](std::size_t i) { return runOne(i, results[i % window] = {}); },
        [&](std::size_t i) {
          if (task.progress)
            task.progress(i + 1, runs);
          return take(i, results[i % window]);
        });
    if (!isDone)
      return std::nullopt;
    return summarize();
  }

private:
  bool createRunners() {
    SampleOptions options{DiagId::TensorMismatch, task.integersAreReal};
    if (task.floating) {
      floating = HostRunner::create(task.floating, task.data, options, diags);
      if (!floating || !addCount(floating->data().count(), "float"))
        return false;
      totals.push_back(
          {"float", &RunResult::floating, floating->outputs(), {}, {}});
    }
    if (task.integer) {
      integer = HostRunner::create(task.integer, task.data, options, diags);
      if (!integer || !addCount(integer->data().count(), "int"))
        return false;
      totals.push_back(
          {"int", &RunResult::integer, integer->outputs(), {}, {}});
    }
    if (!task.npu)
      return true;
    if (!integer) {
      npuInputs = task.npu->inputsOf(task.data, options.integersAreReal, diags);
      if (!npuInputs || !addCount(npuInputs->count(), "npu"))
        return false;
    }
    totals.push_back({"npu", &RunResult::npu, {}, {}, {}});
    for (const AccuracyDevice::Output &output : task.npu->outputs())
      totals.back().outputs.push_back({output.tensor, output.numElements});
    return true;
  }

  /// All take the same number of runs for the data.
  bool addCount(std::size_t count, const char *name) {
    if (runs == 0 || runs == count) {
      runs = count;
      return true;
    }
    diags
        .report(DiagId::EvalData, {},
                "the networks take other numbers of samples at a time")
        .found(std::to_string(count) + " runs for " + name)
        .expected(std::to_string(runs) + ", as for " + totals[0].name);
    return false;
  }

  /// All have the same outputs, or figures would stand for a part of them.
  bool checkOutputs() {
    auto text = [](const Total &total) {
      std::string out = total.name + std::string(":");
      for (const OutputName &output : total.outputs)
        out += " " + output.tensor + " (" + formatCount(output.numElements) +
               " elements)";
      return out;
    };
    for (const Total &total : totals) {
      if (std::ranges::equal(total.outputs, totals[0].outputs, {},
                             &OutputName::numElements,
                             &OutputName::numElements))
        continue;
      diags.report(DiagId::EvalData, {}, "the networks have different outputs")
          .found(text(total))
          .expected(text(totals[0]));
      return false;
    }
    return true;
  }

  /// A run may cover several samples, if the network has a batch.
  bool checkLabels() {
    if (!task.labels)
      return true;
    const NpyView &array = *task.labels;
    std::size_t scores =
        totals[0].outputs.empty() ? 0 : totals[0].outputs[0].numElements;
    std::size_t batch = floating  ? floating->data().batch()
                        : integer ? integer->data().batch()
                                  : npuInputs->batch();
    std::size_t count = array.shape.empty() ? 1 : std::size_t(array.shape[0]);
    if (count == runs * batch && batch && scores % batch == 0)
      rowsPerRun = batch;
    if (array.numElements != count || count != runs * rowsPerRun || !scores) {
      diags
          .report(DiagId::EvalData, {array.name},
                  "the expected results do not fit the samples")
          .found(array.str())
          .expected("one class number per sample, " + std::to_string(runs));
      return false;
    }
    return readLabels(scores / rowsPerRun);
  }

  bool readLabels(std::size_t classes) {
    for (float value : task.labels->toFloats()) {
      if (std::isfinite(value) && value == std::trunc(value) && value >= 0 &&
          value < float(classes)) {
        labels.push_back(int64_t(value));
        continue;
      }
      std::string where = " at index " + std::to_string(labels.size());
      if (!std::isfinite(value))
        diags
            .report(DiagId::DataNotFinite, {task.labels->name},
                    "an expected class is no number")
            .found(nonFiniteText(value) + where)
            .expected("0 to " + std::to_string(classes - 1));
      else
        diags
            .report(DiagId::EvalData, {task.labels->name},
                    "an expected class is none of the network's")
            .found(formatFixed(value, value == std::trunc(value) ? 0 : 3) +
                   where)
            .expected("0 to " + std::to_string(classes - 1));
      return false;
    }
    return true;
  }

  void limitRuns() {
    if (task.maxSamples > runs)
      diags
          .report(DiagId::SamplesFewer,
                  {task.data.empty() ? "" : task.data[0].name},
                  "there are fewer samples than were asked for")
          .found(formatCount(runs))
          .expected(formatCount(task.maxSamples));
    if (task.maxSamples)
      runs = std::min(runs, task.maxSamples);
  }

  bool runOne(std::size_t i, RunResult &result) {
    FloatOutputs reference;
    if (floating) {
      Bytes outputs;
      if (!floating->run(floating->data().inputsOf(i), outputs, diags))
        return false;
      reference = floating->floatsOf(outputs);
      result.floating = score(i, reference, {});
    }
    Bytes inputs, intOutputs, npuOutputs;
    if (integer) {
      inputs = integer->data().inputsOf(i);
      if (!integer->run(inputs, intOutputs, diags))
        return false;
      result.integer = score(i, integer->floatsOf(intOutputs), reference);
    }
    if (!task.npu)
      return true;
    if (!integer)
      inputs = npuInputs->inputsOf(i);
    if (!task.npu->run(inputs, npuOutputs, diags))
      return false;
    FloatOutputs floats;
    for (std::size_t k = 0; k < npuOutputs.size(); ++k)
      floats.push_back(task.npu->realNumbers(k, npuOutputs[k]));
    result.npu = score(i, floats, reference);
    if (integer)
      compare(intOutputs, npuOutputs, result);
    return true;
  }

  static void compare(const Bytes &expected, const Bytes &found,
                      RunResult &result) {
    for (std::size_t k = 0; k < expected.size(); ++k) {
      result.comparedBytes += expected[k].size();
      if (k >= found.size() || found[k].size() != expected[k].size()) {
        result.differingBytes += expected[k].size();
        continue;
      }
      for (std::size_t b = 0; b < expected[k].size(); ++b)
        result.differingBytes += expected[k][b] != found[k][b];
    }
  }

  /// No class can be found among scores with a NaN, and no error be told where
  /// there is an infinity.
  std::optional<RunScore::BadElement> findBad(const FloatOutputs &outputs) {
    bool isCompared = floating && totals.size() > 1;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      for (std::size_t i = 0; i < outputs[k].size(); ++i)
        if (float v = outputs[k][i];
            std::isnan(v) || (isCompared && std::isinf(v)))
          return RunScore::BadElement{k, i, v};
    return std::nullopt;
  }

  RunScore score(std::size_t run, const FloatOutputs &outputs,
                 const FloatOutputs &reference) {
    RunScore result;
    result.bad = findBad(outputs);
    if (result.bad)
      return result;
    for (std::size_t k = 0; k < outputs.size() && k < reference.size(); ++k)
      result.similarity.add(reference[k], outputs[k]);
    result.hits.resize(task.topK.size());
    if (!task.labels)
      return result;
    std::size_t classes = outputs[0].size() / rowsPerRun;
    for (std::size_t row = 0; row < rowsPerRun; ++row) {
      std::span<const float> scores(outputs[0].data() + row * classes, classes);
      std::size_t rank = rankOf(scores, labels[run * rowsPerRun + row]);
      for (std::size_t k = 0; k < task.topK.size(); ++k)
        result.hits[k] += rank < task.topK[k];
    }
    return result;
  }

  /// Sums up in the order of the runs.
  bool take(std::size_t run, const RunResult &result) {
    for (Total &total : totals) {
      const RunScore &score = result.*total.score;
      if (score.bad)
        return reportBad(run, total, *score.bad);
      total.add(score);
    }
    comparedBytes += result.comparedBytes;
    differingBytes += result.differingBytes;
    if (floating)
      floating->data().releaseBefore(run + 1);
    if (integer)
      integer->data().releaseBefore(run + 1);
    if (npuInputs)
      npuInputs->releaseBefore(run + 1);
    return true;
  }

  bool reportBad(std::size_t run, const Total &total,
                 const RunScore::BadElement &bad) {
    const OutputName &output = total.outputs[bad.output];
    diags
        .report(DiagId::EvalData, output.place,
                std::string("no figure can be made of what ") + total.name +
                    " gives: output " + output.tensor + " is not finite")
        .found(nonFiniteText(bad.value) + " at index " +
               std::to_string(bad.index) + " of sample " + std::to_string(run))
        .hint("the samples are finite: a layer divides by zero, takes the "
              "logarithm of zero or goes beyond float32");
    return false;
  }

  AccuracyRow rowOf(const Total &total) const {
    AccuracyRow row{total.name, {}, std::nullopt, total.cosines / double(runs)};
    if (total.score != &RunResult::floating && total.similarity.count)
      row.similarity = total.similarity;
    if (!task.labels)
      return row;
    for (uint64_t hits : total.hits)
      row.topPercent.push_back(100.0 * double(hits) /
                               double(runs * rowsPerRun));
    return row;
  }

  AccuracyResult summarize() const {
    AccuracyResult result;
    result.samples = runs * rowsPerRun;
    result.topK = task.topK;
    for (const Total &total : totals)
      result.rows.push_back(rowOf(total));
    result.comparedBytes = comparedBytes;
    result.differingBytes = differingBytes;
    return result;
  }

  const AccuracyTask &task;
  DiagnosticEngine &diags;
  std::unique_ptr<HostRunner> floating, integer;
  std::optional<SampleArrays> npuInputs; ///< If no integer network makes them.
  std::vector<int64_t> labels;
  std::size_t runs = 0, rowsPerRun = 1;
  std::vector<Total> totals; ///< In the order of the table.
  uint64_t comparedBytes = 0, differingBytes = 0;
};

} // namespace

std::optional<AccuracyResult> yarrow::measureAccuracy(const AccuracyTask &task,
                                                      DiagnosticEngine &diags) {
  return Measurement(task, diags).measure();
}

const AccuracyRow *AccuracyResult::row(const std::string &name) const {
  for (const AccuracyRow &r : rows)
    if (r.name == name)
      return &r;
  return nullptr;
}

std::string AccuracyResult::table(std::size_t width) const {
  TextTable table;
  table.column(formatCount(samples) + " samples");
  bool hasLabels = !rows.empty() && !rows[0].topPercent.empty();
  if (hasLabels)
    for (unsigned k : topK)
      table.number("top" + std::to_string(k) + " %");
  table.number("cosine").number("SQNR dB").number("max error");
  for (const AccuracyRow &r : rows) {
    std::vector<std::string> cells = {r.name};
    for (double percent : r.topPercent)
      cells.push_back(formatFixed(percent, 2));
    if (r.similarity) {
      cells.push_back(formatFixed(r.meanCosine, 6));
      cells.push_back(r.similarity->sqnrText(2));
      cells.push_back(formatFixed(r.similarity->maxError, 4));
    }
    table.row(std::move(cells));
  }
  std::string text = table.str(width);
  if (comparedBytes)
    text += "int and npu: " + formatCount(differingBytes) + " of " +
            formatCount(comparedBytes) + " output bytes differ\n";
  return text;
}

std::optional<unsigned>
yarrow::topKOf(const std::string &name,
               const std::vector<std::string> &arguments) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  std::string digits;
  if (lower == "topkmetric" || lower == "topk")
    digits = arguments.empty() ? "1" : arguments[0];
  else if (lower.starts_with("top"))
    digits = lower.substr(3);
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != std::string::npos ||
      std::stoul(digits) == 0)
    return std::nullopt;
  return unsigned(std::stoul(digits));
}
