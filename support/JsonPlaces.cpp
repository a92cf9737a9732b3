//===- JsonPlaces.cpp - Where the members of a JSON file stand ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/JsonPlaces.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace yarrow {

namespace {

/// Walks over tokens that the parser has accepted before.
class Scanner {
public:
  Scanner(std::string_view text, const std::string &path) : text(text) {
    place.file = path;
    place.line = place.column = 1;
  }

  std::map<std::vector<std::string>, Place> places;

  void run() {
    std::vector<bool> isObject; // of what is open
    std::vector<std::string> keys;
    std::optional<std::string> key;
    bool isKeyNext = false;
    unsigned lists = 0;
    while (skipBlank()) {
      char c = text[at];
      if (c == '"') {
        Place start = place;
        std::string word = readString();
        if (isKeyNext && lists == 0) {
          keys.push_back(word);
          places.try_emplace(keys, start);
          keys.pop_back();
          key = std::move(word);
        }
        isKeyNext = false;
        continue;
      }
      advance();
      if (c == '{' || c == '[') {
        isObject.push_back(c == '{');
        lists += c == '[';
        if (isObject.size() > 1)
          keys.push_back(key.value_or(""));
        isKeyNext = c == '{';
      } else if (c == '}' || c == ']') {
        lists -= c == ']';
        isObject.pop_back();
        if (!keys.empty())
          keys.pop_back();
        isKeyNext = false;
      } else if (c == ',') {
        isKeyNext = !isObject.empty() && isObject.back();
      }
    }
  }

private:
  void advance() {
    if (text[at++] == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }

  void skipTo(std::string_view end) {
    while (at < text.size() && !text.substr(at).starts_with(end))
      advance();
    for (std::size_t i = 0; i < end.size() && at < text.size(); ++i)
      advance();
  }

  /// False at the end of the text.
  bool skipBlank() {
    while (at < text.size()) {
      std::string_view rest = text.substr(at);
      if (rest.starts_with("//"))
        skipTo("\n");
      else if (rest.starts_with("/*"))
        skipTo("*/");
      else if (std::string_view(" \t\r\n").find(rest[0]) !=
               std::string_view::npos)
        advance();
      else
        return true;
    }
    return false;
  }

  std::string readString() {
    std::size_t begin = at;
    advance();
    while (at < text.size() && text[at] != '"') {
      if (text[at] == '\\')
        advance();
      if (at < text.size())
        advance();
    }
    if (at < text.size())
      advance();
    auto word = nlohmann::json::parse(text.substr(begin, at - begin), nullptr,
                                      /*allow_exceptions=*/false);
    return word.is_string() ? word.get<std::string>() : "";
  }

  std::string_view text;
  std::size_t at = 0;
  Place place;
};

} // namespace

JsonPlaces::JsonPlaces(std::string_view text, std::string path)
    : path(std::move(path)) {
  Scanner scanner(text, this->path);
  scanner.run();
  places = std::move(scanner.places);
}

Place JsonPlaces::of(const std::vector<std::string> &keys) const {
  auto found = places.find(keys);
  return found == places.end() ? Place{path} : found->second;
}

} // namespace yarrow
