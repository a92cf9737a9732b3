//===- KeySets.cpp - Whether an IR has the keys of another one ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/irs/KeySets.h"

#include <algorithm>
#include <optional>

using namespace yarrow;
using namespace yarrow::testing;
using compass::IrDocument;
using compass::IrEntry;
using compass::IrSection;
using compass::IrValue;

std::string testing::kindOf(const IrValue &value) {
  switch (value.kind) {
  case IrValue::Kind::Empty:
    return "empty";
  case IrValue::Kind::Int:
  case IrValue::Kind::UInt64:
    return "int";
  case IrValue::Kind::Float:
    return "float";
  case IrValue::Kind::Bool:
    return "bool";
  case IrValue::Kind::Word:
    return "word";
  case IrValue::Kind::List:
    break;
  }
  if (value.items.empty())
    return "list";
  std::string first = kindOf(value.items.front());
  for (const IrValue &item : value.items)
    if (kindOf(item) != first)
      return "list"; // names that look like numbers among others
  return "list of " + first;
}

static std::string wordOf(const IrSection &section, std::string_view key) {
  const IrEntry *entry = section.find(key);
  return entry ? entry->value.str() : "";
}

std::string testing::typeOf(const IrSection &layer) {
  std::string method = wordOf(layer, "method");
  return wordOf(layer, "layer_type") + (method.empty() ? "" : "/" + method);
}

/// Tensors may be named by numbers, and a list may be empty on one side only.
/// Element types of constants and of integer parameters do not depend on the
/// calibration: they are the same.
static bool sameKind(const std::string &key, const IrValue &a,
                     const IrValue &b) {
  bool isName = key == "layer_name" || key == "model_name" ||
                key == "layer_top" || key == "layer_bottom" ||
                key.ends_with("_tensors");
  if (isName || a.isNone() || b.isNone())
    return a.isList() == b.isList();
  if (key.ends_with("_type") && !key.starts_with("layer_"))
    return a.str() == b.str();
  return kindOf(a) == kindOf(b);
}

static std::vector<MissingKey> missingIn(const IrSection &theirs,
                                         const IrSection &ours) {
  std::vector<MissingKey> missing;
  auto add = [&](const std::string &key, const std::string &what) {
    missing.push_back({typeOf(theirs), theirs.layerName(), key, what});
  };
  for (const IrEntry &entry : theirs.entries) {
    const IrEntry *found = ours.find(entry.key);
    if (!found)
      add(entry.key, "is missing");
    else if (!sameKind(entry.key, entry.value, found->value))
      add(entry.key, "is " + kindOf(found->value) + " " + found->value.str() +
                         ", not " + kindOf(entry.value) + " " +
                         entry.value.str());
  }
  return missing;
}

static std::optional<std::vector<MissingKey>>
missingOfLayer(const IrSection &theirs, const IrDocument &ours) {
  std::optional<std::vector<MissingKey>> least;
  for (const IrSection &layer : ours.layers) {
    if (typeOf(layer) != typeOf(theirs))
      continue;
    std::vector<MissingKey> missing = missingIn(theirs, layer);
    if (layer.layerName() == theirs.layerName())
      return missing;
    if (!least || missing.size() < least->size())
      least = std::move(missing);
  }
  return least;
}

std::vector<MissingKey> testing::missingKeys(const IrDocument &theirs,
                                             const IrDocument &ours) {
  std::vector<MissingKey> all = missingIn(theirs.header, ours.header);
  for (const IrSection &layer : theirs.layers)
    if (auto missing = missingOfLayer(layer, ours))
      all.insert(all.end(), missing->begin(), missing->end());
  return all;
}
