//===- ValueParts.cpp - What values of keys are made of -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ValueParts.h"

#include "compiler/config/Ini.h"

using namespace yarrow::config;

bool yarrow::config::isNot(std::string_view text, const std::string &expected,
                           std::string &problem) {
  problem = (text.empty() ? "nothing" : "'" + std::string(text) + "'") +
            " is not " + expected;
  return false;
}

std::vector<std::string_view> yarrow::config::splitAt(std::string_view text,
                                                      char separator) {
  std::vector<std::string_view> parts;
  if (trim(text).empty())
    return parts;
  while (true) {
    std::size_t end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}
