//===- ValueParts.h - What values of keys are made of -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The pieces that the readers of values (ConfigValues.h) share: parts of lists,
// numbers, words, and what is said of one that is wrong.
//
//   for (std::string_view item : splitAt(text, ','))
//     if (!readNumber(item, value))
//       return isNot(item, "a number", problem);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_VALUEPARTS_H
#define YARROW_COMPILER_CONFIG_VALUEPARTS_H

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::config {

/// False; \p problem says that \p text is not what was expected.
bool isNot(std::string_view text, const std::string &expected,
           std::string &problem);

/// Splits at \p separator and trims; no part for the empty text.
std::vector<std::string_view> splitAt(std::string_view text, char separator);

template <typename T> bool readNumber(std::string_view text, T &value) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  return !text.empty() && error == std::errc() && stop == end;
}

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_VALUEPARTS_H
