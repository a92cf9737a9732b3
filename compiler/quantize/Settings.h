//===- Settings.h - From a configuration to quantizer options -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A configuration chooses layers by id, type and name with its own rules of
// precedence. They are resolved here for the network at hand: the quantizer
// gets one override for each layer that differs from the global setting.
//
//   recordLayerIds(module);
//   auto options = quantizerOptions(config, module, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_SETTINGS_H
#define YARROW_COMPILER_QUANTIZE_SETTINGS_H

#include "compiler/config/BuildConfig.h"
#include "mlir/IR/BuiltinOps.h"
#include "quantizer/options/QuantizerOptions.h"
#include "support/Diagnostics.h"

#include <optional>

namespace yarrow {

/// Nullopt after QuantUnsupported, for settings without which the result would
/// mean something else. Those that only would improve it are warned of.
std::optional<QuantizerOptions>
quantizerOptions(const config::BuildConfig &config, mlir::ModuleOp module,
                 DiagnosticEngine &diags);

/// What rules of a configuration look at; \p op is in a module with layer ids.
config::LayerKey layerKeyOf(mlir::Operation *op);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_SETTINGS_H
