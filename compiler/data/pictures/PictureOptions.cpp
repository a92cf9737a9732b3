//===- PictureOptions.cpp - How pictures become an input ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/PictureOptions.h"

#include <charconv>
#include <cmath>

using namespace yarrow;

/// Takes a number and the blanks around it off \p text.
static std::optional<double> takeNumber(std::string_view &text) {
  auto skipBlanks = [&] {
    while (!text.empty() && text.front() == ' ')
      text.remove_prefix(1);
  };
  skipBlanks();
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value))
    return std::nullopt;
  text.remove_prefix(std::size_t(end - text.data()));
  skipBlanks();
  return value;
}

static bool takeSign(std::string_view &text, char sign) {
  if (text.empty() || text.front() != sign)
    return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::vector<double>>
yarrow::pictureNumbers(std::string_view text) {
  std::vector<double> numbers;
  do {
    std::optional<double> value = takeNumber(text);
    if (value && takeSign(text, '/')) {
      std::optional<double> divisor = takeNumber(text);
      value = divisor ? std::optional(*value / *divisor) : std::nullopt;
    }
    if (!value || !std::isfinite(float(*value)))
      return std::nullopt;
    numbers.push_back(*value);
  } while (takeSign(text, ','));
  bool isWhole = text.empty() && (numbers.size() == 1 || numbers.size() == 3);
  return isWhole ? std::optional(std::move(numbers)) : std::nullopt;
}
