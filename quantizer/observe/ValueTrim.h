//===- ValueTrim.h - Which values statistics leave out ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A value of trim_infinity_before_statistic. Networks hold masks of -1e9 or
// -inf, whose size means nothing: a range that contains them has no steps left
// for the rest.
//
//   clip(a,b)    values are limited to [a, b]
//   second(a,b)  values that reach a or b are limited to the rest's extrema
//
//   std::string problem;
//   auto trim = ValueTrim::parse("second(-10000,inf)", problem);
//   trim->str();     // "second(-10000,inf)"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OBSERVE_VALUETRIM_H
#define YARROW_QUANTIZER_OBSERVE_VALUETRIM_H

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace yarrow {

struct ValueTrim {
  enum class Kind { Clip, Second };
  Kind kind = Kind::Clip;
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();

  /// Case and spaces do not matter. Nullopt if \p text is none; \p problem
  /// tells why.
  static std::optional<ValueTrim> parse(std::string_view text,
                                        std::string &problem);
  std::string str() const;
  /// False if no value is changed.
  bool isOn() const;
  bool operator==(const ValueTrim &) const = default;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_OBSERVE_VALUETRIM_H
