//===- Raise.h - Diagnostics as an exception of Python ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Libraries report; what calls them for Python throws what they have reported,
// and Python sees yarrow.Error with all of it.
//
//   DiagnosticEngine diags;
//   auto network = session::load(source, {diags});
//   raiseIf(!network, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PYTHON_NATIVE_RAISE_H
#define YARROW_PYTHON_NATIVE_RAISE_H

#include "support/Diagnostics.h"

#include <exception>
#include <string>

namespace yarrow::python {

/// What yarrow.Error is made from. Needs no GIL.
class Raised : public std::exception {
public:
  explicit Raised(const DiagnosticEngine &diags);
  const char *what() const noexcept override { return text.c_str(); }

  std::string json; ///< An array of all diagnostics.
  std::string text; ///< The errors, as the program prints them.
};

/// Throws Raised if \p isFailed or if there are errors.
void raiseIf(bool isFailed, const DiagnosticEngine &diags);
/// An error of the call itself, such as an unknown keyword (UsageInvalid).
[[noreturn]] void raiseUsage(std::string message, std::string hint = "");
/// An array of all diagnostics, as text (docs/report.md).
std::string jsonOf(const DiagnosticEngine &diags);
/// The text of errors alone, or of all.
std::string textOf(const DiagnosticEngine &diags, bool errorsOnly);

/// Makes Raised into yarrow.Error.
void registerErrors();

} // namespace yarrow::python

#endif // YARROW_PYTHON_NATIVE_RAISE_H
