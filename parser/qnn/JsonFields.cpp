//===- JsonFields.cpp - Members of objects, one by one --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonFields.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;

static const char *nameOf(JsonValue::Kind kind) {
  switch (kind) {
  case JsonValue::Kind::Null:
    return "null";
  case JsonValue::Kind::Bool:
    return "true or false";
  case JsonValue::Kind::Number:
    return "a number";
  case JsonValue::Kind::Text:
    return "a text";
  case JsonValue::Kind::List:
    return "a list";
  case JsonValue::Kind::Object:
    break;
  }
  return "an object";
}

static std::string quoted(std::string_view key) {
  return "\"" + std::string(key) + "\"";
}

JsonFields::JsonFields(const JsonValue &object, std::string subject,
                       JsonProblems &problems)
    : object(object), name(std::move(subject)), problems(problems),
      isObject(object.is(Kind::Object)), isKnown(object.items.size(), false) {
  if (!isObject)
    report(object.source, "this is not an object", object.describe(),
           "an object");
}

void JsonFields::report(std::string_view part, const std::string &kind,
                        const std::string &found, const std::string &expected) {
  problems.report(part, name, kind).found(found).expected(expected);
}

const JsonValue *JsonFields::find(std::string_view key) {
  const JsonValue *value = object.find(key);
  if (value)
    isKnown[std::size_t(value - object.items.data())] = true;
  return value;
}

const JsonValue *JsonFields::findOf(std::string_view key, Kind kind) {
  const JsonValue *value = find(key);
  if (!value || value->is(kind))
    return value;
  report(value->source, quoted(key) + " has a wrong kind", value->describe(),
         nameOf(kind));
  return nullptr;
}

const JsonValue *JsonFields::get(std::string_view key, Kind kind) {
  if (isObject && !find(key))
    report(object.keySource.empty() ? object.source : object.keySource,
           quoted(key) + " is missing", "no member with this name",
           nameOf(kind));
  return findOf(key, kind);
}

std::optional<std::int64_t> JsonFields::integerOf(const JsonValue &value,
                                                  const std::string &what,
                                                  std::int64_t low,
                                                  std::int64_t high) {
  auto number = value.integer();
  if (number && *number >= low && *number <= high)
    return number;
  std::string expected = "a whole number";
  if (low != INT64_MIN)
    expected += high == INT64_MAX ? " of " + std::to_string(low) + " or more"
                                  : " from " + std::to_string(low) + " to " +
                                        std::to_string(high);
  report(value.source, what + " is out of range", value.describe(), expected);
  return std::nullopt;
}

std::optional<std::int64_t>
JsonFields::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const JsonValue *value = get(key, Kind::Number);
  return value ? integerOf(*value, quoted(key), low, high) : std::nullopt;
}

std::optional<float> JsonFields::real(std::string_view key) {
  const JsonValue *value = find(key);
  auto number = value ? value->real() : std::nullopt;
  // Also where it is missing.
  if (!number && get(key, Kind::Number))
    report(value->source, quoted(key) + " is out of range", value->describe(),
           "a number of float32");
  return number;
}

std::vector<std::string> JsonFields::texts(std::string_view key) {
  std::vector<std::string> result;
  if (const JsonValue *list = get(key, Kind::List))
    for (const JsonValue &item : list->items) {
      if (!item.is(Kind::Text))
        report(item.source, quoted(key) + " has an entry that is not a name",
               item.describe(), "a text");
      result.push_back(item.text);
    }
  return result;
}

bool JsonFields::hasOthers() const {
  return std::ranges::find(isKnown, false) != isKnown.end();
}

OtherMembers JsonFields::others() const {
  OtherMembers result;
  if (isObject)
    for (std::size_t i = 0; i < object.items.size(); ++i)
      if (!isKnown[i])
        result.emplace_back(object.items[i].key,
                            compactJson(object.items[i].source));
  return result;
}
