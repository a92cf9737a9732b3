//===- ApplyMethods.h - The methods of global_calibration -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lets methods that look at more than one tensor change how a network is
// quantized: first those that change float weights, then those that change
// ranges, then those that round. Each is measured at the network's outputs on
// the calibration samples; one that makes them worse is not kept.
//
//   MethodTask task{cleaned, calibration, options, samples};
//   auto result = applyMethods(task, diags);
//   for (const AppliedMethod &m : result->applied)
//     print(m.name, m.beforeDb, m.afterDb, m.isKept);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METHODS_APPLYMETHODS_H
#define YARROW_QUANTIZER_METHODS_APPLYMETHODS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/metrics/OutputLoss.h"
#include "quantizer/options/QuantizerOptions.h"
#include "quantizer/rounding/Rounding.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// Makes an integer network of \p network, null after errors. May choose other
/// options for it, which \p options are then.
using QuantizeNetwork = std::function<mlir::OwningOpRef<mlir::ModuleOp>(
    mlir::ModuleOp network, const Calibration &calibration,
    QuantizerOptions &options)>;

/// SQNR of the part of an output that loses most, in dB.
struct AppliedMethod {
  std::string name;
  double beforeDb = 0, afterDb = 0;
  bool isKept = false;
  std::string note = {}; ///< What else there is to say.
};

/// A network that methods have done all they can for.
struct FinishedNetwork {
  mlir::OwningOpRef<mlir::ModuleOp> quantized;
  QuantizerOptions options;
  OutputLoss loss;
  std::vector<AppliedMethod> applied;
};

/// What goes on from there (FinishedTask::now) and may put another one in its
/// place. False after errors.
struct FinishedTask {
  mlir::ModuleOp network; ///< float, as methods have left it
  const Calibration &calibration;
  const std::vector<NpyView> &samples;
  const OutputJudge &judge;
  FinishedNetwork &now;
  /// The same network with other options, its weights rounded as in \p like
  /// where they have the same steps: to compare choices with. Nullopt after
  /// errors.
  std::function<std::optional<FinishedNetwork>(const QuantizerOptions &,
                                               const FinishedNetwork &like,
                                               DiagnosticEngine &)>
      tryOptions;
  /// The same network with other options, rounded by the methods.
  std::function<std::optional<FinishedNetwork>(const QuantizerOptions &,
                                               DiagnosticEngine &)>
      round;
};
using ImproveFinished = std::function<bool(const FinishedTask &)>;

struct MethodTask {
  mlir::ModuleOp network; ///< float, cleaned up
  const Calibration &calibration;
  const QuantizerOptions &options; ///< with the methods
  const std::vector<NpyView> &samples;
  /// Called once, before weights are rounded: what else decides how to quantize
  /// (precision, forms of convolutions). Empty: quantizedCopy.
  QuantizeNetwork quantize = {};
  /// Told of each layer that a method has done.
  std::function<void(const GlobalMethod &, std::size_t, std::size_t)> progress =
      {};
  /// Called at the end, where there are samples. Empty: nothing.
  ImproveFinished improve = {};
};

struct MethodResult {
  mlir::OwningOpRef<mlir::ModuleOp> quantized;
  std::vector<AppliedMethod> applied;
  QuantizerOptions options; ///< Those that it has been quantized with.
};

/// Nullopt after errors. Reports methods that are not kept, or find no layer.
std::optional<MethodResult> applyMethods(const MethodTask &task,
                                         DiagnosticEngine &diags);

/// A line for each method: what it gains at the outputs.
std::string methodSummary(const std::vector<AppliedMethod> &applied);

//===--- Of the stages Network and Ranges ---------------------------------===//

/// What a method may change of the float network before it is quantized.
struct MethodInput {
  mlir::ModuleOp network; ///< A copy of its own.
  Calibration &calibration;
  QuantizerOptions &options;
  /// As it is quantized now.
  mlir::ModuleOp quantized;
  const std::vector<NpyView> &samples;
  const GlobalMethod &method;
  DiagnosticEngine &diags;
  RoundingProgress progress = {};

  JointTask joint() const {
    return {network, quantized, method, options, samples, diags, progress};
  }
};

/// Each returns whether it has changed anything.
bool equalizeLayers(const MethodInput &input);
bool balanceChannels(const MethodInput &input);
bool balanceBounded(const MethodInput &input);
bool smoothChannels(const MethodInput &input);
bool correctNormRanges(const MethodInput &input);
bool chooseDenoisedRanges(const MethodInput &input);
bool chooseMseRanges(const MethodInput &input);
bool chooseHessianScales(const MethodInput &input);
bool chooseEasyScales(const MethodInput &input);

} // namespace yarrow

#endif // YARROW_QUANTIZER_METHODS_APPLYMETHODS_H
