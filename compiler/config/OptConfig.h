//===- OptConfig.h - Settings by layer in JSON ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// opt_config names a JSON file {layer name: {attribute: value}}, in the form
// that every quantization writes as <model_name>_opt_template.json. Its
// settings of a layer override the keys of the configuration. Attributes are
// the records of LayerAttributes.def.
//
//   config.optConfig = "net_opt_template.json";
//   readOptConfig(config, diags);
//   config.weightBits.get(layer);              // of the file, if it says so
//   for (const LayerAttribute &a : layerAttributes())
//     attributes[a.name] = a.textFor(config, layer);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_OPTCONFIG_H
#define YARROW_COMPILER_CONFIG_OPTCONFIG_H

#include "compiler/config/BuildConfig.h"
#include "compiler/config/ConfigKeys.h"

#include <span>
#include <string>
#include <string_view>

namespace yarrow::config {

struct LayerAttribute {
  std::string_view name;
  /// The key of [Optimizer] that has the value for all layers; null for those
  /// that have none.
  const ConfigKey *key = nullptr;
  std::string_view layerType = {}; ///< Only of layers of this type, if given.
  std::string_view sameAs = {};    ///< Must say what this attribute says.
  std::string_view fixed = {};     ///< The only value.

  bool isOf(std::string_view type) const {
    return layerType.empty() || layerType == type;
  }
};

std::span<const LayerAttribute> layerAttributes();

/// Takes what the files of qconfig and opt_config say, if they are given. False
/// after diagnostics, of all problems at once.
bool readOptConfig(BuildConfig &config, DiagnosticEngine &diags);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_OPTCONFIG_H
