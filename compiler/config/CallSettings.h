//===- CallSettings.h - Settings of one call, by their keys -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What calls have in the place of a configuration file: options of a command,
// keywords of Python, key=value strings of C. They are keys of the same records
// and fill the same BuildConfig.
//
//   BuildConfig config = defaultBuildConfig();
//   if (!applyQuantization({{"weight_bits", "4"}}, config, diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_CALLSETTINGS_H
#define YARROW_COMPILER_CONFIG_CALLSETTINGS_H

#include "compiler/config/BuildConfig.h"
#include "compiler/config/ConfigKeys.h"
#include "compiler/data/pictures/PictureOptions.h"

#include <map>
#include <string>
#include <vector>

namespace yarrow::config {

/// Texts of values by key; "" is not given.
using KeyTexts = std::map<std::string, std::string>;

/// The keys of [Optimizer] that say how to quantize.
std::vector<const ConfigKey *> quantizationKeys();
/// Their names, and those of pictures (PictureSettings.h).
std::vector<std::string> quantizationKeyNames();

/// Sets these and those of config.recipe that are not given; reads opt_config.
/// Places are those of options: --weight-bits. False after errors.
bool applyQuantization(const KeyTexts &keys, BuildConfig &config,
                       DiagnosticEngine &diags);

/// Of calls whose data are pictures; nullopt after errors.
std::optional<PictureOptions> picturesOf(const KeyTexts &keys,
                                         DiagnosticEngine &diags);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_CALLSETTINGS_H
