//===- OptTemplate.h - The settings of a network, layer by layer *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What every quantization writes as <model_name>_opt_template.json: the
// attributes of each layer as they were in force, to be changed and given as
// opt_config. Given back unchanged, whatever the configuration's own keys, it
// leads to the same integer IR. A member just_for_display of each layer says
// what became of it.
//
//   if (!checkOptLayers(config, *original, *cleaned, diags)) ...
//   writeOptTemplate(path, config, *cleaned, *quantized, metrics, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_OPTTEMPLATE_H
#define YARROW_COMPILER_QUANTIZE_OPTTEMPLATE_H

#include "compiler/config/BuildConfig.h"
#include "mlir/IR/BuiltinOps.h"
#include "quantizer/metrics/Metrics.h"
#include "support/Diagnostics.h"

#include <string>
#include <vector>

namespace yarrow {

/// Whether \p network, as it was read, has the layers that opt_config names,
/// and these the attributes. False after diagnostics of all that it has not.
/// Warns of layers that are not in \p cleaned, the same after clean-up.
bool checkOptLayers(const config::BuildConfig &config, mlir::ModuleOp network,
                    mlir::ModuleOp cleaned, DiagnosticEngine &diags);

/// Of \p cleaned, whose layers have layer_ids, and what became of them.
bool writeOptTemplate(const std::string &path,
                      const config::BuildConfig &config, mlir::ModuleOp cleaned,
                      mlir::ModuleOp quantized,
                      const std::vector<TensorMetric> &metrics,
                      DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_OPTTEMPLATE_H
