//===- QuantizedModel.h - What became of a network that is quantized ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The integer network, and all that quantization found out about it.
//
//   for (const TensorMetric &layer : model.layers)
//     say(layer.name, layer.similarity.sqnrDb());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_QUANTIZEDMODEL_H
#define YARROW_COMPILER_QUANTIZE_QUANTIZEDMODEL_H

#include "compiler/forms/FormDecision.h"
#include "compiler/precision/PrecisionSearch.h"
#include "compiler/quantize/RuleUse.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quantizer/methods/ApplyMethods.h"
#include "quantizer/metrics/Metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct QuantizedModel {
  /// As read, to compare with; null if the IR was quantized already.
  mlir::OwningOpRef<mlir::ModuleOp> original;
  mlir::OwningOpRef<mlir::ModuleOp> quantized;
  /// The same for inputs of smaller shapes, ascending.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> smaller;
  /// Where the quantized IR lies.
  std::string txtPath, binPath;
  std::string templatePath; ///< Of the settings by layer (OptTemplate.h).
  std::size_t calibrationSamples = 0;
  /// The same with the layers of fake_quant_*_for_debug in floats; null
  /// without them.
  mlir::OwningOpRef<mlir::ModuleOp> debugged;
  std::vector<TensorMetric> layers;   ///< None without samples.
  std::vector<AppliedMethod> methods; ///< Those of global_calibration.
  std::vector<RuleUse> rules;         ///< Those of the configuration.
  /// If with_winograd asked for one.
  std::optional<FormDecision> winograd;
  /// If mixed_precision_auto_search asked for one.
  std::optional<PrecisionPlan> precision;
};

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_QUANTIZEDMODEL_H
