//===- Diagnostics.h - Coded problems, collected --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Libraries report problems into a DiagnosticEngine and go on as far as they
// can, so that a user sees every problem of a file at once; only the program
// prints. Each problem has a code (Diagnostics.def), a place, what was found,
// what was expected, and a hint.
//
//   #include "support/diagnostics/Ir.h" // the diagnostics of this stage
//
//   diags.report(diag::IrMissingKey, {"net.txt", 12, "conv1"},
//                "layer has no key kernel_x")
//       .expected("kernel_x=<int>")
//       .hint("the weights have shape [16,3,3,3], so kernel_x=3 would fit");
//
// Records are declared in a header for each stage, so that a new diagnostic
// compiles what reports problems of this stage and nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_DIAGNOSTICS_H
#define YARROW_SUPPORT_DIAGNOSTICS_H

#include <cstddef>
#include <deque>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

/// What is known of a diagnostic; `diag::IrMissingKey` is one. Its address is
/// its identity: there are no copies.
struct DiagRecord {
  /// What a user can look up, for example "E0202". Its first letter tells the
  /// severity: E error, W warning, N note.
  std::string_view code;
  std::string_view summary;
  /// A paragraph in a user's words: what it means and why it is refused.
  std::string_view explanation;
  /// An example, some lines of a file or of a shell, and how to correct it.
  std::string_view wrongExample, rightExample;

  constexpr DiagRecord(std::string_view code, std::string_view summary,
                       std::string_view explanation,
                       std::string_view wrongExample,
                       std::string_view rightExample)
      : code(code), summary(summary), explanation(explanation),
        wrongExample(wrongExample), rightExample(rightExample) {}
  DiagRecord(const DiagRecord &) = delete;
  DiagRecord &operator=(const DiagRecord &) = delete;
};

/// Names one diagnostic: a reference to its record.
class DiagId {
public:
  constexpr DiagId(const DiagRecord &record) : record(&record) {}
  constexpr const DiagRecord *operator->() const { return record; }
  friend constexpr bool operator==(DiagId, DiagId) = default;

private:
  const DiagRecord *record;
};

/// The code, as tests print it.
std::ostream &operator<<(std::ostream &os, DiagId id);

/// "error", "warning" or "note".
std::string_view diagSeverity(DiagId id);

/// Every diagnostic, in the order of the table.
std::span<const DiagId> allDiagIds();
/// The one with this code, in upper or lower case.
std::optional<DiagId> findDiag(std::string_view code);

/// Where a problem is. Every part may be empty.
struct Place {
  std::string file = {};
  unsigned line = 0;      ///< 1-based; 0 when the problem has no line.
  std::string layer = {}; ///< layer_name of the IR.
  /// The text on the line to mark in an excerpt, such as a key or one word of
  /// a list. Where it is empty or not found, the value behind '=' is marked.
  std::string token = {};
  /// 1-based, in bytes: where to look for the token. Without a token this one
  /// character is marked.
  unsigned column = 0;

  Place withToken(std::string text) && {
    token = std::move(text);
    return std::move(*this);
  }
};

struct Diagnostic {
  DiagId id;
  Place place;
  std::string message;
  std::string foundText, expectedText, hintText;

  Diagnostic &found(std::string text);
  Diagnostic &expected(std::string text);
  Diagnostic &hint(std::string text);
  /// Hints at the candidate nearest to \p word. False, and the hint is left as
  /// it is, if none is near.
  bool suggest(std::string_view word,
               const std::vector<std::string> &candidates);
  bool isError() const { return id->code[0] == 'E'; }
  /// "net.txt:12: error E0202: layer 'conv1': ..."
  std::string headline() const;
  /// An indented line each for found, expected and hint, after a line feed.
  std::string details() const;
  std::string str() const { return headline() + details(); }
};

/// Collects diagnostics. report() and add() may be called from several threads;
/// a returned reference stays valid while the engine lives.
class DiagnosticEngine {
public:
  Diagnostic &report(DiagId id, Place place, std::string message);
  /// Appends one taken from elsewhere, such as from an engine that collected
  /// the problems of one file apart from those of others.
  Diagnostic &add(Diagnostic diagnostic);
  bool hasErrors() const;
  std::size_t numErrors() const;
  const std::deque<Diagnostic> &all() const { return diagnostics; }
  void print(std::ostream &os) const;

private:
  mutable std::mutex mutex;
  std::deque<Diagnostic> diagnostics;
};

/// The candidate nearest to \p word by edit distance, or "" if none is near
/// enough to be a likely slip of the finger.
std::string nearestName(std::string_view word,
                        const std::vector<std::string> &candidates);

/// "there are Convolution and ConvTranspose" for "conv": those that begin with
/// \p word, whatever its case, as a hint; "" if none does, or too many.
std::string begunNames(std::string_view word,
                       const std::vector<std::string> &candidates);

/// The text of a hint at what nearestName found, which may be given in quotes,
/// or "" for "".
std::string didYouMean(std::string_view name);

} // namespace yarrow

#endif // YARROW_SUPPORT_DIAGNOSTICS_H
