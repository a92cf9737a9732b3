//===- ValueTrim.cpp - Which values statistics leave out ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/ValueTrim.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace yarrow {

/// "1e4", "-inf"; not "nan".
static bool readBound(std::string_view text, float &bound) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, bound);
  return error == std::errc() && stop == end && !text.empty() &&
         !std::isnan(bound);
}

std::optional<ValueTrim> ValueTrim::parse(std::string_view text,
                                          std::string &problem) {
  std::string plain;
  for (char c : text)
    if (c != ' ')
      plain += char(std::tolower(static_cast<unsigned char>(c)));
  problem = "'" + std::string(text) +
            "' is not clip(a,b) or second(a,b) with numbers a <= b, such as "
            "clip(-inf,1e4)";
  ValueTrim trim;
  std::string_view rest = plain;
  if (rest.starts_with("second(")) {
    trim.kind = Kind::Second;
    rest.remove_prefix(7);
  } else if (rest.starts_with("clip(")) {
    rest.remove_prefix(5);
  } else {
    return std::nullopt;
  }
  std::size_t comma = rest.find(',');
  if (comma == rest.npos || !rest.ends_with(')'))
    return std::nullopt;
  std::string_view last = rest.substr(comma + 1);
  last.remove_suffix(1);
  if (!readBound(rest.substr(0, comma), trim.min) ||
      !readBound(last, trim.max) || trim.min > trim.max)
    return std::nullopt;
  problem.clear();
  return trim;
}

static std::string boundText(float bound) {
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), bound);
  return {digits, end};
}

std::string ValueTrim::str() const {
  return (kind == Kind::Clip ? "clip(" : "second(") + boundText(min) + "," +
         boundText(max) + ")";
}

bool ValueTrim::isOn() const {
  // The second of infinite values is the largest finite one.
  return kind == Kind::Second || !std::isinf(min) || !std::isinf(max);
}

} // namespace yarrow
