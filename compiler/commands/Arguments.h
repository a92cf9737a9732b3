//===- Arguments.h - A command line before it is parsed ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What users have in their fingers and the parser of options does not know:
// arguments from a file, -O2 and -Werror as compilers have them, `help CMD`,
// and
// - for the standard output.
//
//   auto args = prepareArguments({"help", "run"}, diags); // {"run", "--help"}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_ARGUMENTS_H
#define YARROW_COMPILER_COMMANDS_ARGUMENTS_H

#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// Nullopt after FileUnreadable, or UsageInvalid for a quote without an end: of
/// the file of an argument @FILE.
std::optional<std::vector<std::string>>
prepareArguments(const std::vector<std::string> &arguments,
                 DiagnosticEngine &diags);

/// The words of a file of arguments, as a shell takes them apart: at blanks and
/// line feeds, but not in '...' and "..."; a backslash takes the next character
/// as it is, # at the beginning of a word begins a comment. Nullopt if a quote
/// has no end.
std::optional<std::vector<std::string>> argumentWords(std::string_view text);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_ARGUMENTS_H
