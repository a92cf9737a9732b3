//===- JsonFields.h - Members of objects, one by one ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A reader asks for some members of an object by name; the others are kept.
// Missing members and members of a wrong kind are reported.
//
//   JsonFields fields(object, "tensor x", problems);
//   std::optional<std::int64_t> type = fields.integer("data_type");
//   tensor.others = fields.others();     // all that nobody has asked for
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_JSONFIELDS_H
#define YARROW_PARSER_QNN_JSONFIELDS_H

#include "parser/qnn/JsonTree.h"
#include "parser/qnn/QnnModel.h"

namespace yarrow::qnn {

class JsonFields {
public:
  using Kind = JsonValue::Kind;

  /// What is no object is reported, and has no members.
  JsonFields(const JsonValue &object, std::string subject,
             JsonProblems &problems);

  explicit operator bool() const { return isObject; }
  const std::string &subject() const { return name; }

  /// Null where there is none, which is right.
  const JsonValue *find(std::string_view key);
  /// Null, and reported, where there is none, or one of another kind.
  const JsonValue *get(std::string_view key, Kind kind);
  /// Null where there is none; one of another kind is reported.
  const JsonValue *findOf(std::string_view key, Kind kind);
  /// Reports one that is missing, or no whole number of \p low to \p high.
  std::optional<std::int64_t> integer(std::string_view key,
                                      std::int64_t low = INT64_MIN,
                                      std::int64_t high = INT64_MAX);
  std::optional<float> real(std::string_view key);
  /// Reports a list that has other than texts.
  std::vector<std::string> texts(std::string_view key);

  /// Those that were not asked for.
  OtherMembers others() const;
  bool hasOthers() const;

  /// nullopt, and reported, of a \p value that is no whole number from \p low
  /// to \p high; \p what is its name in the message.
  std::optional<std::int64_t> integerOf(const JsonValue &value,
                                        const std::string &what,
                                        std::int64_t low, std::int64_t high);
  void report(std::string_view part, const std::string &kind,
              const std::string &found, const std::string &expected);

private:
  const JsonValue &object;
  std::string name;
  JsonProblems &problems;
  bool isObject;
  std::vector<bool> isKnown; ///< Of each member.
};

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_JSONFIELDS_H
