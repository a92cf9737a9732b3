//===- LayerGroupValues.cpp - Groups of layers: unions, ranges ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigValues.h"
#include "compiler/config/Ini.h"
#include "compiler/config/ValueParts.h"

#include <algorithm>

using namespace yarrow::config;

static constexpr std::string_view unionWords[] = {"max", "min", "avg", "out",
                                                  "skip"};

/// The parts of "[(a,b),(c,d)]", each without its brackets. Nullopt if \p text
/// is not of that form.
static std::optional<std::vector<std::string_view>>
bracketed(std::string_view text) {
  std::vector<std::string_view> parts;
  text = trim(text);
  if (text.starts_with('[') && text.ends_with(']'))
    text = trim(text.substr(1, text.size() - 2));
  while (!text.empty()) {
    std::size_t close = text.find(')');
    if (text.front() != '(' || close == std::string_view::npos)
      return std::nullopt;
    parts.push_back(text.substr(1, close - 1));
    text = trim(text.substr(close + 1));
    if (text.empty())
      break;
    if (text.front() != ',')
      return std::nullopt;
    text = trim(text.substr(1));
    if (text.empty())
      return std::nullopt;
  }
  return parts;
}

static bool readUnion(std::string_view text, ScaleUnion &value) {
  std::vector<std::string_view> items = splitAt(text, ',');
  if (items.size() != 4 || items[0].empty() ||
      !readNumber(items[1], value.depth) || value.depth < 0 ||
      !readNumber(items[2], value.threshold) || !(value.threshold >= 1))
    return false;
  value.layerType = items[0];
  std::string word = toLower(items[3]);
  auto *found = std::ranges::find(unionWords, word);
  value.method =
      static_cast<ScaleUnion::Method>(found - std::begin(unionWords));
  return found != std::end(unionWords);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &,
                               std::vector<ScaleUnion> &value,
                               std::string &problem) {
  value.clear();
  auto parts = bracketed(text);
  if (!parts)
    return isNot(text, kind.str(), problem);
  for (std::string_view part : *parts)
    if (!readUnion(part, value.emplace_back()))
      return isNot(part, kind.str(), problem);
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &,
                               std::vector<LayerRange> &value,
                               std::string &problem) {
  value.clear();
  auto parts = bracketed(text);
  if (!parts)
    return isNot(text, kind.str(), problem);
  for (std::string_view part : *parts) {
    std::vector<std::string_view> items = splitAt(part, ',');
    LayerRange &range = value.emplace_back();
    if (items.size() != 2 || !readNumber(items[0], range.first) ||
        !readNumber(items[1], range.last) || range.first < 0 ||
        range.first > range.last)
      return isNot(part, kind.str(), problem);
  }
  return true;
}

std::string yarrow::config::valueText(const std::vector<ScaleUnion> &value) {
  std::string text;
  for (const ScaleUnion &one : value)
    text += (text.empty() ? "[(" : ",(") + one.layerType + "," +
            std::to_string(one.depth) + "," + valueText(one.threshold) + "," +
            std::string(unionWords[static_cast<int>(one.method)]) + ")";
  return text.empty() ? text : text + "]";
}
