//===- ConfigValues.cpp - Reading the values of keys ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigValues.h"

#include "compiler/config/Ini.h"
#include "compiler/config/ValueParts.h"
#include "support/FileName.h"

#include <filesystem>

using namespace yarrow::config;

std::string yarrow::config::completePath(std::string_view text,
                                         const std::string &folder) {
  if (text.empty())
    return "";
  std::filesystem::path path(text), result;
  if (path.is_relative())
    result = folder;
  // Only "." goes: with links, "a/.." need not be where "a" is.
  for (const std::filesystem::path &part : path)
    if (part != "." && !part.empty())
      result /= part;
  return result.empty() ? "." : result.string();
}

/// A file whose own name has a comma.
static bool isOneFile(std::string_view text, const std::string &folder) {
  std::error_code unknown;
  return text.find(',') != text.npos &&
         std::filesystem::exists(completePath(text, folder), unknown);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, std::string &value,
                               std::string &problem) {
  bool isFile = kind.form == ValueKind::Machine && text.ends_with(".json");
  if (kind.form == ValueKind::Path || isFile) {
    value = completePath(text, folder);
    return true;
  }
  if (kind.form == ValueKind::PathList) {
    value.clear();
    if (isOneFile(text, folder)) {
      value = completePath(text, folder);
      return true;
    }
    for (std::string_view item : splitAt(text, ','))
      if (!item.empty()) // A comma at the end does no harm.
        value += (value.empty() ? "" : ",") + completePath(item, folder);
    return true;
  }
  value = text;
  if (kind.form == ValueKind::Name && !text.empty())
    if (std::string_view why = whyNoFileName(text); !why.empty())
      return isNot(text, kind.str() + ": " + std::string(why), problem);
  if (kind.form != ValueKind::Choice)
    return true;
  std::string_view word =
      kind.allowsSuffix ? text.substr(0, text.find('_')) : text;
  for (std::string_view choice : splitAt(kind.choices, '|')) {
    if (toLower(choice) != toLower(word))
      continue;
    value = choice;
    return true;
  }
  return isNot(text, kind.str(), problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               std::vector<std::string> &value,
                               std::string &problem) {
  value.clear();
  for (std::string_view item : splitAt(text, ','))
    if (!item.empty())
      value.push_back(kind.form == ValueKind::PathList
                          ? completePath(item, folder)
                          : std::string(item));
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               std::vector<int> &value, std::string &problem) {
  value.clear();
  for (std::string_view item : splitAt(text, ',')) {
    if (item.empty())
      continue;
    int number = 0;
    if (!readNumber(item, number) || number < 0)
      return isNot(item, "a layer_id", problem);
    value.push_back(number);
  }
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, bool &value,
                               std::string &problem) {
  std::string word = toLower(text);
  if (word != "true" && word != "false")
    return isNot(text, kind.str(), problem);
  value = word == "true";
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, int &value,
                               std::string &problem) {
  int number = 0;
  if (!readNumber(text, number) || number < kind.min || number > kind.max)
    return isNot(text, kind.str(), problem);
  value = number;
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               std::optional<int> &value,
                               std::string &problem) {
  value.reset();
  if (text.empty())
    return true;
  return readValue(text, kind, folder, value.emplace(), problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, double &value,
                               std::string &problem) {
  double number = 0;
  // Written so that nan is refused too.
  if (!readNumber(text, number) || !(number >= kind.min && number <= kind.max))
    return isNot(text, kind.str(), problem);
  value = number;
  return true;
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

std::string yarrow::config::valueText(const std::string &value) {
  return value;
}

std::string yarrow::config::valueText(bool value) {
  return value ? "true" : "false";
}

std::string yarrow::config::valueText(int value) {
  return std::to_string(value);
}

std::string yarrow::config::valueText(const std::optional<int> &value) {
  return value ? std::to_string(*value) : "";
}

std::string yarrow::config::valueText(double value) {
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  return {digits, end};
}
