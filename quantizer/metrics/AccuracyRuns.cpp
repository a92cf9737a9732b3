//===- AccuracyRuns.cpp - What one run of each network gave ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/AccuracyRuns.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/graph/States.h"
#include "quantizer/calibrate/TensorValues.h"
#include "support/Format.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using compass::Evaluator;

using Bytes = AccuracyDevice::Bytes;

/// A network on the host with the samples in the form it wants.
class AccuracyRuns::Host {
public:
  static std::unique_ptr<Host> create(mlir::ModuleOp module,
                                      const std::vector<NpyView> &data,
                                      const SampleOptions &options,
                                      DiagnosticEngine &diags) {
    auto host = std::make_unique<Host>();
    host->samples = SampleSet::create(module, data, diags, options);
    host->evaluator = Evaluator::create(module, diags);
    if (!host->samples || !host->evaluator)
      return nullptr;
    for (unsigned k : compass::callerInputs(compass::mainGraph(module)))
      host->inputPlaces.push_back(k);
    std::vector<std::string> names = compass::outputNames(module);
    for (unsigned k : compass::callerOutputs(compass::mainGraph(module))) {
      host->places.push_back(k);
      host->outputNames.push_back(names[k]);
      host->values.push_back(host->evaluator->outputs()[k]);
    }
    return host;
  }
  SampleSet &data() const { return *samples; }
  bool run(const Bytes &inputs, Bytes &outputs, DiagnosticEngine &diags) const {
    std::vector<compass::TensorBytesRef> refs(inputs.begin(), inputs.end());
    Bytes all;
    if (compass::EvaluationStop stop = evaluator->run(refs, all)) {
      stop.report(diags);
      return false;
    }
    outputs.clear();
    for (std::size_t k : places)
      outputs.push_back(std::move(all[k]));
    return true;
  }
  /// Without states, which a device keeps itself.
  Bytes ofCaller(Bytes inputs) const {
    Bytes given;
    for (std::size_t k : inputPlaces)
      given.push_back(std::move(inputs[k]));
    return given;
  }
  std::vector<Output> outputs() const {
    std::vector<Output> outputs;
    for (auto [value, name] : llvm::zip_equal(values, outputNames)) {
      compass::TensorInfo info = compass::describe(value);
      outputs.push_back({name,
                         std::size_t(info.numElements()),
                         {info.shape.begin(), info.shape.end()},
                         compass::placeOf(value.getLoc())});
    }
    return outputs;
  }
  FloatOutputs floatsOf(const Bytes &outputs) const {
    FloatOutputs floats;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      FloatValues real(values[k], outputs[k]);
      floats.emplace_back(real.get().begin(), real.get().end());
    }
    return floats;
  }
  RowShape rowShape() const {
    return values.empty() ? RowShape() : rowShapeOf(values[0]);
  }
  std::vector<std::optional<double>>
  thresholds(const DecisionThresholds &given) const {
    std::vector<std::optional<double>> all;
    for (auto [value, name] : llvm::zip_equal(values, outputNames))
      all.push_back(decisionThreshold(value, name, given));
    return all;
  }
  AnswerKind answerKind() const {
    mlir::Operation *op = values.empty() ? nullptr : values[0].getDefiningOp();
    const compass::OperatorRecord *record =
        op ? compass::recordOf(op) : nullptr;
    return record && record->layerType == "Softmax" ? AnswerKind::Shares
                                                    : AnswerKind::Logits;
  }

private:
  std::unique_ptr<SampleSet> samples;
  std::unique_ptr<Evaluator> evaluator;
  std::vector<std::size_t> inputPlaces; ///< Of what a caller gives.
  // Of the outputs that a caller gets:
  std::vector<std::size_t> places;
  std::vector<mlir::Value> values;
  std::vector<std::string> outputNames; ///< The model's.
};

AccuracyRuns::AccuracyRuns(const AccuracyTask &task, DiagnosticEngine &diags)
    : task(task), diags(diags) {}
AccuracyRuns::~AccuracyRuns() = default;

bool AccuracyRuns::create() {
  if (task.floating && !open(task.floating, "float"))
    return false;
  if (task.integer) {
    integerHost = hosts.size();
    if (!open(task.integer, "int"))
      return false;
  }
  if (task.other && !open(task.other, "other"))
    return false;
  if (task.npu && !openNpu())
    return false;
  if (!hosts.empty()) {
    answerKind = hosts[0]->answerKind();
    rowShape = hosts[0]->rowShape();
    thresholds = hosts[0]->thresholds(task.thresholds);
  }
  if (!hosts.empty() || npuInputs)
    batch = hosts.empty() ? npuInputs->batch() : hosts[0]->data().batch();
  if (!checkOutputs() || !checkLabels())
    return false;
  limit();
  return checkScores();
}

bool AccuracyRuns::open(mlir::ModuleOp module, const char *name) {
  SampleOptions options{diag::TensorMismatch, task.integersAreReal};
  auto host = Host::create(module, task.data, options, diags);
  if (!host || !addCount(host->data().count(), name))
    return false;
  networks.push_back({name, host->outputs()});
  hosts.push_back(std::move(host));
  return true;
}

bool AccuracyRuns::openNpu() {
  if (!task.integer) {
    npuInputs = task.npu->inputsOf(task.data, task.integersAreReal, diags);
    if (!npuInputs || !addCount(npuInputs->count(), "npu"))
      return false;
  }
  networks.push_back({"npu", {}});
  for (AccuracyDevice::Output &output : task.npu->outputs())
    networks.back().outputs.push_back(
        {output.tensor, output.numElements, output.shape});
  return true;
}

/// All take the same number of runs for the data.
bool AccuracyRuns::addCount(std::size_t runs, const char *name) {
  if (count == 0 || runs == count) {
    count = runs;
    return true;
  }
  diags
      .report(diag::EvalData, {},
              "the networks take different numbers of samples per run")
      .found(std::to_string(runs) + " runs for " + name)
      .expected(std::to_string(count) + ", as for " + networks[0].name);
  return false;
}

bool AccuracyRuns::isFirstOfSequence(std::size_t i) const {
  return integerHost ? hosts[*integerHost]->data().isFirstOfSequence(i)
                     : npuInputs->isFirstOfSequence(i);
}

bool AccuracyRuns::run(std::size_t i, RunResult &result) {
  FloatOutputs reference;
  Bytes intInputs, intOutputs;
  for (std::size_t n = 0; n < hosts.size(); ++n) {
    Bytes inputs = hosts[n]->data().inputsOf(i), outputs;
    if (!hosts[n]->run(inputs, outputs, diags))
      return false;
    FloatOutputs floats = hosts[n]->floatsOf(outputs);
    bool isCompared = hasReference() && n > 0;
    result.scores.push_back(
        score(i, networks[n], floats, isCompared ? &reference : nullptr));
    if (n == 0)
      reference = std::move(floats);
    if (task.npu && n == integerHost) {
      intInputs = hosts[n]->ofCaller(std::move(inputs));
      intOutputs = std::move(outputs);
    }
  }
  if (!task.npu)
    return true;
  if (!integerHost)
    intInputs = npuInputs->inputsOf(i);
  if (isFirstOfSequence(i))
    task.npu->resetState();
  Bytes outputs;
  if (!task.npu->run(intInputs, outputs, diags))
    return false;
  FloatOutputs floats;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    floats.push_back(task.npu->realNumbers(k, outputs[k]));
  result.scores.push_back(
      score(i, networks.back(), floats, hasReference() ? &reference : nullptr));
  if (!integerHost)
    return true;
  for (std::size_t k = 0; k < intOutputs.size(); ++k) {
    const std::vector<char> &expected = intOutputs[k];
    result.comparedBytes += expected.size();
    if (k >= outputs.size() || outputs[k].size() != expected.size()) {
      result.differingBytes += expected.size();
      continue;
    }
    for (std::size_t b = 0; b < expected.size(); ++b)
      result.differingBytes += expected[b] != outputs[k][b];
  }
  return true;
}

/// No class can be found among scores with a NaN, and no error be told where
/// there is an infinity.
std::optional<RunScore::BadElement>
AccuracyRuns::findBad(const FloatOutputs &outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k)
    for (std::size_t i = 0; i < outputs[k].size(); ++i)
      if (float v = outputs[k][i];
          std::isnan(v) || (hasReference() && std::isinf(v)))
        return RunScore::BadElement{k, i, v};
  return std::nullopt;
}

/// Where the expected class stands among the scores; equal scores rank by
/// index, as a stable sort would leave them.
static std::size_t rankOf(std::span<const float> scores, int64_t label) {
  std::size_t rank = 0;
  float own = scores[std::size_t(label)];
  for (std::size_t i = 0; i < scores.size(); ++i)
    rank += scores[i] > own || (scores[i] == own && int64_t(i) < label);
  return rank;
}

void AccuracyRuns::addDistance(std::size_t output,
                               std::span<const float> reference,
                               std::span<const float> values,
                               RunScore &score) const {
  score.outputs.emplace_back().add(reference, values);
  DecisionSides &sides = score.sides.emplace_back();
  if (output < thresholds.size() && thresholds[output])
    sides.add(*thresholds[output], reference, values);
}

RunScore AccuracyRuns::score(std::size_t run, const Network &network,
                             const FloatOutputs &outputs,
                             const FloatOutputs *reference) {
  RunScore result;
  result.bad = findBad(outputs);
  if (result.bad)
    return result;
  if (reference && !findBad(*reference)) {
    for (std::size_t k = 0; k < outputs.size() && k < reference->size(); ++k)
      addDistance(k, (*reference)[k], outputs[k], result);
    if (mayHaveAnswers())
      addAnswers(run, outputs, *reference, result);
  }
  result.hits.resize(task.topK.size());
  for (std::size_t row = 0; !classes.empty() && row < rowsPerRun; ++row) {
    std::size_t size = outputs[0].size() / rowsPerRun;
    std::span<const float> scores(outputs[0].data() + row * size, size);
    std::size_t rank = rankOf(scores, classes[run * rowsPerRun + row]);
    for (std::size_t k = 0; k < task.topK.size(); ++k)
      result.hits[k] += rank < task.topK[k];
  }
  if (!observers.empty())
    observe(run, network, outputs, result);
  return result;
}

void AccuracyRuns::addAnswers(std::size_t run, const FloatOutputs &outputs,
                              const FloatOutputs &reference, RunScore &score) {
  std::size_t size = outputs[0].size() / rowsPerRun;
  score.answers = ScoreRows(rowShape);
  score.answers.add(reference[0], outputs[0]);
  for (std::size_t row = 0; row < rowsPerRun; ++row) {
    std::optional<int64_t> label;
    if (!classes.empty())
      label = classes[run * rowsPerRun + row];
    score.agreement.merge(compareAnswers(
        std::span(reference[0]).subspan(row * size, size),
        std::span(outputs[0]).subspan(row * size, size), label, answerKind));
  }
}

void AccuracyRuns::observe(std::size_t run, const Network &network,
                           const FloatOutputs &outputs, RunScore &score) {
  for (std::size_t row = 0; row < rowsPerRun; ++row) {
    ScoredSample sample;
    std::vector<std::vector<int64_t>> shapes;
    std::vector<std::vector<float>> labels;
    shapes.reserve(outputs.size() + task.labels.size());
    labels.reserve(task.labels.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      std::size_t size = outputs[k].size() / rowsPerRun;
      shapes.push_back(sampleShape(network.outputs[k]));
      sample.outputs.push_back(
          {std::span(outputs[k]).subspan(row * size, size), shapes.back()});
    }
    for (const NpyView &array : task.labels) {
      std::size_t size = array.shape.empty()
                             ? 1
                             : array.numElements / std::size_t(array.shape[0]);
      std::size_t first = (run * rowsPerRun + row) * size;
      labels.push_back(array.part(first, size).toFloats());
      shapes.emplace_back(array.shape.begin() + (array.shape.empty() ? 0 : 1),
                          array.shape.end());
      sample.labels.push_back({labels.back(), shapes.back()});
    }
    for (const std::unique_ptr<Score> &observer : observers)
      score.observations.push_back(observer->observe(sample));
  }
}

void AccuracyRuns::releaseBefore(std::size_t i) {
  for (const std::unique_ptr<Host> &host : hosts)
    host->data().releaseBefore(i);
  if (npuInputs)
    npuInputs->releaseBefore(i);
}
