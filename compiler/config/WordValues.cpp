//===- WordValues.cpp - Words that stand for a choice ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigValues.h"

#include <initializer_list>
#include <utility>

using namespace yarrow::config;

/// One of the kind's words, which are spelled in lower case; any other, such as
/// the default "", leaves \p value as it is.
template <typename Enum>
static bool readWord(std::string_view text, const ValueKind &kind,
                     std::initializer_list<std::pair<const char *, Enum>> words,
                     Enum &value, std::string &problem) {
  std::string word;
  if (!readValue(text, kind, "", word, problem))
    return false;
  for (const auto &[name, meaning] : words)
    if (word == name)
      value = meaning;
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &, BuildMode &value,
                               std::string &problem) {
  return readWord(text, kind,
                  {{"build", BuildMode::Build}, {"run", BuildMode::Run}}, value,
                  problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &, Tiling &value,
                               std::string &problem) {
  value = Tiling::Default;
  return readWord(text, kind,
                  {{"fps", Tiling::Fps}, {"footprint", Tiling::Footprint}},
                  value, problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &, WinogradChoice &value,
                               std::string &problem) {
  return readWord(
      text, kind,
      {{"auto", WinogradChoice::Auto}, {"all", WinogradChoice::All}}, value,
      problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &, ShiftsMerge &value,
                               std::string &problem) {
  return readWord(text, kind,
                  {{"layer", ShiftsMerge::Layer},
                   {"channel", ShiftsMerge::Channel},
                   {"exact", ShiftsMerge::Exact}},
                  value, problem);
}

std::string yarrow::config::valueText(ShiftsMerge value) {
  return value == ShiftsMerge::Layer     ? "layer"
         : value == ShiftsMerge::Channel ? "channel"
                                         : "exact";
}
