//===- Noise.cpp - How near integers come to the floats they stand for ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/irs/Noise.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "test/conformance/Compare.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::testing;
using compass::Evaluator;
using conformance::Pack;
using conformance::Sample;

namespace {
/// The power of floats and of what integers differ from them.
struct Power {
  double signal = 0, error = 0;

  void add(double wanted, double value) {
    if (!std::isfinite(wanted))
      return;
    signal += wanted * wanted;
    error += (value - wanted) * (value - wanted);
  }
  double decibels() const {
    return error > 0 ? std::min(kExact, 10 * std::log10(signal / error))
                     : kExact;
  }
};
} // namespace

/// NaN if the floats are of another shape.
static double noise(const compass::TensorInfo &info,
                    compass::TensorBytesRef bytes, const std::string &file,
                    DiagnosticEngine &diags) {
  auto reference = readNpy(file, diags);
  if (!reference || int64_t(reference->numElements) != info.numElements())
    return std::nan("");
  std::vector<float> floats = reference->toFloats();
  std::vector<double> values = conformance::realValues(info, bytes);
  Power power;
  for (size_t i = 0; i < floats.size(); ++i)
    power.add(floats[i], values[i]);
  return power.decibels();
}

std::vector<double> testing::noiseOver(const std::vector<NpyView> &samples,
                                       mlir::ModuleOp floating,
                                       mlir::ModuleOp integer,
                                       DiagnosticEngine &diags) {
  mlir::ModuleOp modules[] = {floating, integer};
  std::unique_ptr<Evaluator> evaluators[2];
  std::unique_ptr<SampleSet> data[2];
  for (int i : {0, 1}) {
    evaluators[i] = Evaluator::create(modules[i], diags);
    data[i] = SampleSet::create(modules[i], samples, diags);
    if (!evaluators[i] || !data[i])
      return {};
  }
  std::vector<Power> powers(evaluators[0]->outputs().size());
  for (size_t run = 0; run < data[0]->count(); ++run) {
    std::vector<double> values[2];
    std::vector<compass::TensorBytes> outputs[2];
    for (int i : {0, 1}) {
      auto inputs = data[i]->inputsOf(run);
      std::vector<compass::TensorBytesRef> refs(inputs.begin(), inputs.end());
      evaluators[i]->run(refs, outputs[i]);
    }
    for (size_t o = 0; o < powers.size(); ++o) {
      for (int i : {0, 1})
        values[i] = conformance::realValues(
            compass::describe(evaluators[i]->outputs()[o]), outputs[i][o]);
      for (size_t k = 0; k < values[0].size(); ++k)
        powers[o].add(values[0][k], values[1][k]);
    }
  }
  std::vector<double> decibels;
  for (const Power &power : powers)
    decibels.push_back(power.decibels());
  return decibels;
}

std::vector<double> testing::noiseOf(mlir::ModuleOp module,
                                     const Sample &sample,
                                     DiagnosticEngine &diags) {
  auto evaluator = Evaluator::create(module, diags);
  if (!evaluator)
    return {};
  Sample floats = sample;
  floats.quantizeInputs = true;
  auto inputs = conformance::inputsOf(evaluator->inputs(), floats, diags);
  if (!inputs)
    return {};
  std::vector<compass::TensorBytesRef> refs(inputs->begin(), inputs->end());
  std::vector<compass::TensorBytes> outputs;
  evaluator->run(refs, outputs);
  std::vector<double> decibels;
  for (size_t i = 0; i < std::min(outputs.size(), sample.outputs.size()); ++i)
    decibels.push_back(noise(compass::describe(evaluator->outputs()[i]),
                             outputs[i], sample.outputs[i], diags));
  return decibels;
}

std::vector<double> testing::recordedNoise(mlir::ModuleOp module,
                                           const Pack &pack,
                                           DiagnosticEngine &diags) {
  std::vector<Sample> integers = pack.intSamples(diags),
                      floats = pack.floatSamples();
  std::vector<double> decibels;
  if (integers.empty() || floats.empty())
    return decibels;
  auto results = mlir::cast<mlir::Operation *>(module.lookupSymbol("main"))
                     ->getRegion(0)
                     .front()
                     .getTerminator()
                     ->getOperands();
  const auto &recorded = integers.front().outputs;
  size_t count = std::min(
      {results.size(), recorded.size(), floats.front().outputs.size()});
  for (size_t i = 0; i < count; ++i) {
    auto npy = readNpy(recorded[i], diags);
    compass::TensorInfo info = compass::describe(results[i]);
    if (!npy || npy->sizeBytes() != info.sizeBytes())
      return {};
    const auto *data = static_cast<const char *>(npy->data);
    decibels.push_back(noise(info, {data, npy->sizeBytes()},
                             floats.front().outputs[i], diags));
  }
  return decibels;
}
