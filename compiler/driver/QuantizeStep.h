//===- QuantizeStep.h - From float IR on disk to integer IR on disk -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What `yarrow quantize` and `yarrow build` have in common: clean up,
// calibrate, quantize, write, and compare layer by layer.
//
//   auto model = quantizeStep(std::move(module), config, {}, driver);
//   if (model)
//     driver.say(layerTable(model->layers, driver.tableWidth()));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_QUANTIZESTEP_H
#define YARROW_COMPILER_DRIVER_QUANTIZESTEP_H

#include "compiler/config/BuildConfig.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/RuleUse.h"
#include "compiler/driver/WinogradDecision.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quantizer/Metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct QuantizedModel {
  /// As read, to compare with; null if the IR was quantized already.
  mlir::OwningOpRef<mlir::ModuleOp> original;
  mlir::OwningOpRef<mlir::ModuleOp> quantized;
  /// Where the quantized IR lies.
  std::string txtPath, binPath;
  std::size_t calibrationSamples = 0;
  std::vector<TensorMetric> layers;
  std::vector<RuleUse> rules; ///< Those of the configuration.
  /// If with_winograd asked for one.
  std::optional<WinogradDecision> winograd;
};

/// \p module is what config.graph holds; the other files come from
/// config.calibrationData, outputDir and outIrName. Where Winograd is to be
/// decided, networks are compiled with \p compile for config.target. Nullopt
/// after errors.
std::optional<QuantizedModel>
quantizeStep(mlir::OwningOpRef<mlir::ModuleOp> module,
             const config::BuildConfig &config, const CompileOptions &compile,
             Driver &driver);

/// Scale, zero point, cosine and SQNR of every layer, no wider than \p width.
std::string layerTable(const std::vector<TensorMetric> &layers,
                       std::size_t width);
/// One line: how near the outputs are and which layer loses most.
std::string layerSummary(const std::vector<TensorMetric> &layers);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_QUANTIZESTEP_H
