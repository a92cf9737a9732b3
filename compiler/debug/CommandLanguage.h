//===- CommandLanguage.h - What is typed into the debugger ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lines as commands with their words; the records are in DebugCommands.def.
//
//   ParsedLine line = parseLine("x/4xw sram");
//   if (line.command == DebugCommand::Examine)
//     line.suffix == "4xw", line.words == {"sram"}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DEBUG_COMMANDLANGUAGE_H
#define YARROW_COMPILER_DEBUG_COMMANDLANGUAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

enum class DebugCommand : uint8_t {
#define DEBUG_COMMAND(ID, NAMES, ARGUMENTS, TEXT) ID,
#include "compiler/debug/DebugCommands.def"
};

struct ParsedLine {
  /// Nothing for an empty line, and if there is a problem.
  std::optional<DebugCommand> command = {};
  std::string suffix = {}; ///< Behind a slash: "4xw" of "x/4xw".
  std::vector<std::string> words = {};
  std::string problem = {};

  /// The words from the \p first on, as they were written.
  std::string rest(std::size_t first = 0) const;
};

/// What begins with # is a comment.
ParsedLine parseLine(std::string_view line);

/// A count of at least 1; nullopt if \p word is not a number, or is 0.
std::optional<uint64_t> parseCount(std::string_view word);
/// "0x1f" or "31".
std::optional<uint64_t> parseNumber(std::string_view word);

/// "x/16xb": how memory is to be shown.
struct ExamineFormat {
  uint64_t count = 1;
  char format = 'x';
  unsigned sizeBytes = 4;
};
std::optional<ExamineFormat> parseExamine(std::string_view suffix);

/// The choices of an index list, one for each axis: [first, end).
using IndexRanges = std::vector<std::pair<int64_t, int64_t>>;
/// "0,3,:,2:4" on \p shape; axes that are not named are whole.
std::optional<IndexRanges> parseIndices(std::string_view text,
                                        const std::vector<int64_t> &shape,
                                        std::string &problem);

/// The help of all commands, or of those whose name begins with \p name; empty
/// if no name does.
std::string debugHelp(std::string_view name, std::size_t width);

} // namespace yarrow

#endif // YARROW_COMPILER_DEBUG_COMMANDLANGUAGE_H
