//===- PerLayer.cpp - A setting that differs between layers ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/PerLayer.h"

#include "compiler/config/Ini.h"

#include <algorithm>
#include <charconv>
#include <regex>

using namespace yarrow::config;

std::string detail::lowerCase(std::string_view text) { return toLower(text); }

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

struct NamePattern::Compiled {
  std::regex regex;
};

/// How often the compiler of expressions may copy a part of \p text: {m,n} in
/// {k} in ... is unrolled. The product of all counts is a bound; it stops
/// growing at 1,000.
static std::size_t unrolledCopies(std::string_view text) {
  constexpr std::size_t enough = 1000;
  std::size_t copies = 1;
  for (std::size_t at = 0; (at = text.find('{', at)) != text.npos; ++at) {
    std::size_t count = 0, most = 1;
    for (char c : text.substr(at + 1)) {
      if (c == ',')
        count = 0;
      else if (c >= '0' && c <= '9')
        count = std::min(enough, 10 * count + std::size_t(c - '0'));
      else
        break;
      most = std::max(most, count);
    }
    copies = std::min(enough, copies * most);
  }
  return copies;
}

std::optional<NamePattern> NamePattern::compile(const std::string &text,
                                                std::string &problem) {
  // The compiler of expressions recurses into groups and unrolls repetitions.
  constexpr std::size_t maxLength = 500;
  if (text.size() > maxLength) {
    problem = "the name pattern has more than 500 characters";
    return std::nullopt;
  }
  std::size_t digits = 0;
  for (char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 3) {
      problem = "a number has more than 3 digits in the name pattern " + text;
      return std::nullopt;
    }
  }
  // Many rules of few characters must not take gigabytes.
  constexpr std::size_t maxCopies = 100;
  if (unrolledCopies(text) > maxCopies) {
    problem =
        "{ } asks for more than 100 repetitions in the name pattern " + text;
    return std::nullopt;
  }
  auto flags = std::regex::ECMAScript;
#ifdef __GLIBCXX__
  // Breadth first instead of backtracking: no exponential time and no
  // recursion over the name.
  flags |= std::regex_constants::__polynomial;
#endif
  try {
    NamePattern pattern;
    pattern.source = text;
    pattern.compiled =
        std::make_shared<Compiled>(Compiled{std::regex(text, flags)});
    return pattern;
  } catch (const std::regex_error &) {
    problem = "not a regular expression: " + text;
    return std::nullopt;
  }
}

bool NamePattern::matches(std::string_view name) const {
  return std::regex_search(name.begin(), name.end(), compiled->regex,
                           std::regex_constants::match_continuous);
}

//===----------------------------------------------------------------------===//
// Selectors
//===----------------------------------------------------------------------===//

bool LayerSelector::hasId(std::int64_t id) const {
  for (auto [first, last] : idRanges)
    if (first <= id && id <= last)
      return true;
  return false;
}

bool LayerSelector::hasType(std::string_view lowerCaseType) const {
  for (const std::string &type : types)
    if (type == lowerCaseType)
      return true;
  return false;
}

bool LayerSelector::matches(const LayerKey &layer) const {
  return hasId(layer.id) || hasType(toLower(layer.type)) ||
         (!layer.method.empty() && hasType(toLower(layer.method))) ||
         hasName(layer.name);
}

std::string LayerSelector::str() const {
  if (name)
    return "{" + name->text() + "}";
  std::string text = "[";
  for (const std::string &type : types)
    text += (text.size() > 1 ? "," : "") + type;
  for (auto [first, last] : idRanges)
    text += (text.size() > 1 ? ",(" : "(") + std::to_string(first) + "," +
            std::to_string(last) + ")";
  return text + "]";
}

static bool isTypeName(std::string_view text) {
  for (char c : text)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
        !(c >= '0' && c <= '9') && c != '_')
      return false;
  return !text.empty();
}

/// Reads "i,j" of "(i,j)".
static std::optional<std::pair<std::int64_t, std::int64_t>>
parseRange(std::string_view text) {
  std::size_t comma = text.find(',');
  if (comma == std::string_view::npos)
    return std::nullopt;
  std::pair<std::int64_t, std::int64_t> range;
  auto read = [](std::string_view digits, std::int64_t &id) {
    digits = trim(digits);
    const char *end = digits.data() + digits.size();
    auto [stop, error] = std::from_chars(digits.data(), end, id);
    return error == std::errc() && stop == end && id >= 0;
  };
  if (!read(text.substr(0, comma), range.first) ||
      !read(text.substr(comma + 1), range.second))
    return std::nullopt;
  return range;
}

/// Reads "(i,j),(k,l)".
static bool parseRanges(std::string_view text, LayerSelector &selector) {
  while (true) {
    std::size_t end = text.find(')');
    if (text.empty() || text.front() != '(' || end == std::string_view::npos)
      return false;
    auto range = parseRange(text.substr(1, end - 1));
    if (!range)
      return false;
    selector.idRanges.push_back(*range);
    text = trim(text.substr(end + 1));
    if (text.empty())
      return true;
    if (text.front() != ',')
      return false;
    text = trim(text.substr(1));
  }
}

static bool parseTypes(std::string_view text, LayerSelector &selector) {
  while (true) {
    std::size_t end = text.find(',');
    std::string_view type = trim(text.substr(0, end));
    if (!isTypeName(type))
      return false;
    selector.types.push_back(toLower(type));
    if (end == std::string_view::npos)
      return true;
    text = text.substr(end + 1);
  }
}

std::optional<LayerSelector>
yarrow::config::parseSelector(std::string_view text, std::string &problem) {
  text = trim(text);
  LayerSelector selector;
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') {
    selector.name = NamePattern::compile(
        std::string(text.substr(1, text.size() - 2)), problem);
    if (!selector.name)
      return std::nullopt;
    return selector;
  }
  bool isBracketed =
      text.size() >= 2 && text.front() == '[' && text.back() == ']';
  std::string_view inner =
      isBracketed ? trim(text.substr(1, text.size() - 2)) : text;
  bool isGood =
      isBracketed && (inner.starts_with("(") ? parseRanges(inner, selector)
                                             : parseTypes(inner, selector));
  if (isGood)
    return selector;
  problem = "not a selection of layers: " + std::string(text);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

/// Reads "where:value", the part between < and >.
static bool parseRule(std::string_view text, PerLayerText &setting,
                      std::string &problem) {
  // A name may hold colons and brackets, a value ends at none of them: the
  // colon after the last closing bracket that has one.
  std::size_t colon = std::string_view::npos;
  for (char bracket : {'}', ']'}) {
    for (std::size_t at = text.size(); at-- != 0;) {
      if (text[at] != bracket)
        continue;
      std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
      if (next == std::string_view::npos || text[next] != ':')
        continue;
      colon = next;
      break;
    }
    if (colon != std::string_view::npos)
      break;
  }
  if (colon == std::string_view::npos) {
    problem = "a rule has no selection of layers: <" + std::string(text) + ">";
    return false;
  }
  std::optional<LayerSelector> where =
      parseSelector(text.substr(0, colon), problem);
  if (!where)
    return false;
  std::string_view value = trim(text.substr(colon + 1));
  if (value.empty()) {
    problem = "a rule has no value: <" + std::string(text) + ">";
    return false;
  }
  setting.rules.push_back({std::move(*where), std::string(value),
                           "<" + std::string(trim(text)) + ">"});
  return true;
}

std::optional<PerLayerText>
yarrow::config::parsePerLayer(std::string_view text, std::string &problem) {
  PerLayerText setting;
  std::size_t ampersand = text.find('&');
  setting.global = trim(text.substr(0, ampersand));
  if (ampersand == std::string_view::npos)
    return setting;
  std::string_view rest = trim(text.substr(ampersand + 1));
  if (setting.global.empty() || rest.empty()) {
    problem = "one side of '&' is empty";
    return std::nullopt;
  }
  while (!rest.empty()) {
    std::size_t end = rest.find('>');
    if (rest.front() != '<' || end == std::string_view::npos) {
      problem = "a rule is not in < >: " + std::string(rest);
      return std::nullopt;
    }
    if (!parseRule(rest.substr(1, end - 1), setting, problem))
      return std::nullopt;
    rest = trim(rest.substr(end + 1));
  }
  return setting;
}
