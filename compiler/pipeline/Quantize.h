//===- Quantize.h - From a float network to an integer one ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The phases before those of Compile.h (Phases.def), on modules alone, by one
// PassManager: clean up, calibrate, quantize.
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
#include "quantizer/encodings/EncodingPlan.h"
#include "quantizer/methods/ApplyMethods.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// Statistics in the place of samples, and where to keep them.
struct StatisticsFiles {
  std::string read;  ///< "": the samples are run.
  std::string write; ///< "": they are not kept.
  bool ignoreMissing = false;
};

struct QuantizeTask {
  /// For calibration; null only if statistics are read or encodings given.
  const std::vector<NpyView> *samples = nullptr;
  StatisticsFiles statistics = {};
  /// Scales of tensors that count more than their values; or null.
  const Encodings *encodings = nullptr;
  /// What they call the tensors of a model that was imported.
  std::vector<ModelTensor> modelTensors = {};
  /// Whether the inputs are pixels: bytes that stand for 0 to 255, whatever
  /// the samples show.
  bool takesPixels = false;
  /// How to quantize, given the network as it was read and after clean-up.
  /// Nullopt after errors.
  std::function<std::optional<QuantizerOptions>(mlir::ModuleOp original,
                                                mlir::ModuleOp cleaned)>
      options;
  CalibrationProgress progress = {};
  Ranks *ranks = nullptr; ///< Processes that share the samples.
  /// Of methods of global_calibration, with the layers done and all.
  std::function<void(const GlobalMethod &, std::size_t, std::size_t)>
      methodProgress = {};
  /// Without it, quantizedCopy().
  QuantizeNetwork quantize = {};
  /// What is done behind all methods.
  ImproveFinished improve = {};
};

/// A network that is quantized many times: it is cleaned up once, and runs on
/// the samples once for all options that take the same statistics.
///
///   auto session = QuantizeSession::create(std::move(module), samples, diags);
///   auto quantized = session->quantize(options, diags);
class QuantizeSession {
public:
  /// \p network has layer ids. Null after errors.
  static std::unique_ptr<QuantizeSession>
  create(mlir::OwningOpRef<mlir::ModuleOp> network,
         const std::vector<NpyView> &samples, DiagnosticEngine &diags);

  mlir::ModuleOp original() const { return *networks[0]; }
  mlir::ModuleOp cleaned() const { return *networks[1]; }
  /// Of the last calibration.
  std::size_t sampleCount() const {
    return calibrations.empty() ? 0 : calibrations.back()->sampleCount();
  }
  /// Null after errors.
  std::shared_ptr<const Calibration>
  calibrate(const QuantizerOptions &options, DiagnosticEngine &diags,
            const CalibrationProgress &progress = {});
  mlir::OwningOpRef<mlir::ModuleOp> quantize(const QuantizerOptions &options,
                                             DiagnosticEngine &diags);

private:
  explicit QuantizeSession(const std::vector<NpyView> &samples)
      : samples(samples) {}

  const std::vector<NpyView> &samples;
  mutable mlir::OwningOpRef<mlir::ModuleOp> networks[2];
  std::shared_ptr<const IrRanges> rangesInIr;
  std::vector<std::shared_ptr<const Calibration>> calibrations;
};

struct QuantizedNetwork {
  /// As read, and after clean-up: each layer of that one has its counterpart.
  mlir::OwningOpRef<mlir::ModuleOp> original, cleaned;
  mlir::OwningOpRef<mlir::ModuleOp> quantized;
  std::size_t calibrationSamples = 0;
  std::vector<AppliedMethod> methods; ///< Those of global_calibration.
  std::shared_ptr<const Calibration> calibration; ///< Of the cleaned network.
  QuantizerOptions options;
};

/// \p network has layer ids (recordLayerIds). Nullopt after errors.
std::optional<QuantizedNetwork>
quantizeNetwork(mlir::OwningOpRef<mlir::ModuleOp> network,
                const QuantizeTask &task, DiagnosticEngine &diags);

/// The way to the end of the phase \p last, quantize or one before: the
/// network as it is then. Behind calibrate it has the range of every tensor
/// (quantizer/calibrate/RangeAttributes.h). Null after errors.
mlir::OwningOpRef<mlir::ModuleOp>
quantizeUntil(mlir::OwningOpRef<mlir::ModuleOp> network,
              const QuantizeTask &task, const std::string &last,
              DiagnosticEngine &diags);

/// \p network is that of \p like for inputs of other shapes, with layer ids: it
/// gets the same scales. Methods and forms that \p like was given otherwise are
/// not repeated. Null after errors.
mlir::OwningOpRef<mlir::ModuleOp>
quantizeLike(const QuantizedNetwork &like,
             mlir::OwningOpRef<mlir::ModuleOp> network,
             DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_QUANTIZE_H
