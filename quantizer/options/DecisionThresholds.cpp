//===- DecisionThresholds.cpp - Where a score begins to count -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/options/DecisionThresholds.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>

using namespace yarrow;

const char *DecisionThresholds::forms() {
  return "a number, or output=number, separated by commas";
}

static std::string_view trimmed(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

static std::optional<double> numberOf(std::string_view text) {
  double value = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  bool isNumber = error == std::errc() && end == last && std::isfinite(value);
  return isNumber ? std::optional(value) : std::nullopt;
}

std::optional<DecisionThresholds>
DecisionThresholds::parse(std::string_view text) {
  DecisionThresholds thresholds;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view item = text.substr(begin, end - begin);
    begin = end + 1;
    // A name may have the sign in it, a number has not.
    std::size_t equals = item.rfind('=');
    bool isNamed = equals != item.npos;
    std::string_view name = trimmed(item.substr(0, isNamed ? equals : 0));
    auto number = numberOf(trimmed(isNamed ? item.substr(equals + 1) : item));
    if (!number || (isNamed && name.empty()))
      return std::nullopt;
    if (isNamed)
      thresholds.byOutput.emplace_back(name, *number);
    else
      thresholds.ofSigmoids = *number;
  }
  return thresholds;
}

std::optional<double>
DecisionThresholds::ofName(std::string_view output) const {
  for (const auto &[name, value] : std::views::reverse(byOutput))
    if (name == output)
      return value;
  return std::nullopt;
}
