//===- FlexMap.h - Options of custom operators ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Custom operators have their options as a map of FlexBuffers, which is read
// from its end: the last byte says how wide the root is, the one before of what
// kind. Every offset is checked; a map with an invalid offset has no entries,
// and a value that is not a number reads as absent.
//
//   FlexMap map(bytes);
//   double scale = map.number("y_scale").value_or(10);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_FLEXMAP_H
#define YARROW_PARSER_TFLITE_FLEXMAP_H

#include "parser/tflite/Flat.h"
#include <map>
#include <string>

namespace yarrow::tflite {

class FlexMap {
public:
  explicit FlexMap(Bytes bytes);

  /// An integer, a float or a truth value.
  std::optional<double> number(std::string_view key) const;
  /// The names of all numbers that it has.
  std::vector<std::string> keys() const;

private:
  std::map<std::string, double, std::less<>> numbers;
};

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_FLEXMAP_H
