//===- ValueKind.h - The form of a key's value ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The form of a value, for the code that reads it and for messages that explain
// it.
//
//   ValueKind bits{ValueKind::Integer, 4, 16};
//   bits.str(); // "an integer from 4 to 16"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_VALUEKIND_H
#define YARROW_COMPILER_CONFIG_VALUEKIND_H

#include <string>
#include <string_view>

namespace yarrow::config {

/// What a value must look like.
struct ValueKind {
  enum Form {
    Text,
    Name, ///< The first part of file names (support/FileName.h).
    Path,
    PathList,
    Machine, ///< A name, or the path of a .json file.
    WordList,
    IntList,
    Bool,
    Integer,
    Real,
    Choice,
    Metrics,
    Method,
    Strategy,
    Float,
    Softmax,
    Trim,
    UnifyScales,
    LayerRanges,
    Global,
    PrecisionTarget,
    Thresholds
  };
  Form form = Text;
  double min = 0, max = 0;  ///< Integer and Real, inclusive.
  std::string_view choices; ///< Choice: "a|b".
  bool isPerLayer = false;
  bool allowsSuffix = false; ///< Choice: what follows '_' does not matter.

  /// For users: "integer from 4 to 16, per layer".
  std::string str() const;
};

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_VALUEKIND_H
