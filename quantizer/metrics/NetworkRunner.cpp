//===- NetworkRunner.cpp - A network's outputs on samples -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/metrics/Metrics.h"

#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/metrics/SampledNetwork.h"

using namespace yarrow::compass;

namespace yarrow {

struct NetworkRunner::Impl : SampledNetwork {};

NetworkRunner::NetworkRunner(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
NetworkRunner::~NetworkRunner() = default;

std::unique_ptr<NetworkRunner>
NetworkRunner::create(mlir::ModuleOp module, const std::vector<NpyView> &arrays,
                      DiagnosticEngine &diags) {
  auto impl = std::make_unique<Impl>();
  if (!impl->create(module, arrays, diags))
    return nullptr;
  return std::unique_ptr<NetworkRunner>(new NetworkRunner(std::move(impl)));
}

std::size_t NetworkRunner::count() const { return impl->samples->count(); }

std::vector<std::vector<float>>
NetworkRunner::outputsOf(std::size_t sample) const {
  std::vector<TensorBytes> outputs;
  impl->run(sample, outputs);
  return realTensors(impl->evaluator->outputs(), outputs);
}

} // namespace yarrow
