//===- Noise.cpp - How near integers come to the floats they stand for ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/irs/Noise.h"
#include "dialects/compass/network/Evaluator.h"
#include "test/conformance/Compare.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::testing;
using compass::Evaluator;
using conformance::Pack;
using conformance::Sample;

/// NaN if the floats are of another shape.
static double noise(const compass::TensorInfo &info,
                    compass::TensorBytesRef bytes, const std::string &file,
                    DiagnosticEngine &diags) {
  auto reference = readNpy(file, diags);
  if (!reference || int64_t(reference->numElements) != info.numElements())
    return std::nan("");
  std::vector<float> floats = reference->toFloats();
  std::vector<double> values = conformance::realValues(info, bytes);
  double signal = 0, error = 0;
  for (size_t i = 0; i < floats.size(); ++i) {
    double wanted = floats[i];
    if (!std::isfinite(wanted))
      continue;
    signal += wanted * wanted;
    error += (values[i] - wanted) * (values[i] - wanted);
  }
  return error > 0 ? std::min(kExact, 10 * std::log10(signal / error)) : kExact;
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
