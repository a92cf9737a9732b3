//===- JsonTree.h - The values of a large JSON file -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file of a hundred thousand tensors is never a tree in memory. For each
// object that a visitor enters, members are parsed one by one, passed to the
// visitor, and dropped. Every value knows its place in the text, so that
// messages have lines and members without a meaning here are kept as written.
// Lists of numbers that a visitor reads itself are not parsed.
//
//   struct Names : JsonVisitor {
//     bool enters(const JsonPath &path) override { return path.empty(); }
//     void member(const JsonPath &, JsonValue &member) override { ... }
//   };
//   bool isJson = visitJson(text, names, problems);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_JSONTREE_H
#define YARROW_PARSER_QNN_JSONTREE_H

#include "parser/qnn/JsonProblems.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::qnn {

struct JsonValue {
  enum class Kind { Null, Bool, Number, Text, List, Object };
  Kind kind = Kind::Null;
  /// As the file has it; of a list that the visitor reads itself all there is.
  std::string_view source = {};
  std::string text = {}; ///< Of Text.
  /// Of a List and of an Object, in the order of the file.
  std::vector<JsonValue> items = {};
  std::string key = {};            ///< Of a member of an object.
  std::string_view keySource = {}; ///< With its quotes.

  bool is(Kind other) const { return kind == other; }
  /// Null if there is none.
  const JsonValue *find(std::string_view key) const;
  /// nullopt of what is no whole number of 64 bits.
  std::optional<std::int64_t> integer() const;
  /// The nearest; nullopt of what is no number. "NaN" and "-Infinity" are.
  std::optional<float> real() const;
  /// "a list"
  std::string describe() const;
};

/// The keys from the outermost object inwards.
using JsonPath = std::vector<std::string>;

class JsonVisitor {
public:
  virtual ~JsonVisitor() = default;
  /// Whether the members of the object at \p path are given one by one, instead
  /// of the object as a whole.
  virtual bool enters(const JsonPath &path) = 0;
  /// Whether the list at \p path is left as it is written, unchecked. The first
  /// \p numEntered keys are those of objects that were entered.
  virtual bool leaves(const JsonPath &path, std::size_t numEntered) = 0;
  /// One of the object at \p path, which was entered.
  virtual void member(const JsonPath &path, JsonValue &member) = 0;
};

/// False if \p text is no JSON, nests too deep, or has a key twice in an object
/// that is not entered; that is reported.
bool visitJson(std::string_view text, JsonVisitor &visitor,
               JsonProblems &problems);

/// Without the blanks between its tokens.
std::string compactJson(std::string_view source);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_JSONTREE_H
