//===- Metrics.cpp - What quantization costs, layer by layer --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/metrics/Metrics.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/calibrate/TensorValues.h"
#include "support/ThreadPool.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

struct NetworkRunner::Impl {
  std::unique_ptr<SampleSet> samples;
  std::unique_ptr<Evaluator> evaluator;

  /// Null, or a layer whose loop does not end.
  mlir::Operation *run(std::size_t sample, std::vector<TensorBytes> &outputs,
                       const Evaluator::Callback &onTensor = {}) const {
    std::vector<std::vector<char>> inputs = samples->inputsOf(sample);
    std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
    return evaluator->run(refs, outputs, onTensor);
  }
  static std::unique_ptr<Impl> create(mlir::ModuleOp module,
                                      const std::vector<NpyView> &arrays,
                                      DiagnosticEngine &diags) {
    auto impl = std::make_unique<Impl>();
    impl->samples = SampleSet::create(module, arrays, diags);
    impl->evaluator = Evaluator::create(module, diags);
    return impl->samples && impl->evaluator ? std::move(impl) : nullptr;
  }
};

NetworkRunner::NetworkRunner(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
NetworkRunner::~NetworkRunner() = default;

std::unique_ptr<NetworkRunner>
NetworkRunner::create(mlir::ModuleOp module, const std::vector<NpyView> &arrays,
                      DiagnosticEngine &diags) {
  std::unique_ptr<Impl> impl = Impl::create(module, arrays, diags);
  if (!impl)
    return nullptr;
  return std::unique_ptr<NetworkRunner>(new NetworkRunner(std::move(impl)));
}

std::size_t NetworkRunner::count() const { return impl->samples->count(); }

std::vector<std::vector<float>>
NetworkRunner::outputsOf(std::size_t sample) const {
  std::vector<TensorBytes> outputs;
  impl->run(sample, outputs);
  std::vector<std::vector<float>> result;
  for (auto [value, bytes] : llvm::zip(impl->evaluator->outputs(), outputs)) {
    FloatValues values(value, bytes);
    result.emplace_back(values.get().begin(), values.get().end());
  }
  return result;
}

/// The tensors to compare, by name, with their place in the result.
static llvm::StringMap<std::size_t>
listTensors(mlir::ModuleOp intModule, std::vector<TensorMetric> &metrics) {
  llvm::StringMap<std::size_t> numbers;
  intModule.walk([&](mlir::Operation *op) {
    const OperatorRecord *record = recordOf(op);
    if (!record)
      return;
    for (mlir::Value v : op->getResults()) {
      TensorInfo info = describe(v);
      TensorMetric m;
      m.layer = layerNameOf(op).str();
      m.layerType = record->layerType.str();
      m.tensor = tensorNameOf(v);
      m.dtype = dtypeName(info.dtype).str();
      m.scale = info.scale;
      m.zp = info.zp;
      m.isOutput = llvm::any_of(
          v.getUsers(), [](mlir::Operation *user) { return !recordOf(user); });
      numbers[m.tensor] = metrics.size();
      metrics.push_back(std::move(m));
    }
  });
  return numbers;
}

std::optional<std::vector<TensorMetric>>
compareNetworks(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
                const std::vector<NpyView> &arrays, std::size_t maxSamples,
                DiagnosticEngine &diags) {
  using Runner = NetworkRunner::Impl;
  std::unique_ptr<Runner> floatRun = Runner::create(floatModule, arrays, diags);
  std::unique_ptr<Runner> intRun = Runner::create(intModule, arrays, diags);
  if (!floatRun || !intRun)
    return std::nullopt;
  std::vector<TensorMetric> metrics;
  llvm::StringMap<std::size_t> numbers = listTensors(intModule, metrics);
  std::size_t count = std::min(
      {maxSamples, floatRun->samples->count(), intRun->samples->count()});
  std::vector<std::vector<Similarity>> perSample(
      count, std::vector<Similarity>(metrics.size()));
  std::vector<mlir::Operation *> endless(count);
  parallelFor(count, [&](std::size_t sample) {
    std::vector<std::vector<float>> signals(metrics.size());
    auto keep = [&](mlir::Value v, TensorBytesRef bytes) {
      auto it = numbers.find(tensorNameOf(v));
      if (it == numbers.end())
        return;
      FloatValues values(v, bytes);
      signals[it->second].assign(values.get().begin(), values.get().end());
    };
    auto compare = [&](mlir::Value v, TensorBytesRef bytes) {
      std::size_t number = numbers.find(tensorNameOf(v))->second;
      FloatValues values(v, bytes);
      // A layer that clean-up changed has no counterpart, or another shape.
      if (signals[number].size() == values.get().size())
        perSample[sample][number].add(signals[number], values.get());
    };
    std::vector<TensorBytes> outputs;
    endless[sample] = floatRun->run(sample, outputs, keep);
    if (!endless[sample])
      endless[sample] = intRun->run(sample, outputs, compare);
  });
  for (mlir::Operation *layer : endless)
    if (layer) {
      reportEndless(layer, diags);
      return std::nullopt;
    }
  for (const std::vector<Similarity> &sample : perSample)
    for (std::size_t n = 0; n < metrics.size(); ++n)
      metrics[n].similarity.merge(sample[n]);
  return metrics;
}

} // namespace yarrow
