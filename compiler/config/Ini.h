//===- Ini.h - Sections of key = value lines --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads the INI dialect of the Compass tools, which is that of Python's
// configparser: `key = value` or `key: value`, keys without regard to case,
// comments on lines of their own with # or ;, and a line indented deeper than
// the key continues its value. Values are raw: nothing is substituted.
//
//   [Common]                  sections[0].name == "Common"
//   Mode = build              entries[0] == {"mode", "build", 2}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_INI_H
#define YARROW_COMPILER_CONFIG_INI_H

#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::config {

struct IniEntry {
  std::string key;   ///< In lower case.
  std::string value; ///< Lines of a continued value are joined by line feeds.
  unsigned line = 0;
  std::string option = {};     ///< Of the command line, in place of a line.
  bool startsAtCaller = false; ///< Paths of an option may: ConfigSetting.
};

struct IniSection {
  std::string name; ///< As it is spelled.
  unsigned line = 0;
  std::vector<IniEntry> entries;

  const IniEntry *find(std::string_view key) const;
};

/// Reports every problem under \p fileName; nullopt if there was one.
std::optional<std::vector<IniSection>> parseIni(std::string_view text,
                                                const std::string &fileName,
                                                DiagnosticEngine &diags);

/// Without the blanks, tabs and line ends around it.
std::string_view trim(std::string_view text);
std::string toLower(std::string_view text);

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_INI_H
