//===- Quantize.cpp - From a float network to an integer one --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Quantize.h"
#include "passes/cleanup/Cleanup.h"
#include "quantizer/Quantizer.h"
#include "quantizer/calibrate/IrRanges.h"

using namespace yarrow;
using namespace mlir;

std::optional<QuantizedNetwork>
yarrow::quantizeNetwork(OwningOpRef<ModuleOp> network, const QuantizeTask &task,
                        yarrow::DiagnosticEngine &diags) {
  QuantizedNetwork result;
  result.original = cast<ModuleOp>((*network)->clone());
  result.cleaned = std::move(network);
  ModuleOp cleaned = *result.cleaned;
  if (!runCleanup(cleaned, diags))
    return std::nullopt;
  std::optional<QuantizerOptions> options =
      task.options(*result.original, cleaned);
  if (!options)
    return std::nullopt;
  options->rangesInIr =
      std::make_shared<const IrRanges>(IrRanges::of(*result.original));
  auto calibration =
      Calibration::run(cleaned, *task.samples, *options, task.progress, diags);
  if (!calibration)
    return std::nullopt;
  result.calibrationSamples = calibration->sampleCount();
  result.quantized =
      task.quantize ? task.quantize(cleaned, *calibration, *options)
                    : quantizedCopy(cleaned, *calibration, *options, diags);
  if (!result.quantized)
    return std::nullopt;
  return result;
}
