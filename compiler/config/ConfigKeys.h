//===- ConfigKeys.h - The records of configuration keys ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The table of ConfigKeys.def for those who read configurations, list the keys
// for users, or write their documentation.
//
//   for (const ConfigKey &key : configKeys())
//     os << key.section << '.' << key.name << " = " << key.defaultText << '\n';
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_CONFIGKEYS_H
#define YARROW_COMPILER_CONFIG_CONFIGKEYS_H

#include "compiler/config/BuildConfig.h"
#include "compiler/config/ValueKind.h"

#include <span>
#include <string>
#include <string_view>

namespace yarrow::config {

/// What a key does that a file gives another value than its default.
enum class KeyEffect {
  Used,
  None,   ///< Nothing that results depend on: a note.
  Missed, ///< Not done, which may cost exactness or cycles: a warning.
  Refused ///< Not done, and the result would be another one: an error.
};

/// One rule of a per-layer setting.
struct RuleView {
  const LayerSelector *where;
  std::string_view text; ///< As it was written: "<[Softmax]:16>".
};

struct ConfigKey {
  std::string_view section, name;
  KeyEffect effect;
  ValueKind kind;
  std::string_view defaultText;
  std::string_view doc;
  /// Reads a value into its member; null for keys without effect. On failure
  /// answers false and tells in \p problem what was expected.
  bool (*read)(std::string_view text, const ValueKind &kind,
               const std::string &folder, BuildConfig &config,
               std::string &problem);
  /// What happens, or is to be done, instead; for Missed and Refused.
  std::string_view instead = {};
  /// Per-layer settings only: their rules, and which of them decides for a
  /// layer (as many as there are: none does).
  std::vector<RuleView> (*rules)(const BuildConfig &config) = nullptr;
  std::size_t (*ruleFor)(const BuildConfig &config,
                         const LayerKey &layer) = nullptr;
  /// Sets the value of the one layer of this name, as read does; and the value
  /// that a layer has, as a file would spell it.
  bool (*readFor)(std::string_view layerName, std::string_view text,
                  const ValueKind &kind, BuildConfig &config,
                  std::string &problem) = nullptr;
  std::string (*textFor)(const BuildConfig &config,
                         const LayerKey &layer) = nullptr;

  bool hasEffect() const { return effect == KeyEffect::Used; }
};

std::span<const ConfigKey> configKeys();
/// Sections and keys in lower case and as spelled; nullptr if not known.
const ConfigKey *findConfigKey(std::string_view section, std::string_view name);
std::vector<std::string> configKeyNames(std::string_view section);

/// Sets a key as a line of a file at \p place would. \p folder is where paths
/// start.
bool setConfigKey(std::string_view section, std::string_view name,
                  std::string_view value, const std::string &folder,
                  BuildConfig &config, DiagnosticEngine &diags, Place place);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_CONFIGKEYS_H
