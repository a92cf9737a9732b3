//===- SampledNetwork.h - A network with samples for it ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What measures networks on the host runs them with:
//
//   SampledNetwork network;
//   if (!network.create(module, arrays, diags)) return std::nullopt;
//   network.run(/*sample=*/0, outputs, onTensor);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_SAMPLEDNETWORK_H
#define YARROW_QUANTIZER_METRICS_SAMPLEDNETWORK_H

#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/Calibrate.h"

#include <memory>
#include <vector>

namespace yarrow {

struct SampledNetwork {
  std::unique_ptr<SampleSet> samples; ///< In the form that the network wants.
  std::unique_ptr<compass::Evaluator> evaluator;

  /// False after errors; what is wrong with both is told.
  bool create(mlir::ModuleOp module, const std::vector<NpyView> &arrays,
              DiagnosticEngine &diags) {
    samples = SampleSet::create(module, arrays, diags);
    evaluator = compass::Evaluator::create(module, diags);
    return samples && evaluator;
  }
  /// As Evaluator::run. May be called from several threads.
  compass::EvaluationStop
  run(std::size_t sample, std::vector<compass::TensorBytes> &outputs,
      const compass::Evaluator::Callback &onTensor = {}) const {
    std::vector<std::vector<char>> inputs = samples->inputsOf(sample);
    std::vector<compass::TensorBytesRef> refs(inputs.begin(), inputs.end());
    return evaluator->run(refs, outputs, onTensor);
  }
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_SAMPLEDNETWORK_H
