//===- JsonProblems.cpp - What is wrong with a JSON file ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonProblems.h"

#include "support/diagnostics/Import.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;

static constexpr std::size_t kMostOfAKind = 20;

Place JsonProblems::placeOf(std::string_view part) {
  std::size_t wanted =
      std::min(std::size_t(part.data() - text.data()), text.size());
  auto linesIn = [&](std::size_t begin, std::size_t end) {
    return unsigned(std::ranges::count(text.substr(begin, end - begin), '\n'));
  };
  // From the last place on, or back to it: a file may be one line.
  if (wanted >= at) {
    line += linesIn(at, wanted);
    std::size_t feed = text.substr(at, wanted - at).rfind('\n');
    lineBegin = feed == text.npos ? lineBegin : at + feed + 1;
  } else {
    line -= linesIn(wanted, at);
    if (wanted < lineBegin)
      lineBegin = text.substr(0, wanted).rfind('\n') + 1; // npos + 1 is 0
  }
  at = wanted;
  return {.file = file,
          .line = line,
          .column =
              unsigned(std::min<std::size_t>(at - lineBegin, 1 << 30)) + 1};
}

Diagnostic &JsonProblems::report(std::string_view part,
                                 const std::string &subject,
                                 const std::string &kind) {
  ++total;
  if (++counts[kind] > kMostOfAKind)
    return untold;
  return diags.report(diag::QnnMalformed, placeOf(part),
                      subject.empty() ? kind : subject + ": " + kind);
}

void JsonProblems::finish() {
  for (const auto &[kind, count] : counts)
    if (count > kMostOfAKind)
      diags.report(diag::QnnMalformed, {file},
                   "and " + std::to_string(count - kMostOfAKind) +
                       " more: " + kind);
}

std::string qnn::excerptOf(std::string_view text) {
  constexpr std::size_t maxBytes = 60;
  std::string result;
  for (char c : text.substr(0, maxBytes))
    result += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  return text.size() > maxBytes ? result + "..." : result;
}
