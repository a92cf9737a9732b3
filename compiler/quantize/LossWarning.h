//===- LossWarning.h - Warns of a useless result, with a remedy -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reports W0418 for each output that lost too much, with the command that
// repairs it: other settings are tried one after the other, with the present
// calibration, and the first that leaves no useless output is proposed. So each
// hint has a measured figure.
//
//   warnOfLoss({config, networks, *quantized, layers, samples}, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_LOSSWARNING_H
#define YARROW_COMPILER_QUANTIZE_LOSSWARNING_H

#include "compiler/config/BuildConfig.h"
#include "compiler/pipeline/Quantize.h"
#include "quantizer/metrics/Metrics.h"
#include "support/Diagnostics.h"

namespace yarrow {

struct LossTask {
  const config::BuildConfig &config;
  const QuantizedNetwork &networks;
  mlir::ModuleOp quantized;
  const std::vector<TensorMetric> &layers; ///< Of it.
  const std::vector<NpyView> &samples;
};

void warnOfLoss(const LossTask &task, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_LOSSWARNING_H
