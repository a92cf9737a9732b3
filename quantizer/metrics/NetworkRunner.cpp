//===- NetworkRunner.cpp - A network's outputs on samples -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/metrics/Metrics.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/calibrate/TensorValues.h"

using namespace yarrow::compass;

namespace yarrow {

struct NetworkRunner::Impl {
  std::unique_ptr<SampleSet> samples;
  std::unique_ptr<Evaluator> evaluator;

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
  std::vector<std::vector<char>> inputs = impl->samples->inputsOf(sample);
  std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
  std::vector<TensorBytes> outputs;
  impl->evaluator->run(refs, outputs);
  std::vector<std::vector<float>> result;
  for (auto [value, bytes] : llvm::zip(impl->evaluator->outputs(), outputs)) {
    FloatValues values(value, bytes);
    result.emplace_back(values.get().begin(), values.get().end());
  }
  return result;
}

} // namespace yarrow
