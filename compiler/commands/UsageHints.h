//===- UsageHints.h - What a wrong command line was meant to be -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Hints for options that there are not, by the ways in which they are mostly
// missed: a slip of the finger, an abbreviation, an underscore, one dash for
// two, or an option of another command.
//
//   usageHint(app, {"quantize", "net.txt", "--calib-data", "x.npy"})
//       "did you mean '--calibration-data'?"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_USAGEHINTS_H
#define YARROW_COMPILER_COMMANDS_USAGEHINTS_H

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace yarrow {

/// The long option of \p names (with their dashes) that \p word was meant to
/// be, or "".
std::string nearestOption(std::string_view word,
                          const std::vector<std::string> &names);

/// What \p error says, in the order and the words of the command line.
std::string usageProblem(const CLI::App &app,
                         const std::vector<std::string> &args,
                         const CLI::ParseError &error);

/// One hint for all options of \p args that the command does not have, or where
/// its help is.
std::string usageHint(const CLI::App &app,
                      const std::vector<std::string> &args);

/// Of `-target`, which would be read as `-t arget`: "--target". "" if no
/// argument is like that; \p found gets the first that is.
std::string singleDashOption(const CLI::App &app,
                             const std::vector<std::string> &args,
                             std::string &found);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_USAGEHINTS_H
