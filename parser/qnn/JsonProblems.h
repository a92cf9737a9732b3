//===- JsonProblems.h - What is wrong with a JSON file ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reports with lines (E1040). A file of a hundred thousand tensors may have one
// mistake in each: the first few of a kind are reported, the others counted.
//
//   problems.report(value.source, "tensor x", "the length is negative")
//       .found("-1").expected("0 or more");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_JSONPROBLEMS_H
#define YARROW_PARSER_QNN_JSONPROBLEMS_H

#include "support/diagnostics/Import.h"
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace yarrow::qnn {

class JsonProblems {
public:
  JsonProblems(std::string_view text, std::string file, DiagnosticEngine &diags)
      : text(text), file(std::move(file)), diags(diags) {}

  /// Where \p part of the text begins. Cheap for parts in the order of the
  /// text.
  Place placeOf(std::string_view part);
  /// \p kind is what is counted, and the message behind \p subject.
  Diagnostic &report(std::string_view part, const std::string &subject,
                     const std::string &kind);
  std::size_t count() const { return total; }
  /// Reports how many were not told.
  void finish();

private:
  std::string_view text;
  std::string file;
  DiagnosticEngine &diags;
  std::map<std::string, std::size_t> counts;
  std::size_t total = 0;
  Diagnostic untold = {diag::QnnMalformed, {}, {}, {}, {}, {}};
  /// Of the place that was asked for last.
  std::size_t at = 0, lineBegin = 0;
  unsigned line = 1;
};

/// At most so many bytes of \p text, on one line, for messages.
std::string excerptOf(std::string_view text);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_JSONPROBLEMS_H
