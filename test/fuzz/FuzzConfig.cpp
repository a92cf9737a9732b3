//===- FuzzConfig.cpp - Broken configuration files ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash and no hang, and a configuration exactly if
// there is no error.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/BuildConfig.h"
#include "test/fuzz/Fuzz.h"

#include <cstdint>

using namespace yarrow;
using namespace yarrow::config;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  DiagnosticEngine diags;
  std::optional<BuildConfig> config =
      parseBuildConfig(text, "fuzz/fuzz.cfg", ConfigOptions(), diags);
  for (const Diagnostic &diag : diags.all())
    diag.str();
  fuzz::require(config.has_value() == !diags.hasErrors(),
                "a configuration exactly if there is no error", &diags);
  if (!config)
    return 0;
  ++fuzz::numAccepted;
  for (LayerKey layer : {LayerKey{3, "Convolution", "", "model/conv_1"},
                         LayerKey{0, "Activation", "RELU", "aaaaaaaaaab"}}) {
    config->weightBits.get(layer);
    config->triggerFloatOp.get(layer);
    config->calibrationStrategyForWeight.get(layer);
  }
  return 0;
}
