//===- Quantize.h - From a float network to an integer one ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The phases before those of Compile.h, on modules alone: clean up, calibrate,
// quantize.
//
//   QuantizeTask task;
//   task.samples = &samples;
//   task.options = [&](auto original, auto cleaned) { return options; };
//   auto networks = quantizeNetwork(std::move(module), task, diags);
//   if (networks)
//     compileNetwork(*networks->quantized, machine, {}, "aipu.bin", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_QUANTIZE_H
#define YARROW_COMPILER_PIPELINE_QUANTIZE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <functional>
#include <optional>
#include <vector>

namespace yarrow {

struct QuantizeTask {
  const std::vector<NpyView> *samples = nullptr; ///< For calibration.
  /// How to quantize, given the network as it was read and after clean-up.
  /// Nullopt after errors.
  std::function<std::optional<QuantizerOptions>(mlir::ModuleOp original,
                                                mlir::ModuleOp cleaned)>
      options;
  CalibrationProgress progress = {};
  /// Makes the integer network, null after errors. Without it, quantizedCopy().
  std::function<mlir::OwningOpRef<mlir::ModuleOp>(
      mlir::ModuleOp cleaned, const Calibration &calibration,
      const QuantizerOptions &options)>
      quantize = {};
};

struct QuantizedNetwork {
  /// As read, and after clean-up: each layer of that one has its counterpart.
  mlir::OwningOpRef<mlir::ModuleOp> original, cleaned;
  mlir::OwningOpRef<mlir::ModuleOp> quantized;
  std::size_t calibrationSamples = 0;
};

/// \p network has layer ids (recordLayerIds). Nullopt after errors.
std::optional<QuantizedNetwork>
quantizeNetwork(mlir::OwningOpRef<mlir::ModuleOp> network,
                const QuantizeTask &task, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_QUANTIZE_H
