//===- Ini.cpp - Sections of key = value lines ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/Ini.h"

#include "support/diagnostics/Settings.h"

#include <unordered_map>

using namespace yarrow;
using namespace yarrow::config;

std::string_view yarrow::config::trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string yarrow::config::toLower(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

const IniEntry *IniSection::find(std::string_view key) const {
  for (const IniEntry &entry : entries)
    if (entry.key == key)
      return &entry;
  return nullptr;
}

namespace {

/// More than this and the file is something else.
constexpr unsigned maxIniProblems = 50;

class IniParser {
public:
  IniParser(const std::string &fileName, DiagnosticEngine &diags)
      : fileName(fileName), diags(diags) {}

  std::optional<std::vector<IniSection>> parse(std::string_view text) {
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(byteOrderMark))
      text.remove_prefix(byteOrderMark.size());
    while (!text.empty() && numProblems < maxIniProblems) {
      ++line;
      std::size_t end = text.find('\n');
      parseLine(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (numProblems)
      return std::nullopt;
    return std::move(sections);
  }

private:
  Diagnostic &report(DiagId id, std::string message) {
    ++numProblems;
    return diags.report(id, {fileName, line, ""}, std::move(message));
  }

  void parseLine(std::string_view raw) {
    std::string_view text = trim(raw);
    if (text.empty() || text.front() == '#' || text.front() == ';')
      return;
    std::size_t indent = raw.find_first_not_of(" \t");
    if (hasOpenValue && indent > keyIndent) {
      IniEntry &entry = sections.back().entries.back();
      entry.value += '\n';
      entry.value += text;
      return;
    }
    keyIndent = indent;
    hasOpenValue = false;
    if (text.front() == '[')
      parseHeader(text);
    else
      parseEntry(text);
  }

  void parseHeader(std::string_view text) {
    std::size_t end = text.find(']');
    if (end == std::string_view::npos || end == 1) {
      report(diag::ConfigSyntax, "a section has no name")
          .found(std::string(text))
          .expected("[Section]");
      return;
    }
    std::string name(trim(text.substr(1, end - 1)));
    auto [known, isNew] = lineOfSection.try_emplace(name, line);
    if (!isNew)
      report(diag::ConfigSyntax, "the section [" + name +
                                     "] is given twice, first in line " +
                                     std::to_string(known->second));
    sections.push_back({std::move(name), line, {}});
    lineOfKey = {};
  }

  void parseEntry(std::string_view text) {
    std::size_t separator = text.find_first_of("=:");
    std::string_view key = trim(text.substr(0, separator));
    if (separator == std::string_view::npos || key.empty()) {
      report(diag::ConfigSyntax, "a line is not `key = value`")
          .found(std::string(text))
          .hint("comments begin with # or ; and have their own line");
      return;
    }
    if (sections.empty()) {
      report(diag::ConfigSyntax, "a key comes before the first section")
          .found(std::string(text))
          .expected("[Common] as the first line");
      return;
    }
    IniEntry entry{toLower(key), std::string(trim(text.substr(separator + 1))),
                   line};
    auto [known, isNew] = lineOfKey.try_emplace(entry.key, line);
    if (!isNew)
      report(diag::ConfigSyntax, "the key " + entry.key +
                                     " is given twice, first in line " +
                                     std::to_string(known->second))
          .place.token = entry.key;
    sections.back().entries.push_back(std::move(entry));
    hasOpenValue = true;
  }

  const std::string &fileName;
  DiagnosticEngine &diags;
  std::vector<IniSection> sections;
  std::unordered_map<std::string, unsigned> lineOfSection, lineOfKey;
  unsigned line = 0;
  unsigned numProblems = 0;
  std::size_t keyIndent = 0;
  bool hasOpenValue = false;
};

} // namespace

std::optional<std::vector<IniSection>>
yarrow::config::parseIni(std::string_view text, const std::string &fileName,
                         DiagnosticEngine &diags) {
  return IniParser(fileName, diags).parse(text);
}
