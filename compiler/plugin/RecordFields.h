//===- RecordFields.h - Fields of a plugin's record -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the readers of a record's parts share: fields of a mapping as what they
// should be. Every problem is reported (E1101) with its line.
//
//   class KeyReader : RecordFields { ... };
//   std::string kind = word(value, "kind", "the key", {"int", "float"}, "");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PLUGIN_RECORDFIELDS_H
#define YARROW_COMPILER_PLUGIN_RECORDFIELDS_H

#include "compiler/plugin/YamlFields.h"
#include "support/Diagnostics.h"
#include "support/diagnostics/Plugins.h"

namespace yarrow {

namespace compass {
struct PluginOperator;
}

class RecordFields {
protected:
  using Kind = YamlValue::Kind;
  using Names = std::vector<std::string>;

  RecordFields(const std::string &path, DiagnosticEngine &diags)
      : path(path), diags(diags) {}

  Diagnostic &problem(unsigned line, std::string message) {
    ok = false;
    return diags.report(diag::PluginRecord, {path, line}, std::move(message));
  }
  /// Whether \p value is a mapping that has no other keys than \p known.
  bool isMapping(const YamlValue &value, const std::string &what,
                 const Names &known);
  /// The text of a field; reports one that is missing, or no text.
  std::string text(const YamlValue &mapping, llvm::StringRef key,
                   const std::string &what, bool isRequired = false);
  /// One of \p words.
  std::string word(const YamlValue &mapping, llvm::StringRef key,
                   const std::string &what, const Names &words,
                   llvm::StringRef fallback);
  Names list(const YamlValue &value, const std::string &what);
  /// Names become those of C++; \p isFree: nothing else has it.
  void name(const YamlValue &at, const std::string &what, llvm::StringRef found,
            bool isFree);
  /// Letters, digits and _, and no word of C++.
  static bool isIdentifier(llvm::StringRef name);

  const std::string &path;
  DiagnosticEngine &diags;
  bool ok = true;
};

/// Reads "keys" into those of \p plugin. False after errors.
bool readRecordKeys(const YamlValue &top, const std::string &path,
                    DiagnosticEngine &diags, compass::PluginOperator &plugin);

} // namespace yarrow

#endif // YARROW_COMPILER_PLUGIN_RECORDFIELDS_H
