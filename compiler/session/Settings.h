//===- Settings.h - How a call quantizes and compiles -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The settings of both steps, as structs. Callers set the fields by name and
// text, from keywords, C strings or JSON. The records of configurations read
// the keys of a configuration.
//
//   QuantizeSettings settings;
//   if (!setQuantize("weight_bits", "4", settings, diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_SETTINGS_H
#define YARROW_COMPILER_SESSION_SETTINGS_H

#include "compiler/config/CallSettings.h"
#include "compiler/forms/FormDecision.h"
#include "compiler/pipeline/Compile.h"
#include "support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yarrow::session {

/// What is empty is not given.
struct QuantizeSettings {
  std::string recipe = {};   ///< Of config::recipes().
  std::string winograd = {}; ///< Of kFormUses.
  std::string target = {};   ///< That forms and bits are chosen for.
  config::KeyTexts keys = {};
};

/// As the options of `yarrow compile`.
struct CompileSettings {
  std::string target = "X2_1204", winograd = "off", tiling = "fps";
  std::string cache = {};
  std::vector<std::string> disabledPasses = {};
  bool optimize = true, hasProfile = false;
  uint32_t batch = 1;
  /// In the place of target.
  std::optional<isa::Machine> machine = {};
  /// In the place of winograd, with what forms may cost.
  std::optional<FormSettings> forms = {};
  /// One that is run and forgotten is not warned of.
  bool warnsOfSpeed = true;
  PassInstruments instruments = {};
};

/// recipe, winograd, target, or a key of config::quantizationKeyNames(). False,
/// and told, of others.
bool setQuantize(const std::string &key, const std::string &value,
                 QuantizeSettings &settings, DiagnosticEngine &diags);
/// target, winograd, tiling, cache, disable_pass, optimize, profile, batch.
bool setCompile(const std::string &key, const std::string &value,
                CompileSettings &settings, DiagnosticEngine &diags);
/// An object of JSON as texts by key: {"weight_bits": 4, "winograd": "auto"}.
/// Nullopt after errors.
std::optional<config::KeyTexts> keysOfJson(const std::string &text,
                                           DiagnosticEngine &diags);

/// The configuration that stands for \p settings; nullopt after errors.
std::optional<config::BuildConfig> configOf(const QuantizeSettings &settings,
                                            DiagnosticEngine &diags);
/// Without Winograd's forms, which Compile.h adds. Nullopt after errors.
std::optional<CompileOptions> optionsOf(const CompileSettings &settings,
                                        DiagnosticEngine &diags);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_SETTINGS_H
