//===- LossWarning.h - That a result is useless, and what mends it -*- C++ -*-//
//
// Part of Yarrow, under the Apache License v2.0.
//
// W0418 for each output that lost too much, with the command that mends it:
// other settings are tried one after the other, with the calibration that is
// there, and the first that leaves no such output is proposed. So a figure
// stands behind each hint.
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
