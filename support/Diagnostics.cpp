//===- Diagnostics.cpp - Coded problems, collected ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Storage and rendering of diagnostics, and the "did you mean" search.
//
//===----------------------------------------------------------------------===//
#include "support/Diagnostics.h"

#include "support/diagnostics/All.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <ostream>
#include <utility>

namespace yarrow {

// The declarations in front, by their headers, give the records external
// linkage.
namespace diag {
#define DIAG(ID, CODE, SUMMARY, EXPLANATION, WRONG, RIGHT)                     \
  constexpr DiagRecord ID(CODE, SUMMARY, EXPLANATION, WRONG, RIGHT);
#include "support/Diagnostics.def"
} // namespace diag

namespace {
constexpr DiagId ids[] = {
#define DIAG(ID, CODE, SUMMARY, EXPLANATION, WRONG, RIGHT) diag::ID,
#include "support/Diagnostics.def"
};

/// Appends "  label: text", with the later lines of \p text indented under
/// the first, so that a message of several lines stays one block.
void appendDetail(std::string &out, std::string_view label,
                  std::string_view text) {
  if (text.empty())
    return;
  out += "\n  ";
  out += label;
  out += ": ";
  for (char c : text) {
    out += c;
    if (c == '\n')
      out.append(label.size() + 4, ' ');
  }
}

char lowered(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

constexpr unsigned editUnit = 16;

/// Optimal string alignment distance: insert, delete, replace, and swap of
/// neighbours cost editUnit each, a mere difference of case next to nothing,
/// so that "relu" is nearer to "ReLU" than to "elu".
unsigned editCost(std::string_view a, std::string_view b) {
  std::vector<unsigned> beforePrevious(b.size() + 1), previous(b.size() + 1),
      current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    previous[j] = unsigned(j) * editUnit;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = unsigned(i) * editUnit;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      char x = a[i - 1], y = b[j - 1];
      unsigned replace = x == y ? 0 : lowered(x) == lowered(y) ? 1 : editUnit;
      current[j] = std::min({previous[j] + editUnit, current[j - 1] + editUnit,
                             previous[j - 1] + replace});
      if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y)
        current[j] = std::min(current[j], beforePrevious[j - 2] + editUnit);
    }
    std::swap(beforePrevious, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}
} // namespace

std::ostream &operator<<(std::ostream &os, DiagId id) { return os << id->code; }

std::string_view diagSeverity(DiagId id) {
  switch (id->code[0]) {
  case 'W':
    return "warning";
  case 'N':
    return "note";
  default:
    return "error";
  }
}

std::span<const DiagId> allDiagIds() { return ids; }

std::optional<DiagId> findDiag(std::string_view code) {
  auto isSame = [](char a, char b) { return lowered(a) == lowered(b); };
  for (DiagId id : ids)
    if (std::ranges::equal(id->code, code, isSame))
      return id;
  return std::nullopt;
}

Diagnostic &Diagnostic::found(std::string text) {
  foundText = std::move(text);
  return *this;
}

Diagnostic &Diagnostic::expected(std::string text) {
  expectedText = std::move(text);
  return *this;
}

Diagnostic &Diagnostic::hint(std::string text) {
  hintText = std::move(text);
  return *this;
}

bool Diagnostic::suggest(std::string_view word,
                         const std::vector<std::string> &candidates) {
  std::string near = nearestName(word, candidates);
  if (near.empty())
    return false;
  hint(didYouMean(near));
  return true;
}

std::string Diagnostic::headline() const {
  std::string out;
  if (!place.file.empty()) {
    out += place.file;
    if (place.line)
      out += ":" + std::to_string(place.line);
    out += ": ";
  } else if (place.line) {
    out += "line " + std::to_string(place.line) + ": ";
  }
  out += diagSeverity(id);
  out += ' ';
  out += id->code;
  out += ": ";
  if (!place.layer.empty())
    out += "layer '" + place.layer + "': ";
  out += message;
  return out;
}

std::string Diagnostic::details() const {
  std::string out;
  appendDetail(out, "found", foundText);
  appendDetail(out, "expected", expectedText);
  appendDetail(out, "hint", hintText);
  return out;
}

Diagnostic &DiagnosticEngine::report(DiagId id, Place place,
                                     std::string message) {
  return add({id, std::move(place), std::move(message), {}, {}, {}});
}

Diagnostic &DiagnosticEngine::add(Diagnostic diagnostic) {
  // Every problem of a layer repeats its name: a name as long as half a file
  // would make the messages quadratic in the file.
  constexpr std::size_t longestLayer = 500;
  std::string &layer = diagnostic.place.layer;
  if (layer.size() > longestLayer)
    layer = layer.substr(0, longestLayer) + "...";
  std::lock_guard lock(mutex);
  return diagnostics.emplace_back(std::move(diagnostic));
}

bool DiagnosticEngine::hasErrors() const {
  std::lock_guard lock(mutex);
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic &d) { return d.isError(); });
}

std::size_t DiagnosticEngine::numErrors() const {
  std::lock_guard lock(mutex);
  return std::size_t(
      std::count_if(diagnostics.begin(), diagnostics.end(),
                    [](const Diagnostic &d) { return d.isError(); }));
}

void DiagnosticEngine::print(std::ostream &os) const {
  std::lock_guard lock(mutex);
  for (const Diagnostic &diagnostic : diagnostics)
    os << diagnostic.str() << '\n';
}

std::string nearestName(std::string_view word,
                        const std::vector<std::string> &candidates) {
  // One edit for every three letters is a slip; more is another word. The
  // limit also keeps hostile input (megabytes of "name") out of the table.
  constexpr std::size_t longestName = 128;
  if (word.size() > longestName)
    return "";
  std::string best;
  unsigned bestCost =
      unsigned(std::max<std::size_t>(1, word.size() / 3)) * editUnit;
  bool isFound = false;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > longestName)
      continue;
    unsigned cost = editCost(word, candidate);
    if (cost < bestCost || (cost == bestCost && !isFound)) {
      best = candidate;
      bestCost = cost;
      isFound = true;
    }
  }
  return best;
}

std::string begunNames(std::string_view word,
                       const std::vector<std::string> &candidates) {
  constexpr std::size_t leastLetters = 2, mostNames = 8;
  auto lower = [](char c) { return char(std::tolower((unsigned char)c)); };
  std::vector<std::string> begun;
  for (const std::string &candidate : candidates)
    if (word.size() >= leastLetters && candidate.size() > word.size() &&
        std::equal(word.begin(), word.end(), candidate.begin(),
                   [&](char a, char b) { return lower(a) == lower(b); }))
      begun.push_back(candidate);
  if (begun.empty() || begun.size() > mostNames)
    return "";
  std::string text = begun.size() == 1 ? "there is " : "there are ";
  for (std::size_t i = 0; i < begun.size(); ++i)
    text += (i == 0 ? "" : i + 1 == begun.size() ? " and " : ", ") + begun[i];
  return text;
}

std::string didYouMean(std::string_view name) {
  return name.empty() ? "" : "did you mean " + std::string(name) + "?";
}

} // namespace yarrow
