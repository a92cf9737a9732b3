//===- ScoreArguments.cpp - What stands in a metric's parentheses ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/ScoreArguments.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <filesystem>
#include <limits>

using namespace yarrow;

/// "K=5" has the name "K".
static llvm::StringRef nameOf(llvm::StringRef text) {
  auto [name, value] = text.split('=');
  bool isName =
      name.size() < text.size() &&
      llvm::all_of(
          name.trim(), [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isName ? name.trim() : llvm::StringRef();
}

std::optional<std::string> ScoreArguments::take(std::string_view name) {
  auto named = texts.end(), next = texts.end();
  for (auto it = texts.begin(); it != texts.end(); ++it) {
    llvm::StringRef its = nameOf(*it);
    if (its.equals_insensitive(llvm::StringRef(name)))
      named = it;
    if (its.empty() && next == texts.end())
      next = it;
  }
  auto found = named != texts.end() ? named : next;
  if (found == texts.end())
    return std::nullopt;
  llvm::StringRef text = *found;
  if (found == named)
    text = text.split('=').second;
  text = text.trim();
  if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"') &&
      text.back() == text[0])
    text = text.drop_front().drop_back();
  std::string result = text.str();
  texts.erase(found);
  return result;
}

void ScoreArguments::expect(std::string what) {
  if (problem.empty())
    problem = std::move(what);
}

int64_t ScoreArguments::integer(std::string_view name, int64_t otherwise,
                                int64_t min, int64_t max) {
  std::optional<std::string> text = take(name);
  if (!text)
    return otherwise;
  int64_t value = 0;
  if (!llvm::StringRef(*text).getAsInteger(10, value) && value >= min &&
      value <= max)
    return value;
  expect(std::string(name) + ": an integer from " + std::to_string(min) +
         " to " + std::to_string(max));
  return otherwise;
}

std::optional<int64_t> ScoreArguments::optionalInteger(std::string_view name) {
  constexpr int64_t none = std::numeric_limits<int64_t>::min();
  constexpr int64_t limit = int64_t(1) << 31;
  int64_t value = integer(name, none, -limit, limit);
  return value == none ? std::nullopt : std::optional(value);
}

bool ScoreArguments::boolean(std::string_view name, bool otherwise) {
  std::optional<std::string> text = take(name);
  if (!text)
    return otherwise;
  std::string lower = llvm::StringRef(*text).lower();
  if (lower == "true" || lower == "1")
    return true;
  if (lower != "false" && lower != "0")
    expect(std::string(name) + ": True or False");
  return false;
}

std::string
ScoreArguments::word(std::string_view name,
                     std::initializer_list<std::string_view> words) {
  std::optional<std::string> text = take(name);
  if (!text)
    return std::string(*words.begin());
  std::string all;
  for (std::string_view word : words) {
    if (llvm::StringRef(word).equals_insensitive(*text))
      return std::string(word);
    all += (all.empty() ? "" : " or ") + std::string(word);
  }
  expect(std::string(name) + ": " + all);
  return "";
}

std::string ScoreArguments::file(std::string_view name) {
  std::optional<std::string> text = take(name);
  if (!text || text->empty()) {
    expect(std::string(name) + ": the path of a file");
    return "";
  }
  std::filesystem::path path = std::filesystem::path(folder) / *text;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    expect(std::string(name) + ": a file that exists, unlike " + path.string());
  return path.string();
}

std::vector<std::string> ScoreArguments::rest() {
  return std::exchange(texts, {});
}

std::string ScoreArguments::finish() {
  if (problem.empty() && !texts.empty())
    problem = "no argument '" + texts.front() + "'";
  return problem;
}
