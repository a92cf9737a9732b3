//===- JsonNumber.h - Numbers as JSON spells them ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every bit of an integer of 64 bits counts, and of a scale as float32: values
// are read from their digits, not by way of a double. JSON cannot spell
// infinities and NaN; writers put names for them, with quotes or without.
//
//   integerOf<std::uint8_t>("256")    // nullopt
//   floatOf("0.1")                    // 0.1f
//   notFiniteOf("-Infinity")
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_JSONNUMBER_H
#define YARROW_PARSER_QNN_JSONNUMBER_H

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yarrow::qnn {

inline bool isJsonBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// The end of the number at \p at; \p at itself if there is none.
const char *endOfNumber(const char *at, const char *end);

/// nullopt of fractions, and of what \p T does not have.
template <typename T> std::optional<T> integerOf(std::string_view number) {
  T value = 0;
  auto [at, error] =
      std::from_chars(number.data(), number.data() + number.size(), value);
  bool isWhole = at == number.data() + number.size();
  return error == std::errc() && isWhole ? std::optional(value) : std::nullopt;
}

/// The nearest; nullopt of what is beyond the type's range.
std::optional<float> floatOf(std::string_view number);
std::optional<double> doubleOf(std::string_view number);
/// Of "NaN", "inf", "-Infinity" and the like; nullopt of other texts.
std::optional<float> notFiniteOf(std::string_view text);

/// As JSON; what is not finite as a text.
std::string jsonNumber(double value);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_JSONNUMBER_H
