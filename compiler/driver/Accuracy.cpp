//===- Accuracy.cpp - Float, integer and NPU side by side -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Accuracy.h"
#include "compiler/driver/IoFiles.h"
#include "dialects/compass/Evaluator.h"
#include "quantizer/TensorValues.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/Format.h"
#include "support/TextTable.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cmath>

using namespace yarrow;
using compass::Evaluator;

namespace {

/// Outputs of one run as real numbers.
using FloatOutputs = std::vector<std::vector<float>>;

/// A network on the host with the samples in the form it wants.
class HostRunner {
public:
  static std::unique_ptr<HostRunner> create(mlir::ModuleOp module,
                                            const std::vector<NpyView> &data,
                                            DiagnosticEngine &diags) {
    auto runner = std::make_unique<HostRunner>();
    runner->samples = SampleSet::create(module, data, diags);
    runner->evaluator = Evaluator::create(module, diags);
    return runner->samples && runner->evaluator ? std::move(runner) : nullptr;
  }
  std::size_t count() const { return samples->count(); }
  IoBytes inputsOf(std::size_t run) const { return samples->inputsOf(run); }
  IoBytes run(const IoBytes &inputs) const {
    std::vector<compass::TensorBytesRef> refs(inputs.begin(), inputs.end());
    IoBytes outputs;
    evaluator->run(refs, outputs);
    return outputs;
  }
  FloatOutputs floatsOf(const IoBytes &outputs) const {
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
  Measurement(const AccuracyTask &task, Driver &driver)
      : task(task), driver(driver), diags(driver.diags) {}

  std::optional<AccuracyResult> measure() {
    if (!createRunners() || !checkLabels())
      return std::nullopt;
    floatScores.resize(runs);
    intScores.resize(runs);
    npuScores.resize(runs);
    differing.resize(runs);
    compared.resize(runs);
    auto line = driver.progress("evaluate", runs);
    parallelFor(runs, [&](std::size_t i) {
      runOne(i);
      line->advance();
    });
    line.reset();
    if (hasFailed)
      return std::nullopt;
    return summarize();
  }

private:
  bool createRunners() {
    if (task.floating)
      floating = HostRunner::create(task.floating, task.data, diags);
    if (task.integer)
      integer = HostRunner::create(task.integer, task.data, diags);
    if ((task.floating && !floating) || (task.integer && !integer))
      return false;
    runs = floating ? floating->count() : integer ? integer->count() : 0;
    if (task.npu && !integer) {
      npuInputs = makeRunInputs(task.data, task.dataNames,
                                task.npu->executable().inputs(), diags);
      if (!npuInputs)
        return false;
      runs = runs ? std::min(runs, npuInputs->samples.size())
                  : npuInputs->samples.size();
    }
    if (task.maxSamples)
      runs = std::min(runs, task.maxSamples);
    return true;
  }

  /// A run may cover several samples, if the network has a batch.
  bool checkLabels() {
    if (!task.labels)
      return true;
    std::size_t all = floating  ? floating->count()
                      : integer ? integer->count()
                                : npuInputs->samples.size();
    const NpyView &array = *task.labels;
    std::size_t labelCount = array.shape.empty() ? 1 : array.shape[0];
    if (array.numElements != labelCount || labelCount % all) {
      diags
          .report(DiagId::EvalData, {},
                  "the expected results do not fit the samples")
          .found(array.str())
          .expected("one class number per sample, " + std::to_string(all));
      return false;
    }
    rowsPerRun = labelCount / all;
    labels = array.toFloats();
    return true;
  }

  void runOne(std::size_t i) {
    if (hasFailed)
      return;
    FloatOutputs reference;
    if (floating) {
      reference = floating->floatsOf(floating->run(floating->inputsOf(i)));
      floatScores[i] = score(i, reference, {});
    }
    IoBytes intInputs, intOutputs, npuOutputs;
    if (integer) {
      intInputs = integer->inputsOf(i);
      intOutputs = integer->run(intInputs);
      intScores[i] = score(i, integer->floatsOf(intOutputs), reference);
    }
    if (!task.npu)
      return;
    const IoBytes &inputs = integer ? intInputs : npuInputs->samples[i];
    if (!task.npu->run(inputs, npuOutputs, diags)) {
      hasFailed = true;
      return;
    }
    FloatOutputs floats;
    const auto &descriptions = task.npu->executable().outputs();
    for (std::size_t k = 0; k < npuOutputs.size(); ++k)
      floats.push_back(dequantize(npuOutputs[k], descriptions[k]));
    npuScores[i] = score(i, floats, reference);
    if (integer)
      compare(i, intOutputs, npuOutputs);
  }

  void compare(std::size_t i, const IoBytes &expected, const IoBytes &found) {
    for (std::size_t k = 0; k < expected.size(); ++k) {
      compared[i] += expected[k].size();
      if (k >= found.size() || found[k].size() != expected[k].size()) {
        differing[i] += expected[k].size();
        continue;
      }
      for (std::size_t b = 0; b < expected[k].size(); ++b)
        differing[i] += expected[k][b] != found[k][b];
    }
  }

  RunScore score(std::size_t i, const FloatOutputs &outputs,
                 const FloatOutputs &reference) {
    RunScore result;
    for (std::size_t k = 0; k < outputs.size() && k < reference.size(); ++k)
      if (outputs[k].size() == reference[k].size())
        result.similarity.add(reference[k], outputs[k]);
    result.hits.resize(task.topK.size());
    if (!task.labels || outputs.empty())
      return result;
    std::size_t classes = outputs[0].size() / rowsPerRun;
    for (std::size_t row = 0; row < rowsPerRun; ++row) {
      std::span<const float> scores(outputs[0].data() + row * classes, classes);
      auto label = int64_t(labels[i * rowsPerRun + row]);
      if (label < 0 || std::size_t(label) >= classes) {
        if (!hasFailed.exchange(true))
          diags
              .report(DiagId::EvalData, {},
                      "an expected class is none of the network's")
              .found(std::to_string(label))
              .expected("0 to " + std::to_string(classes - 1));
        return result;
      }
      std::size_t rank = rankOf(scores, label);
      for (std::size_t k = 0; k < task.topK.size(); ++k)
        result.hits[k] += rank < task.topK[k];
    }
    return result;
  }

  AccuracyRow rowOf(const char *name, const std::vector<RunScore> &scores,
                    bool isReference) const {
    AccuracyRow row{name, {}, std::nullopt, 0};
    Similarity all;
    for (const RunScore &s : scores) {
      all.merge(s.similarity);
      row.meanCosine += s.similarity.cosine() / double(runs);
    }
    if (!isReference && all.count)
      row.similarity = all;
    if (!task.labels)
      return row;
    for (std::size_t k = 0; k < task.topK.size(); ++k) {
      uint64_t hits = 0;
      for (const RunScore &s : scores)
        hits += s.hits[k];
      row.topPercent.push_back(100.0 * double(hits) /
                               double(runs * rowsPerRun));
    }
    return row;
  }

  AccuracyResult summarize() const {
    AccuracyResult result;
    result.samples = runs * rowsPerRun;
    result.topK = task.topK;
    if (floating)
      result.rows.push_back(rowOf("float", floatScores, true));
    if (integer)
      result.rows.push_back(rowOf("int", intScores, false));
    if (task.npu)
      result.rows.push_back(rowOf("npu", npuScores, false));
    for (std::size_t i = 0; i < runs; ++i) {
      result.comparedBytes += compared[i];
      result.differingBytes += differing[i];
    }
    return result;
  }

  const AccuracyTask &task;
  Driver &driver;
  DiagnosticEngine &diags;
  std::unique_ptr<HostRunner> floating, integer;
  std::optional<RunInputs> npuInputs; ///< If no integer network makes them.
  std::vector<float> labels;
  std::size_t runs = 0, rowsPerRun = 1;
  std::vector<RunScore> floatScores, intScores, npuScores;
  std::vector<uint64_t> differing, compared;
  std::atomic<bool> hasFailed = false;
};

} // namespace

std::optional<AccuracyResult> yarrow::measureAccuracy(const AccuracyTask &task,
                                                      Driver &driver) {
  return Measurement(task, driver).measure();
}

const AccuracyRow *AccuracyResult::row(const std::string &name) const {
  for (const AccuracyRow &r : rows)
    if (r.name == name)
      return &r;
  return nullptr;
}

static std::string decibels(const Similarity &s) {
  double value = s.sqnrDb();
  return std::isinf(value) ? "exact" : formatFixed(value, 2);
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
      cells.push_back(decibels(*r.similarity));
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
