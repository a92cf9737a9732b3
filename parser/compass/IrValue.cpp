//===- IrValue.cpp - A value of Compass IR text ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Classification of spellings, the typed views, and number formatting.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrValue.h"

#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>

using namespace yarrow::compass;

//===----------------------------------------------------------------------===//
// Making values
//===----------------------------------------------------------------------===//

IrValue IrValue::integer(std::int64_t value) {
  IrValue result;
  result.kind = Kind::Int;
  result.intValue = value;
  result.spelling = std::to_string(value);
  return result;
}

IrValue IrValue::unsignedInteger(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(INT64_MAX))
    return integer(static_cast<std::int64_t>(value));
  IrValue result;
  result.kind = Kind::UInt64;
  result.intValue = static_cast<std::int64_t>(value);
  result.spelling = std::to_string(value);
  return result;
}

IrValue IrValue::floating(double value) {
  IrValue result;
  result.kind = Kind::Float;
  result.floatValue = value;
  result.spelling = formatFloat(value);
  return result;
}

IrValue IrValue::boolean(bool value) {
  IrValue result;
  result.kind = Kind::Bool;
  result.boolValue = value;
  result.spelling = value ? "true" : "false";
  return result;
}

IrValue IrValue::word(std::string text) {
  assert(isWritableWord(text) && "a word that no reader would read back");
  IrValue result;
  result.kind = Kind::Word;
  result.spelling = std::move(text);
  return result;
}

IrValue IrValue::list(std::vector<IrValue> values) {
  IrValue result;
  result.kind = Kind::List;
  result.items = std::move(values);
  return result;
}

template <typename T, typename Make>
static IrValue makeList(const std::vector<T> &values, Make make) {
  std::vector<IrValue> items;
  items.reserve(values.size());
  for (const T &value : values)
    items.push_back(make(value));
  return IrValue::list(std::move(items));
}

IrValue IrValue::intList(const std::vector<std::int64_t> &values) {
  return makeList(values, integer);
}

IrValue
IrValue::nestedIntList(const std::vector<std::vector<std::int64_t>> &values) {
  return makeList(values, intList);
}

IrValue IrValue::floatList(const std::vector<double> &values) {
  return makeList(values, floating);
}

IrValue IrValue::wordList(const std::vector<std::string> &values) {
  return makeList(values, word);
}

//===----------------------------------------------------------------------===//
// Reading scalars
//===----------------------------------------------------------------------===//

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

static bool equalsLower(std::string_view text, std::string_view lowerCase) {
  if (text.size() != lowerCase.size())
    return false;
  for (std::size_t i = 0; i != text.size(); ++i)
    if (lower(text[i]) != lowerCase[i])
      return false;
  return true;
}

/// Fills kind and value if \p digits, after an optional sign, is an integer.
static bool readInteger(std::string_view text, IrValue &value) {
  std::string_view digits = text;
  bool negative = digits.front() == '-';
  if (negative || digits.front() == '+')
    digits.remove_prefix(1);
  if (digits.empty())
    return false;
  for (char c : digits)
    if (!isDigit(c))
      return false;
  const char *end = digits.data() + digits.size();
  std::uint64_t magnitude = 0;
  if (std::from_chars(digits.data(), end, magnitude).ec != std::errc())
    return false; // Longer than 64 bits: readFloat takes it.
  const std::uint64_t maxPositive = INT64_MAX;
  if (magnitude <= maxPositive + negative) {
    value.kind = IrValue::Kind::Int;
    value.intValue =
        static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
    return true;
  }
  if (negative)
    return false;
  value.kind = IrValue::Kind::UInt64;
  value.intValue = static_cast<std::int64_t>(magnitude);
  return true;
}

/// A number outside the range of double stays a word: asFloat then fails and
/// its reader reports it, which beats a silent inf or 0.
static bool readFloat(std::string_view text, IrValue &value) {
  std::string_view digits = text;
  bool negative = digits.front() == '-';
  if (negative || digits.front() == '+')
    digits.remove_prefix(1);
  if (digits.empty())
    return false;
  bool isNumber =
      isDigit(digits.front()) ||
      (digits.front() == '.' && digits.size() > 1 && isDigit(digits[1]));
  bool isName = equalsLower(digits, "inf") || equalsLower(digits, "nan");
  if (!isNumber && !isName)
    return false;
  double magnitude = 0;
  const char *end = digits.data() + digits.size();
  auto [stop, error] = std::from_chars(digits.data(), end, magnitude);
  if (error != std::errc() || stop != end)
    return false;
  value.kind = IrValue::Kind::Float;
  value.floatValue = negative ? -magnitude : magnitude;
  return true;
}

IrValue IrValue::scalar(std::string_view spelling) {
  IrValue value;
  if (spelling.empty())
    return value;
  value.spelling = spelling;
  char first = spelling.front();
  bool mayBeNumber = isDigit(first) || first == '-' || first == '+' ||
                     first == '.' || lower(first) == 'i' || lower(first) == 'n';
  if (mayBeNumber &&
      (readInteger(spelling, value) || readFloat(spelling, value)))
    return value;
  if (equalsLower(spelling, "true") || equalsLower(spelling, "false")) {
    value.kind = Kind::Bool;
    value.boolValue = lower(first) == 't';
    return value;
  }
  value.kind = Kind::Word;
  return value;
}

//===----------------------------------------------------------------------===//
// Typed views
//===----------------------------------------------------------------------===//

bool IrValue::isNone() const {
  if (isEmpty())
    return true;
  return isList() &&
         (items.empty() ||
          (items.size() == 1 && items[0].isList() && items[0].items.empty()));
}

std::optional<std::int64_t> IrValue::asInt() const {
  if (kind == Kind::Int)
    return intValue;
  // 2^53: up to here every whole double is an exact integer.
  if (kind == Kind::Float && std::fabs(floatValue) <= 9007199254740992.0 &&
      std::trunc(floatValue) == floatValue)
    return static_cast<std::int64_t>(floatValue);
  return std::nullopt;
}

std::optional<std::uint64_t> IrValue::asUInt64() const {
  if (kind == Kind::UInt64)
    return static_cast<std::uint64_t>(intValue);
  std::optional<std::int64_t> value = asInt();
  if (!value || *value < 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<double> IrValue::asFloat() const {
  switch (kind) {
  case Kind::Float:
    return floatValue;
  case Kind::Int:
    return static_cast<double>(intValue);
  case Kind::UInt64:
    return static_cast<double>(static_cast<std::uint64_t>(intValue));
  default:
    return std::nullopt;
  }
}

std::optional<bool> IrValue::asBool() const {
  if (kind == Kind::Bool)
    return boolValue;
  if (kind == Kind::Int && (intValue == 0 || intValue == 1))
    return intValue == 1;
  return std::nullopt;
}

std::optional<std::string> IrValue::asWord() const {
  if (!isScalar())
    return std::nullopt;
  return spelling;
}

/// A list of whatever \p read makes of an item; a scalar is a list of one.
template <typename T, typename Read>
static std::optional<std::vector<T>> readList(const IrValue &value, Read read) {
  std::vector<T> result;
  if (value.isEmpty())
    return result;
  if (!value.isList()) {
    std::optional<T> item = read(value);
    if (!item)
      return std::nullopt;
    result.push_back(std::move(*item));
    return result;
  }
  result.reserve(value.items.size());
  for (const IrValue &child : value.items) {
    std::optional<T> item = read(child);
    if (!item)
      return std::nullopt;
    result.push_back(std::move(*item));
  }
  return result;
}

std::optional<std::vector<std::int64_t>> IrValue::asIntList() const {
  return readList<std::int64_t>(*this,
                                [](const IrValue &v) { return v.asInt(); });
}

std::optional<std::vector<double>> IrValue::asFloatList() const {
  return readList<double>(*this, [](const IrValue &v) { return v.asFloat(); });
}

std::optional<std::vector<bool>> IrValue::asBoolList() const {
  return readList<bool>(*this, [](const IrValue &v) { return v.asBool(); });
}

std::optional<std::vector<std::string>> IrValue::asWordList() const {
  return readList<std::string>(*this,
                               [](const IrValue &v) { return v.asWord(); });
}

template <typename T, typename ReadRow>
static std::optional<std::vector<std::vector<T>>>
readNestedList(const IrValue &value, ReadRow readRow) {
  using Row = std::vector<T>;
  bool isFlat = !value.isList();
  for (const IrValue &item : value.items)
    isFlat |= !item.isList();
  if (value.isEmpty() || !isFlat)
    return readList<Row>(value, readRow);
  // A list of rows and scalars mixed is flat too, and fails as a row.
  std::optional<Row> row = readRow(value);
  if (!row)
    return std::nullopt;
  return std::vector<Row>{std::move(*row)};
}

std::optional<std::vector<std::vector<std::int64_t>>>
IrValue::asNestedIntList() const {
  return readNestedList<std::int64_t>(
      *this, [](const IrValue &v) { return v.asIntList(); });
}

std::optional<std::vector<std::vector<double>>>
IrValue::asNestedFloatList() const {
  return readNestedList<double>(
      *this, [](const IrValue &v) { return v.asFloatList(); });
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void IrValue::appendTo(std::string &text) const {
  if (!isList()) {
    text += spelling;
    return;
  }
  text += '[';
  for (std::size_t i = 0; i != items.size(); ++i) {
    if (i)
      text += ',';
    items[i].appendTo(text);
  }
  text += ']';
}

std::string IrValue::str() const {
  std::string text;
  appendTo(text);
  return text;
}

std::string yarrow::compass::formatFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // Shortest digits and exponent, "d.ddde-05"; 32 bytes hold any double.
  char buffer[32];
  auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value,
                                  std::chars_format::scientific);
  std::string_view text(buffer, scientific.ptr - buffer);
  std::size_t exponentAt = text.find('e');
  int exponent = int(std::strtol(
      std::string(text.substr(exponentAt + 1)).c_str(), nullptr, 10));
  // Python's repr: positional within [1e-4, 1e16).
  if (exponent < -4 || exponent >= 16)
    return std::string(text);
  char fixed[64];
  auto end = std::to_chars(fixed, fixed + sizeof fixed, value,
                           std::chars_format::fixed);
  std::string result(fixed, end.ptr);
  if (result.find('.') == std::string::npos)
    result += ".0";
  return result;
}

bool yarrow::compass::isWritableWord(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ')
    return false;
  for (char c : text)
    if (c < ' ' || c > '~' || c == '=' || c == ',' || c == '[' || c == ']' ||
        c == '#')
      return false;
  char quote = text.front();
  bool isQuoted = (quote == '\'' || quote == '"') && text.size() > 1 &&
                  text.back() == quote;
  return !isQuoted;
}
