//===- SettingEdits.h - Settings of a configuration, changed ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What proposes settings changes the text of those that are given, so that a
// user can put the result into a file: other values for all layers, rules for
// some, and the rules that were there stay.
//
//   Settings settings = {{"weight_bits", "8 & <[Softmax]:16>"}};
//   withRule(settings, "weight_bits", {3, 4, 7}, "4");
//     // "8 & <[(3,4),(7,7)]:4> <[Softmax]:16>"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_SETTINGEDITS_H
#define YARROW_COMPILER_CONFIG_SETTINGEDITS_H

#include "compiler/config/BuildConfig.h"
#include "compiler/config/PerLayer.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

/// Values of the section [Optimizer] by their keys, as a file has them.
using Settings = std::map<std::string, std::string>;

/// Where a user gives settings: in a file, as options of a command that
/// quantizes, or with --set of `build`.
enum class SettingStyle { File, Option, SetOption };
/// As \p config was given.
SettingStyle styleOf(const config::BuildConfig &config);
/// "--weight-bits" for the key weight_bits.
std::string optionOf(std::string_view key);
/// "weight_bits = 4", "--weight-bits 4", "--set weight_bits=4".
std::string settingText(SettingStyle style, const std::string &key,
                        const std::string &value);

/// The value of a key in \p settings, or its default.
std::string settingOf(const Settings &settings, const std::string &key);

/// The same in its parts. One that is refused was told before anybody changes
/// it.
config::PerLayerText partsOf(const Settings &settings, const std::string &key);

/// With another value for all layers; rules stay.
std::string withGlobal(const Settings &settings, const std::string &key,
                       const std::string &value);

/// With another value for the layers with these ids, which are ascending. It
/// decides for them whatever other rules say: it stands before those.
std::string withRule(const Settings &settings, const std::string &key,
                     const std::vector<int64_t> &ids, const std::string &value);

} // namespace yarrow

#endif // YARROW_COMPILER_CONFIG_SETTINGEDITS_H
