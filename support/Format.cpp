//===- Format.cpp - Numbers as people read them ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// std::to_chars throughout: printf would take the decimal point of the locale.
//
//===----------------------------------------------------------------------===//
#include "support/Format.h"

#include <cassert>
#include <charconv>
#include <cmath>
#include <vector>

namespace yarrow {

std::string formatCount(uint64_t value) {
  std::string out = std::to_string(value);
  for (std::size_t i = out.size(); i > 3; i -= 3)
    out.insert(i - 3, ",");
  return out;
}

std::string formatFixed(double value, int digits) {
  char text[400]; // the largest double has 309 digits before the point
  std::to_chars_result result = std::to_chars(text, text + sizeof text, value,
                                              std::chars_format::fixed, digits);
  return std::string(text, result.ptr);
}

std::string formatBytes(uint64_t sizeBytes) {
  constexpr const char *units[] = {" B", " KB", " MB", " GB", " TB"};
  if (sizeBytes < 1024)
    return std::to_string(sizeBytes) + units[0];
  double value = double(sizeBytes);
  unsigned unit = 0;
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  return formatFixed(value, 2) + units[unit];
}

std::string formatPercent(double part, double whole, int digits) {
  if (whole == 0)
    return "-";
  return formatFixed(100 * part / whole, digits) + "%";
}

std::string shapeText(std::span<const int64_t> shape) {
  std::string out = "[";
  for (int64_t extent : shape)
    out += (out.size() > 1 ? "," : "") + std::to_string(extent);
  return out + "]";
}

std::string indexText(uint64_t element, std::span<const int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    auto extent = uint64_t(shape[axis]);
    index[axis] = int64_t(element % extent);
    element /= extent;
  }
  return shapeText(index);
}

std::string nonFiniteText(double value) {
  assert(!std::isfinite(value) && "a number is not named");
  return std::isnan(value) ? "NaN" : value < 0 ? "-inf" : "inf";
}

std::string shellWord(const std::string &text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                      "_-./,:=+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos)
    return text;
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace yarrow
