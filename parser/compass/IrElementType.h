//===- IrElementType.h - Element types of Compass IR text -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the words of layer_top_type and weights_type mean, from the records of
// ElementTypes.def:
//
//   findElementType("uint16")->bytes   2
//   findElementType("FP16")->word      "float16"
//   findElementType("int7")            nullptr
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_IRELEMENTTYPE_H
#define YARROW_PARSER_COMPASS_IRELEMENTTYPE_H

#include <string>
#include <string_view>
#include <vector>

namespace yarrow::compass {

struct IrElementType {
  enum class Kind { Signed, Unsigned, Bool, Float, BFloat, SmallFloat };
  std::string_view word; ///< As it is written.
  Kind kind;
  unsigned bits;
  unsigned bytes; ///< Of one element in the weights file.

  bool isInteger() const {
    return kind == Kind::Signed || kind == Kind::Unsigned;
  }
};

/// The type of a word or a synonym in any case, or nullptr.
const IrElementType *findElementType(std::string_view word);

/// The words that can be written, for hints.
std::vector<std::string> elementTypeWords();

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_IRELEMENTTYPE_H
