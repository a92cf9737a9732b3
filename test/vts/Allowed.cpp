//===- Allowed.cpp - Which cases need not pass ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/Allowed.h"
#include "support/MappedFile.h"
#include <sstream>

using namespace yarrow;
using namespace yarrow::vts;

bool Allowed::read(const std::string &path, DiagnosticEngine &diags) {
  if (path.empty())
    return true;
  auto file = MappedFile::open(path, diags);
  if (!file)
    return false;
  std::istringstream lines{std::string(file->text())};
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string pattern, reason;
    if (line.starts_with("#") || !(words >> pattern))
      continue;
    if (std::getline(words >> std::ws, reason) &&
        isNeeded.try_emplace(pattern, false).second)
      continue;
    diags
        .report(DiagId::NnapiCases, {path, number},
                "the line allows nothing, or comes twice")
        .found(line)
        .expected("<case> <reason>");
  }
  return !diags.hasErrors();
}

bool Allowed::allows(const std::string &name) {
  for (auto &[pattern, needed] : isNeeded) {
    bool fits = pattern.ends_with("*")
                    ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                    : name == pattern;
    if (!fits)
      continue;
    needed = true;
    return true;
  }
  return false;
}

std::vector<std::string> Allowed::unneeded() const {
  std::vector<std::string> lines;
  for (const auto &[pattern, needed] : isNeeded)
    if (!needed)
      lines.push_back(pattern);
  return lines;
}
