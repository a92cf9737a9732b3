//===- RecordFields.cpp - Fields of a plugin's record ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/RecordFields.h"

#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using llvm::StringRef;

/// What C++ makes of these is no name.
static const std::vector<std::string> kReserved = {
    "alignas",  "alignof",   "and",      "asm",       "auto",     "bitand",
    "bitor",    "bool",      "break",    "case",      "catch",    "char",
    "class",    "compl",     "concept",  "const",     "continue", "decltype",
    "default",  "delete",    "do",       "double",    "else",     "enum",
    "explicit", "export",    "extern",   "false",     "float",    "for",
    "friend",   "goto",      "if",       "inline",    "int",      "long",
    "mutable",  "namespace", "new",      "noexcept",  "not",      "nullptr",
    "operator", "or",        "private",  "protected", "public",   "register",
    "requires", "return",    "short",    "signed",    "sizeof",   "static",
    "struct",   "switch",    "template", "this",      "throw",    "true",
    "try",      "typedef",   "typeid",   "typename",  "union",    "unsigned",
    "using",    "virtual",   "void",     "volatile",  "while",    "xor"};

bool RecordFields::isIdentifier(StringRef name) {
  return !name.empty() &&
         (llvm::isAlpha(name.front()) || name.front() == '_') &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
         !llvm::is_contained(kReserved, name);
}

bool RecordFields::isMapping(const YamlValue &value, const std::string &what,
                             const Names &known) {
  if (value.kind != Kind::Mapping) {
    problem(value.line, what + " is not a mapping")
        .found(value.kindName())
        .expected("keys of " + llvm::join(known, ", "));
    return false;
  }
  for (const YamlField &field : value.fields)
    if (!llvm::is_contained(known, field.key))
      problem(field.line, what + " has an unknown key " + field.key)
          .found(field.key)
          .expected("one of " + llvm::join(known, ", "))
          .suggest(field.key, known);
  return true;
}

std::string RecordFields::text(const YamlValue &mapping, StringRef key,
                               const std::string &what, bool isRequired) {
  const YamlValue *value = mapping.find(key);
  if (value && value->kind == Kind::Text && !value->text.empty())
    return value->text;
  if (value)
    problem(value->line,
            "the key " + key.str() + " of " + what + " is not a text")
        .found(value->kindName())
        .expected("a text");
  else if (isRequired)
    problem(mapping.line, what + " has no key " + key.str())
        .expected(key.str() + ": ...");
  return "";
}

std::string RecordFields::word(const YamlValue &mapping, StringRef key,
                               const std::string &what, const Names &words,
                               StringRef fallback) {
  if (!mapping.find(key))
    return fallback.str();
  std::string found = text(mapping, key, what);
  if (found.empty() || llvm::is_contained(words, found))
    return found.empty() ? fallback.str() : found;
  problem(mapping.find(key)->line,
          "the key " + key.str() + " of " + what + " has an unknown value")
      .found(found)
      .expected(llvm::join(words, ", "))
      .suggest(found, words);
  return fallback.str();
}

RecordFields::Names RecordFields::list(const YamlValue &value,
                                       const std::string &what) {
  Names texts;
  bool isGood = value.kind == Kind::List;
  for (const YamlValue &item : value.items) {
    isGood &= item.kind == Kind::Text && !item.text.empty();
    texts.push_back(item.text);
  }
  if (isGood && !texts.empty())
    return texts;
  problem(value.line, what + " is not a list of words")
      .found(isGood ? "an empty list" : value.kindName())
      .expected("[word, word]");
  return {};
}

void RecordFields::name(const YamlValue &at, const std::string &what,
                        StringRef found, bool isFree) {
  if (found.empty())
    return; // told already
  if (!isIdentifier(found) || found.starts_with("layer_"))
    problem(at.line, "the name of " + what + " is not valid")
        .found(found.str())
        .expected("letters, digits and _; no keyword of C++, not layer_...");
  else if (!isFree)
    problem(at.line, what + " has a name that is taken already")
        .found(found.str());
}
