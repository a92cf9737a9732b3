//===- JsonNumber.cpp - Numbers as JSON spells them -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonNumber.h"
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::qnn;

static const char *endOfDigits(const char *at, const char *end) {
  while (at != end && *at >= '0' && *at <= '9')
    ++at;
  return at;
}

const char *qnn::endOfNumber(const char *at, const char *end) {
  const char *begin = at, *whole = at + (at != end && *at == '-');
  const char *done = endOfDigits(whole, end);
  // No number begins with a 0 that is not all of its whole part.
  if (done == whole || (*whole == '0' && done - whole > 1))
    return begin;
  if (done != end && *done == '.') {
    const char *fraction = endOfDigits(done + 1, end);
    if (fraction == done + 1)
      return begin;
    done = fraction;
  }
  if (done != end && (*done == 'e' || *done == 'E')) {
    const char *digits = done + 1;
    if (digits != end && (*digits == '+' || *digits == '-'))
      ++digits;
    const char *exponent = endOfDigits(digits, end);
    if (exponent == digits)
      return begin;
    done = exponent;
  }
  return done;
}

template <typename Real>
static std::optional<Real> realOf(std::string_view number) {
  Real value = 0;
  auto [at, error] =
      std::from_chars(number.data(), number.data() + number.size(), value);
  if (at != number.data() + number.size())
    return std::nullopt;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<double> qnn::doubleOf(std::string_view number) {
  return realOf<double>(number);
}

std::optional<float> qnn::floatOf(std::string_view number) {
  if (auto value = realOf<float>(number))
    return value;
  // Out of range is also what is too small: it becomes 0, or a small one.
  auto wide = doubleOf(number);
  if (!wide || std::abs(*wide) >= 1)
    return std::nullopt;
  return float(*wide);
}

std::optional<float> qnn::notFiniteOf(std::string_view text) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  bool isNegative = text.starts_with('-');
  if (isNegative || text.starts_with('+'))
    text.remove_prefix(1);
  std::string lower;
  for (char c : text.substr(0, 9))
    lower += char(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (lower == "nan")
    return std::numeric_limits<float>::quiet_NaN();
  if (lower == "inf" || lower == "infinity")
    return isNegative ? -infinity : infinity;
  return std::nullopt;
}

std::string qnn::jsonNumber(double value) {
  if (std::isnan(value))
    return "\"NaN\"";
  if (std::isinf(value))
    return value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  std::string text(digits, end);
  bool isWhole = text.find_first_of(".e") == text.npos;
  return isWhole ? text + ".0" : text;
}
