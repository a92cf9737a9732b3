//===- CommandLine.h - What a command line may have -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Completions and manual pages, from the same objects as --help.
//
//   for (const std::string &word : completions(app, {"compile", "--tar"}))
//     ... // "--target"
//   writeFile("yarrow-compile.1", manualPage(app, *command));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_COMMANDLINE_H
#define YARROW_COMPILER_COMMANDS_COMMANDLINE_H

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace yarrow {

/// What the last of \p words, which may be empty, may be, given those before it
/// (without the program's name), sorted. None where files are meant.
std::vector<std::string> completions(const CLI::App &app,
                                     const std::vector<std::string> &words);

/// A page for man, of the program (\p command is \p app) or of a command.
std::string manualPage(const CLI::App &app, const CLI::App &command);

/// "-t,--target"; of a positional its name.
std::string optionNames(const CLI::Option &option);
/// Whether a value follows the option.
bool takesValue(const CLI::Option &option);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_COMMANDLINE_H
