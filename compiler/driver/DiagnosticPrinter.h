//===- DiagnosticPrinter.h - Diagnostics as text and as JSON --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What users see of diagnostics: text with an excerpt of the file, or objects
// for programs.
//
//   DiagnosticPrinter printer({.useColor = false, .columns = 100});
//   for (const Diagnostic &d : diags.all())
//     std::cerr << printer.text(d) << '\n';
//
//   net.cfg:16: error E0501: [Optimizer] has no key weight_bit
//     16 | weight_bit = 8
//        | ^~~~~~~~~~
//     found: weight_bit = 8
//     hint: did you mean weight_bits?
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_DIAGNOSTICPRINTER_H
#define YARROW_COMPILER_DRIVER_DIAGNOSTICPRINTER_H

#include "compiler/driver/Excerpt.h"

#include <nlohmann/json_fwd.hpp>

namespace yarrow {

struct DiagnosticStyle {
  bool useColor = false;
  std::size_t columns = 100;

  /// For what is written to \p fileDescriptor: colours and the width of a
  /// terminal if it is one, unless NO_COLOR is set.
  static DiagnosticStyle of(int fileDescriptor);
};

class DiagnosticPrinter {
public:
  explicit DiagnosticPrinter(DiagnosticStyle style) : style(style) {}

  /// Without a line feed at the end.
  std::string text(const Diagnostic &diagnostic);

private:
  DiagnosticStyle style;
  SourceFiles files;
};

/// An array of objects {code, severity, file, line, column, length, layer,
/// message, found, expected, hint}. Lines and columns count from 1, columns
/// and lengths in bytes; what is not known is null.
nlohmann::ordered_json diagnosticsJson(const DiagnosticEngine &diags);

/// One of these on a line, without a line feed at the end.
std::string diagnosticLine(const Diagnostic &diagnostic);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_DIAGNOSTICPRINTER_H
