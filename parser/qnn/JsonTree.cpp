//===- JsonTree.cpp - The values of a large JSON file ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonTree.h"
#include "parser/qnn/JsonNumber.h"
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

using namespace yarrow;
using namespace yarrow::qnn;
using nlohmann::json;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const JsonValue *JsonValue::find(std::string_view key) const {
  auto it = std::ranges::find(items, key, &JsonValue::key);
  return is(Kind::Object) && it != items.end() ? &*it : nullptr;
}

std::optional<std::int64_t> JsonValue::integer() const {
  return is(Kind::Number) ? integerOf<std::int64_t>(source) : std::nullopt;
}

std::optional<float> JsonValue::real() const {
  if (is(Kind::Text))
    return notFiniteOf(text);
  return is(Kind::Number) ? floatOf(source) : std::nullopt;
}

std::string JsonValue::describe() const {
  switch (kind) {
  case Kind::List:
    return "a list";
  case Kind::Object:
    return "an object";
  default:
    return excerptOf(source);
  }
}

std::string qnn::compactJson(std::string_view source) {
  std::string result;
  bool isText = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    char c = source[i];
    if (!isText && isJsonBlank(c))
      continue;
    result += c;
    if (isText && c == '\\' && i + 1 < source.size())
      result += source[++i];
    else if (c == '"')
      isText = !isText;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The parser's events
//===----------------------------------------------------------------------===//

namespace {

/// What the parser reads next; moved when a list is passed over.
struct Cursor {
  const char *at, *end;
};

/// All copies read with the one cursor.
class CursorIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  explicit CursorIterator(Cursor *cursor) : cursor(cursor) {}

  const char &operator*() const { return *cursor->at; }
  CursorIterator &operator++() {
    ++cursor->at;
    return *this;
  }
  CursorIterator operator++(int) {
    CursorIterator before = *this;
    ++*this;
    return before;
  }
  /// Whether both are at the end: only such comparisons are made.
  bool operator==(const CursorIterator &) const {
    return cursor->at == cursor->end;
  }

private:
  Cursor *cursor;
};

class TreeMaker {
public:
  // What the parser calls; the names are its own.
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;
  using Kind = JsonValue::Kind;

  TreeMaker(std::string_view text, JsonVisitor &visitor, JsonProblems &problems)
      : cursor{text.data(), text.data() + text.size()}, last(text.data()),
        visitor(visitor), problems(problems) {}

  Cursor cursor;

  bool null() { return scalar(Kind::Null); }
  bool boolean(bool) { return scalar(Kind::Bool); }
  bool number_integer(number_integer_t) { return scalar(Kind::Number); }
  bool number_unsigned(number_unsigned_t) { return scalar(Kind::Number); }
  bool number_float(number_float_t, const string_t &) {
    return scalar(Kind::Number);
  }
  bool string(string_t &value) { return scalar(Kind::Text, &value); }
  bool binary(binary_t &) { return false; } // not of JSON
  bool key(string_t &value);
  bool start_object(std::size_t) { return start(Kind::Object); }
  bool end_object() { return end(); }
  bool start_array(std::size_t);
  bool end_array() { return end(); }
  bool parse_error(std::size_t position, const std::string &,
                   const json::exception &error);

private:
  bool scalar(Kind kind, std::string *value = nullptr);
  bool start(Kind kind);
  bool end();
  JsonValue &place(Kind kind, std::string_view source);
  void close();
  void passOver();
  bool checkKeys(const JsonValue &object);

  const char *last; ///< The end of what was read last.
  JsonVisitor &visitor;
  JsonProblems &problems;
  JsonPath path; ///< Of all objects that are open, and the key read last.
  std::size_t numEntered = 0, depth = 0;
  bool isRootOpen = false;
  JsonValue current;             ///< The one that is being made.
  std::vector<JsonValue *> open; ///< Lists and objects within it.
};

} // namespace

/// What a reader looks at nests by seven; values are given up recursively.
static constexpr std::size_t kMaxDepth = 64;

/// Where the token that comes after \p at begins.
static const char *nextToken(const char *at, const char *end) {
  while (at != end && (isJsonBlank(*at) || *at == ',' || *at == ':'))
    ++at;
  return at;
}

bool TreeMaker::scalar(Kind kind, std::string *value) {
  const char *begin = nextToken(last, cursor.end);
  // The parser has read one character more than a number's.
  last = kind == Kind::Number ? endOfNumber(begin, cursor.end) : cursor.at;
  std::string_view source(begin, std::size_t(last - begin));
  if (!isRootOpen) {
    problems.report(source, "", "the file is not an object")
        .found(excerptOf(source));
    return false;
  }
  JsonValue &made = place(kind, source);
  if (value)
    made.text = std::move(*value);
  close();
  return true;
}

bool TreeMaker::key(string_t &value) {
  const char *begin = nextToken(last, cursor.end);
  last = cursor.at;
  std::string_view source(begin, std::size_t(last - begin));
  JsonValue member;
  member.key = value;
  member.keySource = source;
  if (open.empty())
    current = std::move(member);
  else
    open.back()->items.push_back(std::move(member));
  path.push_back(std::move(value));
  return true;
}

/// Where the next value belongs: a member is there since its key was read.
JsonValue &TreeMaker::place(Kind kind, std::string_view source) {
  if (!open.empty() && open.back()->is(Kind::List))
    open.back()->items.emplace_back();
  JsonValue &value = open.empty() ? current : open.back()->items.back();
  value.kind = kind;
  value.source = source;
  return value;
}

/// The value that was placed last is whole.
void TreeMaker::close() {
  if (open.empty()) {
    path.pop_back();
    visitor.member(path, current);
  } else if (open.back()->is(Kind::Object)) {
    path.pop_back();
  }
}

bool TreeMaker::start(Kind kind) {
  std::string_view source(cursor.at - 1, 1);
  last = cursor.at;
  if (++depth > kMaxDepth) {
    problems.report(source, "",
                    "lists and objects are nested deeper than " +
                        std::to_string(kMaxDepth));
    return false;
  }
  if (!isRootOpen) {
    if (kind != Kind::Object)
      problems.report(source, "", "the file is not an object").found("a list");
    return isRootOpen = kind == Kind::Object;
  }
  if (open.empty() && kind == Kind::Object && visitor.enters(path))
    numEntered = path.size();
  else
    open.push_back(&place(kind, source));
  return true;
}

bool TreeMaker::end() {
  --depth;
  last = cursor.at;
  if (open.empty()) {
    if (!path.empty())
      path.pop_back();
    numEntered = path.size();
    return true;
  }
  JsonValue &value = *open.back();
  open.pop_back();
  const char *begin = value.source.data();
  value.source = {begin, std::size_t(last - begin)};
  if (!checkKeys(value))
    return false;
  close();
  return true;
}

bool TreeMaker::start_array(std::size_t) {
  bool isMember = open.empty() || open.back()->is(Kind::Object);
  if (!start(Kind::List))
    return false;
  if (isMember && visitor.leaves(path, numEntered))
    passOver();
  return true;
}

/// Goes on at the bracket that closes the list: behind the one that opens it
/// the parser has read nothing yet.
void TreeMaker::passOver() {
  std::size_t lists = 1;
  for (const char *at = cursor.at; at != cursor.end; ++at) {
    if (*at == '[') {
      ++lists;
    } else if (*at == ']' && --lists == 0) {
      cursor.at = at;
      return;
    } else if (*at == '"') {
      for (++at; at != cursor.end && *at != '"'; ++at)
        if (*at == '\\' && at + 1 != cursor.end)
          ++at;
      if (at == cursor.end)
        return;
    }
  }
  // It has no end, which the parser finds out.
}

/// The first item whose key another before it has.
static const JsonValue *itemGivenTwice(const std::vector<JsonValue> &items) {
  constexpr std::size_t few = 8; // nearly all objects
  if (items.size() <= few) {
    for (std::size_t i = 1; i < items.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (items[i].key == items[j].key)
          return &items[i];
    return nullptr;
  }
  std::unordered_set<std::string_view> keys;
  for (const JsonValue &item : items)
    if (!keys.insert(item.key).second)
      return &item;
  return nullptr;
}

bool TreeMaker::checkKeys(const JsonValue &object) {
  const JsonValue *twice =
      object.is(Kind::Object) ? itemGivenTwice(object.items) : nullptr;
  if (twice)
    problems.report(twice->keySource, "",
                    "the key '" + excerptOf(twice->key) +
                        "' is given twice in one object");
  return !twice;
}

/// "[json.exception.parse_error.101] parse error at line 3, column 5: syntax
/// error while ..." without what the diagnostic says itself.
static std::string reasonOf(std::string_view text) {
  std::size_t colon = text.find(": ");
  if (colon != text.npos)
    text.remove_prefix(colon + 2);
  return std::string(text.substr(0, 200));
}

bool TreeMaker::parse_error(std::size_t, const std::string &,
                            const json::exception &error) {
  // The parser's own count lacks what was passed over.
  std::string_view where(cursor.at, 0);
  if (isRootOpen || cursor.at != last)
    where = {cursor.at - 1, 1};
  problems.report(where, "", "the file is not valid JSON")
      .found(reasonOf(error.what()));
  return false;
}

bool qnn::visitJson(std::string_view text, JsonVisitor &visitor,
                    JsonProblems &problems) {
  TreeMaker maker(text, visitor, problems);
  return json::sax_parse(CursorIterator(&maker.cursor),
                         CursorIterator(&maker.cursor), &maker);
}
