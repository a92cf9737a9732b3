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

#include <span>
#include <string>
#include <string_view>

namespace yarrow::config {

/// What a value must look like.
struct ValueKind {
  enum Form {
    Text,
    Name, ///< The first part of file names (support/FileName.h).
    Path,
    PathList,
    WordList,
    IntList,
    Bool,
    Integer,
    Real,
    Choice,
    Metrics,
    Method,
    Strategy,
    Float,
    Softmax,
    Global
  };
  Form form = Text;
  double min = 0, max = 0;  ///< Integer and Real, inclusive.
  std::string_view choices; ///< Choice: "a|b".
  bool isPerLayer = false;
  bool allowsSuffix = false; ///< Choice: what follows '_' does not matter.

  /// For users: "integer from 4 to 16, per layer".
  std::string str() const;
};

struct ConfigKey {
  std::string_view section, name;
  ValueKind kind;
  std::string_view defaultText;
  std::string_view doc;
  /// Reads a value into its member; null for keys without effect. On failure
  /// answers false and tells in \p problem what was expected.
  bool (*read)(std::string_view text, const ValueKind &kind,
               const std::string &folder, BuildConfig &config,
               std::string &problem);

  bool hasEffect() const { return read != nullptr; }
};

std::span<const ConfigKey> configKeys();
/// Sections and keys in lower case and as spelled; nullptr if not known.
const ConfigKey *findConfigKey(std::string_view section, std::string_view name);
std::vector<std::string> configKeyNames(std::string_view section);

/// Sets a key as a line of a file would, for `--set Optimizer.weight_bits=16`.
/// \p folder is where paths start.
bool setConfigKey(std::string_view section, std::string_view name,
                  std::string_view value, const std::string &folder,
                  BuildConfig &config, DiagnosticEngine &diags, Place place);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_CONFIGKEYS_H
