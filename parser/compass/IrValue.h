//===- IrValue.h - A value of Compass IR text -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The right side of a key=value line as a tree: numbers, words, and lists of
// them. What a value means depends on its key, which this layer does not know:
// a tensor may be named `123` and a dtype looks like any word. So a scalar
// keeps its spelling besides what it reads as, and readers ask for the form
// they need:
//
//   layer_top_shape=[[1,32,32,3]]   value.asNestedIntList() -> {{1,32,32,3}}
//   layer_top_shape=[1,32,32,3]     the same: one tensor without brackets
//   epsilon=1e-05                   value.asFloat() -> 1e-05
//   layer_top=123                   value.asWordList() -> {"123"}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_IRVALUE_H
#define YARROW_PARSER_COMPASS_IRVALUE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::compass {

struct IrValue {
  enum class Kind {
    Empty,  ///< `key=`
    Int,    ///< fits int64_t
    UInt64, ///< an integer of (INT64_MAX, UINT64_MAX]
    Float,  ///< a decimal point or an exponent, inf, nan, or a longer integer
    Bool,   ///< true or false in any case
    Word,   ///< a name, an enumerator, a dtype, None
    List,
  };

  Kind kind = Kind::Empty;
  std::int64_t intValue = 0;  ///< Int; of UInt64 the same bits.
  double floatValue = 0;      ///< Float.
  bool boolValue = false;     ///< Bool.
  std::string spelling;       ///< Scalars: the text that is written back.
  std::vector<IrValue> items; ///< List.

  static IrValue empty() { return {}; }
  static IrValue integer(std::int64_t value);
  static IrValue unsignedInteger(std::uint64_t value);
  /// Spelled by formatFloat.
  static IrValue floating(double value);
  static IrValue boolean(bool value);
  /// A word as it stands, even if it looks like a number. It must be a text
  /// that a reader takes for one item: see isWritableWord.
  static IrValue word(std::string text);
  static IrValue list(std::vector<IrValue> values);
  static IrValue intList(const std::vector<std::int64_t> &values);
  static IrValue
  nestedIntList(const std::vector<std::vector<std::int64_t>> &values);
  static IrValue floatList(const std::vector<double> &values);
  static IrValue wordList(const std::vector<std::string> &values);
  /// Classifies a scalar spelling as a reader of IR text does.
  static IrValue scalar(std::string_view spelling);

  bool isEmpty() const { return kind == Kind::Empty; }
  bool isList() const { return kind == Kind::List; }
  bool isScalar() const { return !isEmpty() && !isList(); }
  /// No value, `[]` or `[[]]`: the ways the format says "none".
  bool isNone() const;

  // Each helper answers nullopt when the value is not of that form. A Float
  // that is a whole number is an int; 0 and 1 are bools; every scalar is a
  // word.
  std::optional<std::int64_t> asInt() const;
  std::optional<std::uint64_t> asUInt64() const;
  std::optional<double> asFloat() const;
  std::optional<bool> asBool() const;
  std::optional<std::string> asWord() const;
  // A scalar stands for a list of one; no value for the empty list.
  std::optional<std::vector<std::int64_t>> asIntList() const;
  std::optional<std::vector<double>> asFloatList() const;
  std::optional<std::vector<bool>> asBoolList() const;
  std::optional<std::vector<std::string>> asWordList() const;
  // A flat list stands for a nested list of one, but `[]` is no list at all:
  // `[]` -> {}, `[[]]` -> {{}}, `[1,2]` -> {{1,2}}.
  std::optional<std::vector<std::vector<std::int64_t>>> asNestedIntList() const;
  std::optional<std::vector<std::vector<double>>> asNestedFloatList() const;

  /// The canonical text: the spellings, lists without blanks.
  std::string str() const;
  void appendTo(std::string &text) const;
};

/// The shortest text that reads back as \p value, as Python's repr writes it:
/// 0.0, 255.0, 1e-05, 53.595027923583984, 1e+16, inf, nan.
std::string formatFloat(double value);

/// True if \p text can stand as one item of IR text and be read back: not
/// empty, printable ASCII, none of = , [ ] #, no blank at an end, and not in a
/// pair of quotes.
bool isWritableWord(std::string_view text);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_IRVALUE_H
