//===- CalibrationData.h - Samples as a configuration names them --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// calibration_data of [Optimizer], or drawn numbers where a model is built
// without any.
//
//   auto samples = readCalibration(config, module, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_CALIBRATIONDATA_H
#define YARROW_COMPILER_QUANTIZE_CALIBRATIONDATA_H

#include "compiler/config/BuildConfig.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <optional>
#include <vector>

namespace yarrow {

/// No arrays where statistics take the place of calibration. Nullopt after
/// errors.
std::optional<std::vector<NpyView>>
readCalibration(const config::BuildConfig &config, mlir::ModuleOp module,
                DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_CALIBRATIONDATA_H
