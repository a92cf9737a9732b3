//===- RecordKeys.cpp - The keys of a plugin's layers ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/RecordFields.h"
#include "dialects/compass/custom/PluginOperator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using llvm::StringRef;

namespace {

constexpr unsigned kMostKeys = 16;

class KeyReader : RecordFields {
public:
  KeyReader(const std::string &path, DiagnosticEngine &diags,
            PluginOperator &plugin)
      : RecordFields(path, diags), plugin(&plugin) {}

  bool read(const YamlValue &top) {
    readKeys(top);
    return ok;
  }

private:
  void readKeys(const YamlValue &top);
  void readKey(const YamlValue &value);
  void readDefault(const YamlValue &value, KeyRecord &key);
  void readBounds(const YamlValue &value, KeyRecord &key);

  PluginOperator *plugin;
};

void KeyReader::readBounds(const YamlValue &value, KeyRecord &key) {
  const YamlValue *bounds = value.find("bounds");
  if (!bounds)
    return;
  double least = 0, most = 0;
  bool isPair = bounds->kind == Kind::List && bounds->items.size() == 2 &&
                !StringRef(bounds->items[0].text).getAsDouble(least) &&
                !StringRef(bounds->items[1].text).getAsDouble(most) &&
                std::isfinite(least) && std::isfinite(most) && least <= most;
  bool isInt = key.kind == KeyKind::Int;
  if (!isPair || (!isInt && key.kind != KeyKind::Float) ||
      (isInt && (least != std::trunc(least) || most != std::trunc(most) ||
                 least < INT32_MIN || most > INT32_MAX))) {
    problem(bounds->line,
            "the bounds of the key " + key.name.str() + " are not valid")
        .expected("[least, most], for a key of kind int (32 bits) or float");
    return;
  }
  if (isInt)
    key.least = int64_t(least), key.most = int64_t(most);
  else
    plugin->keyBounds.back() = FloatBounds{least, most};
}

void KeyReader::readDefault(const YamlValue &value, KeyRecord &key) {
  if (!value.find("default"))
    return;
  std::string found = text(value, "default", "the key " + key.name.str());
  double number = 0;
  int64_t integer = 0;
  bool fits = true;
  switch (key.kind) {
  case KeyKind::Int:
    fits = !StringRef(found).getAsInteger(10, integer) &&
           integer >= key.least && integer <= key.most;
    break;
  case KeyKind::Float: {
    std::optional<FloatBounds> &bounds = plugin->keyBounds.back();
    fits = !StringRef(found).getAsDouble(number) && std::isfinite(number) &&
           (!bounds || (number >= bounds->least && number <= bounds->most));
    break;
  }
  case KeyKind::Bool:
    fits = found == "true" || found == "false";
    break;
  default:
    fits = llvm::is_contained(key.words, StringRef(found));
  }
  if (!fits)
    problem(value.find("default")->line,
            "the default of the key " + key.name.str() +
                " does not match its kind, or is out of its bounds")
        .found(found);
  key.need = Need::Optional;
  key.defaultText = plugin->text(found);
}

void KeyReader::readKey(const YamlValue &value) {
  if (!isMapping(value, "a key",
                 {"name", "kind", "doc", "default", "bounds", "words"}))
    return;
  KeyRecord key{};
  std::string found = text(value, "name", "a key", true);
  Names taken = {"lut",        "scale_value", "shift_value",
                 "scale_type", "shift_type",  "keys"};
  for (const KeyRecord &other : plugin->keys)
    taken.push_back(other.name.str());
  name(value, "a key", found, !llvm::is_contained(taken, found));
  key.name = plugin->text(found);
  std::string kind = word(value, "kind", "the key " + found,
                          {"int", "float", "bool", "word"}, "");
  if (kind.empty() && !value.find("kind"))
    problem(value.line, "the key " + found + " has no key kind")
        .expected("kind: int, float, bool or word");
  key.kind = llvm::StringSwitch<KeyKind>(kind)
                 .Case("float", KeyKind::Float)
                 .Case("bool", KeyKind::Bool)
                 .Case("word", KeyKind::Word)
                 .Default(KeyKind::Int);
  key.need = Need::Required;
  key.selector = "method";
  key.least = key.kind == KeyKind::Int ? INT32_MIN : INT64_MIN;
  key.most = key.kind == KeyKind::Int ? INT32_MAX : INT64_MAX;
  key.doc = plugin->text(text(value, "doc", "the key " + found, true));
  plugin->keyBounds.emplace_back();
  const YamlValue *words = value.find("words");
  if ((key.kind == KeyKind::Word) != bool(words))
    problem(value.line, words ? "only keys of kind word have words"
                              : "a key of kind word has no words")
        .expected("words: [A, B], for a key of kind word");
  if (words) {
    auto &list = plugin->lists.emplace_back();
    for (const std::string &w : this->list(*words, "words")) {
      name(*words, "a word", w, !llvm::is_contained(list, StringRef(w)));
      list.push_back(plugin->text(w));
    }
    key.words = list;
  }
  readBounds(value, key);
  readDefault(value, key);
  plugin->keys.push_back(key);
}

void KeyReader::readKeys(const YamlValue &top) {
  const YamlValue *value = top.find("keys");
  if (!value)
    return;
  if (value->kind != Kind::List || value->items.size() > kMostKeys) {
    problem(value->line, "the keys are not a list, or too many")
        .found(value->kind == Kind::List
                   ? std::to_string(value->items.size()) + " of them"
                   : value->kindName())
        .expected("up to " + std::to_string(kMostKeys) + " mappings");
    return;
  }
  for (const YamlValue &item : value->items)
    readKey(item);
}

} // namespace

bool yarrow::readRecordKeys(const YamlValue &top, const std::string &path,
                            DiagnosticEngine &diags, PluginOperator &plugin) {
  return KeyReader(path, diags, plugin).read(top);
}
