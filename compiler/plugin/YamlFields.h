//===- YamlFields.h - Mappings and lists of a YAML text ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// LLVM's YAML nodes, which are read once and in order, as values that keep
// their line. Texts, lists and mappings are all there is: an anchor, an alias
// or a tag is refused, and so is a text that is nested deeper than records are.
//
//   std::optional<YamlValue> top = readYaml(text, "clip.yaml", diags);
//   const YamlValue *name = top->find("name");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PLUGIN_YAMLFIELDS_H
#define YARROW_COMPILER_PLUGIN_YAMLFIELDS_H

#include "support/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct YamlField;

struct YamlValue {
  enum class Kind { Nothing, Text, List, Mapping };
  Kind kind = Kind::Nothing;
  unsigned line = 0;
  std::string text;
  std::vector<YamlValue> items;
  /// In the order of the text; a key stands once.
  std::vector<YamlField> fields;

  const YamlValue *find(llvm::StringRef key) const;
  /// "a text", "a list" ...
  const char *kindName() const;
};

struct YamlField {
  std::string key;
  unsigned line = 0; ///< Of the key.
  YamlValue value;
};

/// The one document of \p text; problems are reported (E1101).
std::optional<YamlValue> readYaml(llvm::StringRef text, const std::string &path,
                                  DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PLUGIN_YAMLFIELDS_H
